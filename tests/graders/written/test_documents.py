"""Printed answers of real documents get the scores they deserve, whatever is misprinted."""

import tomllib

import pytest

from graders.audit.validate import holds_answers
from graders.registry.discovery import load_assignment
from tests.graders.written.conftest import graded_answers
from tests.planted import examples_of

# Letters, vectors, formulas and numbers as they were handed in; every sentence is ours.
UW = r"""
## 1.2.1
vector: $[44.6093 \quad 28.4705 \quad 31.0986]$
text: Least squares for scores of 100, 0, 0 and 0.
## 1.2.2
matrix: $\begin{bmatrix} 44.6093 & 28.4705 & 31.0986 \\ 74.2993 & 24.4711 & -43.9832 \\
9.9978 & -24.5389 & -51.8660 \\ 73.9117 & -69.2530 & 27.8533 \end{bmatrix}$
text: Least squares for each row.
## 1.3.1
vector: $[0 \quad 0 \quad 0]$
text: All scores are equal.
## 1.3.2
vector: [1.1499, 4.1566, -0.1848]
text: Least squares for scores of 3, 3, -2 and -3.
## 1.4.1
key: k_0
text: A key that has the score of the first.
## 2.2.3
|  | Train | Dev | Normal Sample | Weird Sample | Long Sample |
|---|---|---|---|---|---|
| Shuffle perplexity | 404.63 | 383.59 | 322.56 | 13879.92 | 419.71 |
| Shuffle loss | 5.74 | 5.70 | 5.77 | 9.53 | 6.03 |
| Shift perplexity | 402.10 | 382.20 | 299.93 | 14801.54 | 425.183 |
| Shift loss | 5.73 | 5.69 | 5.70 | 9.60 | 6.05 |
| Re-weight perplexity | 362.84 | 345.57 | 2178713.25 | 2550125904.81 | 341466.20 |
| Re-weight loss | 5.63 | 5.59 | 14.59 | 21.65 | 12.74 |
## Q2.1
train: 6920
validation: 872
test: 1821
## Q2.3
input_ids: `torch.Tensor`, shape `(B, 45)`
attention_mask: `torch.Tensor`, shape `(B, 45)`
label_encoding: `torch.Tensor`, shape `(B,)`
## Q4.2
train_epoch: the 8th
dev_epoch: the first
## Q4.7
lr=5e-05, batch_size=128, num_epochs=5; training and validation accuracy: 95.91%, 93.23%
## Q5.1
94.83%
"""
JHU = r"""
## 1.1
C
## 1.2
C
## 1.3
A, C, E
## 1.4
A
## 1.5
A, C
## 1.6
C
## 2.1.1
$\begin{bmatrix} 3 \\ 2 \\ -4 \end{bmatrix}$

The scores are 3, 1, 1 and -3.
## 2.2.2
formula: $M = 2 A A^\top$
text: It projects on the first span.
## 2.2.3
formula: $q_t = k_a + k_b$
text: Both scores are 1, all others 0.
## 3.1.3
Test 1 (lr=1e-3, num_epochs=9):
- Average DEV metrics: accuracy={'accuracy': 0.6217125382262997}
- Average TEST metrics: accuracy={'accuracy': 0.6271899088997898}

Test 2 (lr=5e-4, num_epochs=7):
- Average DEV metrics: accuracy={'accuracy': 0.6217125382262997}
- Average TEST metrics: accuracy={'accuracy': 0.6194814295725298}

Test 3 (lr=125e-4, num_epochs=12):
- Average DEV metrics: accuracy={'accuracy': 0.6217125382262997}
- Average TEST metrics: accuracy={'accuracy': 0.6187806587245971}

Test 4 (lr=125e-4, num_epochs=20):
- Average DEV metrics: accuracy={'accuracy': 0.6217125382262997}
- Average TEST metrics: accuracy={'accuracy': 0.5998598458304134}
## 3.2.1
lr=1e-4, num_epochs=20, batch_size=64
- Average DEV metrics: accuracy={'accuracy': 0.9}
- Average TEST metrics: accuracy={'accuracy': 0.9}
## 3.2.2
**2d + 2**
## 3.2.2 (runs)
lr=1e-4, num_epochs=20, batch_size=64
- Average DEV metrics: accuracy={'accuracy': 0.6}
- Average TEST metrics: accuracy={'accuracy': 0.6}
## 3.2.3
**$130d + 2$**
"""
KEY, QUERY = "u_d u_d^T + u_c u_c^T", "u_d u_a^T + u_c u_d^T"
VALUE = r"\beta^{-2} (u_b u_b^T - u_c u_c^T)"
PRINTED = {"uw-a2": UW, "jhu-hw6": JHU}
RIGHT = {
    "uw-a2": "1.2.1 1.2.2 1.3.1 1.3.2 1.4.1 2.2.3 Q2.1 Q2.3 Q4.7 Q5.1",
    "jhu-hw6": "1.1 1.2 1.3 1.4 1.5 2.1.1 2.2.2 3.2.2 3.2.3",
}


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """The checks of each document's answers, by assignment and id."""
    return {
        name: graded_answers(name, tmp_path_factory.mktemp(name), answers)
        for name, answers in PRINTED.items()
    }


@pytest.mark.parametrize("name", RIGHT)
def test_right_answers_pass(printed, name):
    """An output within the course's tolerance and an averaged perplexity are right, too."""
    wrong = {
        question: printed[name][f"{question}/machine"].message
        for question in RIGHT[name].split()
        if printed[name][f"{question}/machine"].fraction != 1
    }
    assert wrong == {}


def test_free_texts_wait_for_a_person(printed):
    waiting = [
        printed["jhu-hw6"][f"{question}/review"].status for question in ("2.1.1", "2.2.2", "2.2.3")
    ]
    assert waiting == ["needs_review"] * 3


@pytest.mark.parametrize(
    ("name", "question", "fraction", "said"),
    [
        ("uw-a2", "1.4.2", 0, "Not answered"),
        ("uw-a2", "Q4.2", 0, "No curve could be read"),
        ("jhu-hw6", "1.1", 1, "second [SEP]"),
        ("jhu-hw6", "1.6", 0, "C is not the correct choice"),
        ("jhu-hw6", "2.2.3", 0.5, "Correct direction, but too short"),
        ("jhu-hw6", "2.3.1", 0, "Not answered"),
        ("jhu-hw6", "3.2.1", 0.5, "10 items"),
        ("jhu-hw6", "3.2.1", 0.5, "Dev and test accuracy are equal in every run"),
        ("jhu-hw6", "3.2.2.runs", 0.5, "10 items"),
    ],
)
def test_other_answers_earn_what_they_deserve(printed, name, question, fraction, said):
    check = printed[name][f"{question}/machine"]
    assert check.fraction == fraction
    assert said in check.message


def test_right_numbers_are_no_errors(printed):
    messages = [printed["uw-a2"][f"{question}/machine"].message for question in ("2.2.3", "Q4.7")]
    assert not [
        message for message in messages if "but the loss is" in message or "Impossible" in message
    ]


def test_two_of_six_runs_are_on_the_grid(printed):
    check = printed["jhu-hw6"]["3.1.3/machine"]
    assert "2 of the 6 required runs" in check.message
    assert "2 of the reported runs are not required" in check.message
    assert "You did not say which run you chose" in check.message
    points = check.fraction * check.weight
    assert points == pytest.approx(2 * 2 / 6 + 1)  # the grid, and the settings are told


def test_majority_class_is_flagged_in_every_row(printed):
    message = printed["jhu-hw6"]["3.1.3/machine"].message
    assert "0.6217125382262997 is 2033/3270" in message
    listing = message.split("The same applies to", 1)[1].split(".\n", 1)[0]
    assert listing.count("dev") == 3  # all four rows
    assert "cannot be ranked" in message


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
