"""Written answers get a verdict: automatic if possible, otherwise by a person."""

from pathlib import Path

import pytest

from graders.boundary.tiers.sandbox import Tier
from graders.errors import UsageError
from graders.grading.options import Options
from graders.grading.precheck import Precheck
from graders.registry.discovery import load_assignment
from graders.written import checks as written_checks
from graders.written.loading import questions_in
from tests.conftest import edit
from tests.graders.written.conftest import RIGHT


def with_answer(**changed):
    """The right answers, but for those given by question."""
    answers = {"1a": "B", "1b": "formula: 2*a\ntext: why", "1c.i": "q1: a\nq2: b", "Q2.1": "why"}
    answers |= changed
    return "\n".join(f"## {name}\n{text}\n" for name, text in answers.items())


def test_right_answers_need_no_person_but_for_the_text(grade):
    result, checks = grade(RIGHT)
    assert {name: check.status for name, check in checks.items()} == {
        "1a/machine": "passed",
        "1b/machine": "passed",
        "1b/review": "needs_review",
        "1c.i/machine": "passed",
        "Q2.1/review": "needs_review",
    }
    assert (result.status, result.score, result.max_score) == ("needs_review", None, 8)
    assert checks["1b/review"].actual == "Each entry is doubled."
    assert (checks["1b/machine"].check.weight, checks["1b/review"].check.weight) == (2, 1)
    assert [graded.criterion.kind for graded in result.criteria] == ["written"] * 4
    assert [graded.criterion.id for graded in result.criteria] == ["1a", "1b", "1c.i", "Q2.1"]


def test_partial_credit_reaches_the_result(grade):
    _, checks = grade(with_answer(**{"1b": "formula: half"}))
    check = checks["1b/machine"]
    assert (check.status, check.fraction, check.hint) == ("partial", 0.5, "The factor.")
    assert "A remark." in check.message
    assert (check.expected, check.actual) == ("2*a", "half")


def test_what_cannot_be_read_waits_for_a_person_and_what_cannot_be_right_earns_nothing(grade):
    result, checks = grade("## 1b\n\nformula: %\n")
    check = checks["1b/machine"]
    assert (check.status, check.actual) == ("needs_review", "%")
    assert check.message.startswith("Needs manual grading; it costs you no points")
    assert "The sign `%` means nothing here." in check.message
    assert "line 3 of answers.md" in check.hint
    assert (result.status, result.score) == ("needs_review", None)
    check = grade("## 1b\n\nformula: &\n")[1]["1b/machine"]
    assert (check.status, check.message) == ("failed", "A matrix is asked for.")
    assert "line 3 of answers.md" in check.hint


@pytest.mark.parametrize(("first", "second"), [("%", "C"), ("C", "%"), ("B", "%")])
def test_two_answers_of_which_one_cannot_be_read_wait_for_a_person(grade, first, second):
    _, checks = grade(f"## 1a\n{first}\n\n## 1a\n{second}\n")
    check = checks["1a/machine"]
    assert check.status == "needs_review"
    assert first in check.actual
    assert second in check.actual


@pytest.mark.parametrize(
    "answers",
    [
        "My answer to the first one: B", "## 1 x a\nB", "# 1a\n## (b)\n2*a\n# 1\n## 1c.i b\nx",
        {"answers.yaml": "1b: [2*a\n1a: B"}, {"answers.md": b"\x00\x01" * 99},
        {"answers.md": "## 1b\n2*a\n" + "more\n" * 20_001},
    ],
    ids=["prose", "heading", "ambiguous", "yaml", "binary", "long"],
)  # fmt: skip
def test_text_that_belongs_to_no_question_for_sure_waits_for_a_person(grade, answers):
    result, checks = grade(answers)
    assert result.status == "needs_review"
    waiting = [check for check in checks.values() if check.status == "needs_review"]
    assert waiting
    assert all(check.actual for check in waiting)


def test_more_versions_than_are_judged_wait_for_a_person(grade):
    _, checks = grade("".join(f"## 1c.i\nq1: a{n}\nq2: b\n" for n in range(20)))
    assert checks["1c.i/machine"].status == "needs_review"


@pytest.mark.parametrize("broken", ["1/0", "assert", "deep", "key", "memory", "nan"])
def test_a_broken_verifier_is_never_a_zero(grade, broken):
    result, checks = grade(with_answer(**{"1b": f"formula: {broken}"}))
    assert any("1b/machine" in fault for fault in result.environment["faults"])
    assert checks["1b/machine"].status == "error"
    assert (result.status, result.score) == ("incomplete", None)
    assert checks["1a/machine"].status == "passed"


@pytest.mark.parametrize("seconds", [["inf"], [f"0.1{n}" for n in range(8)]])
def test_what_takes_too_long_waits_for_a_person(grade, monkeypatch, seconds):
    monkeypatch.setattr(written_checks, "PATIENCE", 0.4)
    result, checks = grade("".join(f"## 1b\nformula: {time} seconds\n" for time in seconds))
    assert checks["1b/machine"].status == "needs_review"
    assert "takes too long to compute" in checks["1b/machine"].message
    assert result.status == "needs_review"
    assert grade("## 1b\nformula: 0.1 seconds\n")[1]["1b/machine"].status == "failed"


def test_no_answers_file_says_how_to_make_one(grade):
    result, checks = grade()
    assert {check.status for check in checks.values()} == {"failed"}
    assert "answers-template" in checks["1a/machine"].hint
    assert "Staff" not in checks["1a/machine"].hint
    assert result.score == 0


def test_not_answered_costs_no_person(grade):
    result, checks = grade("## 1a\nB\n")
    assert checks["Q2.1/review"].status == "failed"
    assert checks["Q2.1/review"].message == "Not answered."
    assert checks["1b/machine"].message == "Not answered."
    assert result.status == "graded"
    assert result.score == 1


def test_a_title_claims_nothing_and_a_hint_names_its_question(grade, essay_folder):
    edit(essay_folder / "written.toml", '"A longer reason"', '"Why order?"')
    _, checks = grade({"answers.md": "## 1a\nC\n"})
    assert {name: check.check.description for name, check in checks.items()} == {
        "1a/machine": "The largest: `choice`.",
        "1b/machine": "Twice a vector: `formula`.",
        "1b/review": "Twice a vector: the text, graded by a person.",
        "1c.i/machine": "Two heads: `q1` and `q2`.",
        "Q2.1/review": "Why order? The answer, graded by a person.",
    }
    assert {name: check.hint for name, check in checks.items() if name != "1a/machine"} == {
        "1b/machine": "Write `formula: ...` below the heading `## 1b`.",
        "1b/review": "Write `text: ...` below the heading `## 1b`.",
        "1c.i/machine": "Write `q1: ...` and `q2: ...` below the heading `## 1c.i`.",
        "Q2.1/review": "Write `text: ...` below the heading `## Q2.1`.",
    }


@pytest.mark.parametrize(
    ("answers", "check", "fraction"),
    [
        ("## 1a\nB\n\n## 1a\nC\n", "1a/machine", 0),
        *((f"## 1a\nB\n\n## 1a\n{same}\n", "1a/machine", 1) for same in ("  B  ", "TODO", "")),
        ("".join(f"## 1a\n{letter}\n" for letter in "BACDEFGHIJKLMNOPQRST"), "1a/machine", 0),
        ("## 1c.i\nq1: a\n", "1c.i/machine", 0.5),
    ],
    ids=["two", "blanks", "placeholder", "empty", "many guesses", "one of two parts"],
)
def test_the_weakest_of_different_answers_counts(grade, answers, check, fraction):
    _, checks = grade(answers)
    assert checks[check].fraction == fraction
    if answers.endswith("C\n"):
        assert "answers.md line 2, answers.md line 5" in checks[check].message


def test_two_files_are_read_together_and_what_concerns_one_is_told_once(grade):
    files = {"answers.md": b"## 1a\nB\n## 1c.i\nq1: a \x93so\x94\n", "answers.yaml": "1b: 2*a\n"}
    _, checks = grade(files)
    assert checks["1a/machine"].status == "passed"
    assert checks["1b/machine"].status == "passed"
    assert "keep only one" in checks["1a/machine"].message
    names = [name for name, check in checks.items() if "Windows-1252" in check.message]
    assert names == ["1a/machine"]


def test_a_very_long_text_is_cut_for_the_reader(grade):
    _, checks = grade("## Q2.1\n" + "word " * 10_000)
    check = checks["Q2.1/review"]
    assert check.status == "needs_review"
    assert len(check.actual) == written_checks.LONGEST_TEXT
    assert "Only the first" in check.message


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('id = "1a"', 'id = "1 a"'), "question `1 a`: `id` is"),
        (('verify = "tiny_halves"', 'verify = "halves"'), "unknown verifier `halves`"),
        (('kind = "choice"', 'kind = "guess"'), "kind"),
        (('id = "1b"', 'id = "1.A"'), "students cannot tell"),
        (('id = "1b"', 'id = "1a"'), "duplicate question id `1a`"),
        (('text = "attention sees a set"', ""), "item 1: the key `text` is missing"),
        (("points = 3\ntext", "points = 2\ntext"), "add up to less"),
        (
            ("points = 2\nkind", "points = 2\nhow = 1\nkind"),
            "question `1b`, machine: there is no key `how`",
        ),
    ],
)
def test_a_wrong_file_is_named_with_its_key(essay_folder, change, message):
    edit(essay_folder / "written.toml", *change)
    with pytest.raises(UsageError) as caught:
        load_assignment(str(essay_folder))
    assert "written.toml" in str(caught.value)
    assert message in str(caught.value)


def test_a_question_may_be_hidden_or_extra_credit(essay_folder):
    more = 'id = "1a"\nvisibility = "hidden"\nextra_credit = true'
    edit(essay_folder / "written.toml", 'id = "1a"', more)
    rubric = load_assignment(str(essay_folder)).rubric
    assert [criterion.visibility for criterion in rubric[:2]] == ["hidden", "visible"]
    assert [criterion.extra_credit for criterion in rubric[:2]] == [True, False]


def test_answers_are_found_without_being_named(essay):
    assert essay.files.artifacts == ("answers.md", "answers.yaml", "answers.yml")


def test_the_example_of_the_documents_loads(essay_folder):
    page = (Path(__file__).parents[3] / "docs" / "written.md").read_text(encoding="utf-8")
    example = next(text for text in page.split("```toml\n") if text.startswith("[[question]]"))
    (essay_folder / "written.toml").write_text(example.split("```")[0])
    (question,) = questions_in(essay_folder)
    assert (question.points, question.parts) == (2, ("formula", "text"))
    checks = (essay_folder / "checks_written.py").read_text()
    assert checks.split() == page.split("```python\n")[1].split("```")[0].split()


@pytest.mark.parametrize(("answer", "failed"), [("2*a", False), ("1/0", True)])
def test_a_students_own_check_says_when_we_failed(grade, answer, failed):
    result, _ = grade(with_answer(**{"1b": f"formula: {answer}"}))
    assert Precheck(Options(Tier.NONE), (), ()).failed_to_grade(result) is failed


def test_an_unreadable_file_is_called_by_its_own_name(grade):
    _, checks = grade({"answers.pdf": b"%PDF-1.4 \x00"})
    assert checks["1b/machine"].hint.startswith("`answers.pdf`: it is a PDF, not text")


@pytest.mark.parametrize(
    "answer",
    ["![](1b.png)", '<img src="1b.png">', "See attached photo 1b.jpg", "See figure 1.", "1b.pdf"],
)
def test_an_answer_in_a_picture_is_read_by_a_person(judged, answer):
    assert judged("cs224n-a4", "1b", f"## 1b\n{answer}\n").status == "needs_review"


@pytest.mark.parametrize("answer", ["figure", "k_a, as 1 page says", "<your answer>"])
def test_a_word_alone_is_no_picture(judged, answer):
    assert judged("cs224n-a4", "1b", f"## 1b\nq = k_a\n\n{answer}\n").status == "failed"


def test_lines_of_a_formula_may_be_its_derivation(judged):
    lines = "M = A A^T\nM v_a = A A^T v_a"
    assert judged("jhu-hw6", "2.2.2", f"## 2.2.2\n{lines}\n", "review").status == "needs_review"
    assert judged("jhu-hw6", "2.2.2", "## 2.2.2\nM = A A^T\n", "review").status == "failed"


@pytest.mark.parametrize("words", ["Concatenation gives", "With concatenation:", "Concatenated:"])
def test_parts_named_in_another_order_are_read_so(judged, words):
    concatenated = f"{words} x_1^T x_2 + p_1^T p_2"
    added = "Addition gives x_1^T x_2 + x_1^T p_2 + p_1^T x_2 + p_1^T p_2"
    answer = f"## b\n{concatenated}\n\n{added}\n"
    assert judged("cs182-transformers", "b", answer).status in ("passed", "needs_review")
