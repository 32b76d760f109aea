"""Answers as real documents have them; those that an example can hold are planted examples."""

import tomllib

import pytest

from graders.audit.validate import holds_answers
from graders.registry.discovery import load_assignment
from tests.planted import examples_of

KEY, QUERY = "u_d u_d^T + u_c u_c^T", "u_d u_a^T + u_c u_d^T"
VALUE = r"\beta^{-2} (u_b u_b^T - u_c u_c^T)"


@pytest.mark.parametrize(
    ("key", "query", "fraction", "said"),
    [
        (QUERY, KEY, 0.5, "K and Q are swapped."),  # the document calls them interchangeable
        (KEY, f"{QUERY} = {VALUE}", 0, "not equal"),  # as in the document's last line
        (KEY, VALUE, 0.5, ""),
        (rf"\beta^{{-2}} ({KEY})", rf"\beta^{{-2}} ({QUERY})", 1, ""),  # as the inventory measured
    ],
    ids=["swapped", "equated", "value as query", "scaled"],
)
def test_other_matrices_earn_what_they_do(judged, key, query, fraction, said):
    check = judged("cs224n-a5", "1e.ii", f"## 1e.ii\nK: {key}\nQ: {query}\nV: {VALUE}\n")
    assert check.fraction == fraction
    assert said in check.message


@pytest.mark.parametrize(
    ("answers", "fraction", "said"),
    [
        ("## 1.4.2\nkey: [[0,0,1], [0,0,1], [1,0,0], [0,0,1]]\n", 0, "Keys other than k_2 were"),
        (  # the third weight is .643 at best
            "## 1.3.2\n[1.1499, 4.1566, -0.1848]\n## 1.4.2\nkey: q/norm(q)\n",
            0.5,
            "off by up to 0.357",
        ),
    ],
)
def test_third_key_is_judged_with_the_students_query(judged, answers, fraction, said):
    check = judged("uw-a2", "1.4.2", answers)
    assert check.fraction == fraction
    assert said in check.message


def test_polarity_of_labels_is_in_no_key():
    text = (load_assignment("uw-a2").folder / "written.toml").read_text(encoding="utf-8")
    assert not any(f"{n} is {word}" in text for n in "01" for word in ("positive", "negative"))


@pytest.mark.parametrize("name", ["cs224n-a4", "cs224n-a5", "cs182-transformers"])
def test_every_wrong_planted_answer_has_a_hint_that_names_its_mistake(name):
    folders = [folder for folder in examples_of(name).iterdir() if holds_answers(folder)]
    assert len(folders) >= 7
    for folder in folders:
        expected = tomllib.loads((folder / "expected.toml").read_text(encoding="utf-8"))
        assert expected.get("hint", {}).keys() == expected.get("lost", {}).keys(), folder.name
