"""Waiting checks of code and predictions are decided on a page, by CSV, or a kind at a time."""

from dataclasses import replace

import pytest
from typer.testing import CliRunner

from grade import app
from graders import scoring
from graders.course.review import open_review
from graders.errors import UserError
from graders.model import Check, CheckResult, Criterion
from graders.storage.store import read_store
from reports.review.kinds import kinds
from tests.reports.review.conftest import a_result
from tests.reports.review.test_pages import decide
from tests.reports.review.test_sheet import fill, taken, written

ADVICE = Criterion("weights", "Weights", 0.0, "visible", "metric")
MISSING = "No `model.pt` was submitted. Your points count."
SHOWN = "No <code>model.pt</code> was submitted. The points count."
BORDERLINE = "29.8%: within the margin of error of 30%."
OTHER = "The model gives 3 of 60 rows."


def predictions(assignment, name, message):
    """A Result of predictions that earn half of 2 points, of which a person is asked to confirm."""
    result = a_result(assignment, name, (None, None))
    points = CheckResult(
        Check("accuracy", "It is often right.", "c.ii", 2.0),
        "needs_review",
        0.0 if message == BORDERLINE else 0.5,
        f"{message}\nA note.",
    )
    advice = CheckResult(Check("same", "It fits.", "weights"), "needs_review", 0.0, message)
    rubric = (assignment.rubric[0], replace(assignment.rubric[1], kind="metric"), ADVICE)
    missing = result.criteria[0].checks
    criteria = tuple(
        scoring.criterion_result(criterion, [*missing, points, advice]) for criterion in rubric
    )
    status, score = scoring.result_status(criteria), scoring.total(criteria)
    return replace(result, criteria=criteria, status=status, score=score)


@pytest.fixture
def graded(grade):
    return grade(result_of=predictions, ada=MISSING, bob=MISSING, cleo=OTHER)


def stands(folder, name):
    with read_store(folder) as store:
        result = store.member_result(1, name)
    return result.status, result.score


def run(*arguments):
    return CliRunner().invoke(app, ["decide", *map(str, arguments)], catch_exceptions=False)


def kind_of(folder, text):
    with open_review(folder) as review:
        return next(kind for kind in kinds(review) if kind.text == text)


def test_rejected_points_are_taken(graded):
    wrong = ("--kinds", "all", "--reject", "--only", "cloe,ada")
    refused = CliRunner().invoke(app, ["decide", str(graded), *wrong])
    assert "there is no submission `cloe`; did you mean `cleo`?" in str(refused.exception)
    assert stands(graded, "ada") == ("needs_review", 1.0)
    run(graded, "--kinds", "all", "--reject", "--only", "cleo", "--comment", "Come and see us.")
    assert stands(graded, "cleo") == ("graded", 0.0)
    assert stands(graded, "ada") == ("needs_review", 1.0)


def test_one_decision_serves_all_of_a_kind(graded):
    kind = kind_of(graded, MISSING)
    assert (kind.submissions, kind.checks) == (2, ("accuracy", "same"))
    assert stands(graded, "ada") == ("needs_review", 1.0), "points count until a person decides"
    assert kind_of(graded, OTHER).name in run(graded).stdout
    assert run(graded, "--kinds", kind.name, "--accept").exit_code == 0
    assert [stands(graded, name)[0] for name in ("ada", "bob", "cleo")] == [
        "graded", "graded", "needs_review"
    ]  # fmt: skip
    assert stands(graded, "ada")[1] == 1.0
    run(graded, "--kinds", "all", "--accept")
    assert "nothing needs manual grading" in run(graded).stderr
    again = CliRunner().invoke(app, ["agreement", str(graded), "--again", "9"])
    assert "no decided answers" in str(again.exception), "checks of code are no answers"


@pytest.mark.parametrize(("answer", "points"), [("--accept", 2.0), ("--reject", 0.0)])
def test_a_borderline_accuracy_earns_all_or_nothing(grade, answer, points):
    folder = grade(result_of=predictions, ada=BORDERLINE)
    assert stands(folder, "ada")[0] == "needs_review"
    run(folder, "--kinds", kind_of(folder, BORDERLINE).name, answer)
    assert stands(folder, "ada") == ("graded", points)
    assert f",{points:g}," in (folder / "grades.csv").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--accept"], "--kinds is missing"),
        (["--kinds", "all"], "--accept or --reject is missing"),
        (["--kinds", "abc", "--accept"], "no check of the kind `abc`"),
        (["--kinds", "all", "--accept", "--comment", "x" * 2001], "at most 2,000"),
    ],
)
def test_half_a_decision_or_one_of_nothing_is_refused(graded, arguments, why):
    with pytest.raises(UserError, match=why):
        run(graded, *arguments)


def test_the_page_and_a_sheet_decide_it(rea, graded):
    with open_review(graded) as review:
        handle = next(
            answer.handle
            for answer in review.material.answers["accuracy"].values()
            if MISSING in answer.text
        )
    page = rea.get(f"/q/accuracy/{handle}")
    for text in (SHOWN, "A note.", "It is often right.", "Accept", "+1 point<"):
        assert text in page.body
    assert "1 of 2. A note.<" in page.body, "each answer of the group with its own points"
    decide(rea, f"/q/accuracy/{handle}", item=["1"], adjustment="-1")
    assert {stands(graded, name)[1] for name in ("ada", "bob", "cleo")} == {1.0, 0.5}
    assert "gave 0.5 of 2 for" in rea.get("/written").body, "the check earned half of its points"
    (row,) = (row for row in taken(rea) if row["points"])
    assert row["points"] == "0.5"
    with open_review(graded) as review:
        handle = next(iter(review.material.answers["accuracy"]))
    rea.send_sheet(written(fill(taken(rea), handle, items="none")))
    assert rea.status == 303
    assert sorted(stands(graded, name)[1] for name in ("ada", "bob", "cleo")) == [0.0, 1.0, 1.0]
