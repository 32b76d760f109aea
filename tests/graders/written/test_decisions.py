"""Decisions applied to a Result: points, limits, disagreement, undoing."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders import scoring
from graders.model import Check, CheckResult, Criterion, Result, Submission
from graders.written.decisions import Decision, JudgedItem, answer_sum, decided, standing

TEXT = "The margin is large."
QUESTION = Criterion("1b", "Copying", 4.0, "visible", "written")
ITEMS = (JudgedItem("margin", 2.0, True), JudgedItem("weight", 1.0, False))
GIVEN = Decision("ada", "1b/review", answer_sum(TEXT), "Rea", 3.0, ITEMS, number=1)


@pytest.fixture
def result():
    """A machine's point and a free text of three."""
    checks = (
        CheckResult(Check("1b/machine", "It is right.", "1b", 1.0), "passed", 1.0),
        CheckResult(
            Check("1b/review", "A person reads.", "1b", 3.0),
            "needs_review",
            0.0,
            "A person decides.\nOnly the beginning is read.",
            actual=TEXT,
        ),
    )
    criteria = (scoring.criterion_result(QUESTION, checks),)
    submission = Submission("ada", "ada", "essay", Path("ada"), "0" * 64, None)
    began = datetime(2025, 3, 1, tzinfo=UTC)
    return Result(
        submission, "essay", 1, "Essay", "needs_review", criteria, None, 4.0, {}, began, 0.1
    )


def review_of(result):
    return result.criteria[0].checks[1]


def test_a_decision_gives_points_and_a_total(result):
    after = decided(result, [GIVEN])
    assert (after.status, after.score, review_of(after).status) == ("graded", 3.0, "partial")
    assert "Given: margin" in review_of(after).message
    assert "Not given: weight" in review_of(after).message


def test_notes_to_the_student_stay(result):
    assert "Only the beginning is read." in review_of(decided(result, [GIVEN])).message


@pytest.mark.parametrize(
    ("adjustment", "points", "status"),
    [(1.0, 4.0, "passed"), (5.0, 4.0, "passed"), (-0.5, 2.5, "partial"), (-9.0, 1.0, "failed")],
)
def test_an_adjustment_stays_within_the_points(result, adjustment, points, status):
    after = decided(result, [replace(GIVEN, adjustment=adjustment, comment="Well said.")])
    assert (after.score, review_of(after).status) == (points, status)
    assert "Well said." in review_of(after).message


@pytest.mark.parametrize(
    "change", [{"answer": answer_sum(TEXT + "!")}, {"check": "1c/review"}], ids=["answer", "check"]
)
def test_a_decision_of_something_else_does_not_count(result, change):
    assert decided(result, [replace(GIVEN, **change)]) is result


def test_an_upload_that_was_rejected_stays_so(result):
    rejected = replace(result, status="rejected")
    assert decided(rejected, [GIVEN]) is rejected


def test_a_check_that_no_longer_waits_is_left_alone(result):
    failed = replace(review_of(result), status="failed")
    machine = result.criteria[0].checks[0]
    criteria = (scoring.criterion_result(QUESTION, (machine, failed)),)
    unanswered = replace(result, criteria=criteria, score=1.0)
    assert decided(unanswered, [GIVEN]) is unanswered


def test_those_who_differ_leave_it_undecided(result):
    other = replace(GIVEN, reviewer="Tom", adjustment=-1.0, number=2)
    assert decided(result, [GIVEN, other]).score is None
    assert standing([GIVEN, other]).state == "contested"


def test_those_who_agree_decide(result):
    same = replace(GIVEN, reviewer="Tom", comment="So it is.", number=2)
    assert decided(result, [GIVEN, same]).score == 3.0


def test_one_who_has_seen_both_settles_it(result):
    other = replace(GIVEN, reviewer="Tom", adjustment=-1.0, number=2)
    last = replace(GIVEN, reviewer="Uma", adjustment=0.5, seen=2, number=3)
    assert decided(result, [GIVEN, other, last]).score == 3.5


def test_undoing_brings_back_what_was_before(result):
    second = replace(GIVEN, adjustment=1.0, seen=1, number=2)
    undone = replace(GIVEN, items=(), undoes=2, seen=2, number=3)
    assert decided(result, [GIVEN, second]).score == 4.0
    assert decided(result, [GIVEN, second, undone]).score == 3.0
    assert decided(result, [GIVEN, replace(undone, undoes=1)]) is result


@given(st.lists(st.tuples(st.integers(0, 12), st.booleans()), max_size=12))
def test_no_decision_is_ever_lost(rows):
    """Each that was not undone is open, or somebody decided who had seen it."""
    made = [
        replace(GIVEN, number=n, seen=min(seen, n - 1), undoes=min(seen, n - 1) * undo)
        for n, (seen, undo) in enumerate(rows, 1)
    ]
    undone = {each.undoes for each in made}
    live = [each for each in made if not each.undoes and each.number not in undone]
    for each in live:
        seen = any(other.seen >= each.number for other in live)
        assert seen != (each in standing(made).open)
    assert bool(live) == bool(standing(made).open)
