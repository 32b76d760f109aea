"""Answers that cannot be read automatically are decided like free text, on a page or by CSV."""

from dataclasses import replace

import pytest

from graders import scoring
from graders.course.review import open_review
from graders.model import Check, CheckResult
from graders.registry.discovery import load_assignment
from tests.reports.review.conftest import HEADS, LARGE, WRITTEN, a_result
from tests.reports.review.test_pages import decide, score_of
from tests.reports.review.test_sheet import fill, taken, written

MACHINE = """
[[question]]
id = "2c"
title = "Two queries"
prompt = "Give both queries."
  [question.machine]
  points = 2
  kind = "formula"
  parts = ["q1", "q2"]
  verify = "two_queries"
  example = "3*x"
"""


def unreadable(assignment, name, texts):
    """A Result with a free text, and a machine part that could not be read."""
    result = a_result(assignment, name, [*texts[:2], None])
    check = Check("2c/machine", "Both are right.", "2c", 2.0)
    waits = CheckResult(
        check, "needs_review", 0.0, "Needs it: `q2` is dots.", "q1: …", actual=texts[2]
    )
    checks = [
        other
        for graded in result.criteria
        for other in graded.checks
        if other.check.criterion != "2c"
    ]
    criteria = tuple(
        scoring.criterion_result(criterion, [*checks, waits]) for criterion in assignment.rubric
    )
    return replace(result, criteria=criteria, score=scoring.total(criteria))


@pytest.fixture
def essay(essay):
    file = essay.folder / "written.toml"
    file.write_text(WRITTEN + MACHINE)
    return load_assignment(str(essay.folder))


@pytest.fixture
def graded(grade):
    return grade(result_of=unreadable, ada=(LARGE, HEADS, "q1: a\nq2: …"))


@pytest.fixture
def address(graded):
    """Where the machine part of the only submission is decided."""
    with open_review(graded) as review:
        ((handle, _),) = review.material.answers["2c:machine"].items()
    return f"/q/2c%3Amachine/{handle}"


def test_the_page_shows_the_reason_and_decides_the_part(rea, graded, address):
    page = rea.get(address)
    assert page.status == 200
    for text in (
        "<code>q2</code> is dots.",
        "`q1` is correct",
        "`q2` is correct",
        "q2: …",
        "2c:machine",
    ):
        assert text in page.body
    with open_review(graded) as review:
        assert {answer.reason for answer in review.material.answers["1b"].values()} == {""}
    decide(rea, address, item=["1"], adjustment="0.5", comment="The second is nearly right.")
    assert rea.status == 303
    assert "1 of 3 answers decided" in rea.get("/written").body
    for question, handle in answers_of(graded):
        if question != "2c:machine":
            decide(rea, f"/q/{question}/{handle}", item=["1"])
    assert score_of(graded, "ada") == 2 + 2 + 1.5


def test_a_sheet_decides_it_too(rea, address):
    rows = fill(taken(rea), address.rpartition("/")[2], items="1 2")
    assert {row["question"] for row in rows} == {"1b", "c.ii", "2c:machine"}
    rea.send_sheet(written(rows))
    assert rea.status == 303
    assert {row["points"] for row in taken(rea) if row["question"] == "2c:machine"} == {"2"}


def answers_of(folder):
    with open_review(folder) as review:
        return [(name, handle) for name, some in review.material.answers.items() for handle in some]
