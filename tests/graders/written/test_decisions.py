"""People's decisions: their points, limits, disagreement, undoing; and how a regrade keeps them."""

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.boundary.tiers.sandbox import Tier
from graders.course.regrade import begin_draft, grade_draft
from graders.execution.executors import SerialExecutor
from graders.grading.batch import grade_and_store, plan_work
from graders.grading.options import GradingRequest, Options
from graders.grading.secret import PUBLICLY, with_inputs_seed
from graders.model import Check, CheckResult, Criterion
from graders.registry.discovery import assignment_names, load_assignment
from graders.scoring import criterion_result
from graders.storage.store import open_store
from graders.written.decisions import (
    CONTESTED,
    PERSON_READS,
    Decision,
    JudgedItem,
    answer_sum,
    decided,
    decided_as,
    standing,
    waits,
)
from graders.written.free_text.manual import AWARDS, by_hand
from graders.written.verifiers.reported.settings import CurveAward, RunAward, TextAward
from submissions.receive import identify
from tests.conftest import edit
from tests.graders.written.conftest import RIGHT, ask, bundled_questions

TEXT = "The margin is large."
QUESTION = Criterion("1b", "Copying", 4.0, "visible", "written")
ITEMS = (JudgedItem("margin", 2.0, True), JudgedItem("weight", 1.0, False))
GIVEN = Decision("ada", "1b/review", answer_sum(TEXT), "Rea", 3.0, ITEMS, number=1)


@pytest.fixture
def result(make_result):
    """A machine's point and a free text of three."""
    machine = CheckResult(Check("1b/machine", "It is right.", "1b", 1.0), "passed", 1.0)
    message = f"{PERSON_READS}\nOnly the beginning is read."
    check = Check("1b/review", "A person reads.", "1b", 3.0)
    review = CheckResult(check, "needs_review", 0.0, message, actual=TEXT)
    return make_result(criterion_result(QUESTION, (machine, review)), status="needs_review")


def review_of(result):
    return result.criteria[0].checks[1]


def test_a_decision_gives_points_and_a_total_and_keeps_notes(result):
    after = decided(result, [GIVEN])
    assert (after.status, after.score, review_of(after).status) == ("graded", 3.0, "partial")
    for phrase in ("Given: margin", "Not given: weight", "Only the beginning is read."):
        assert phrase in review_of(after).message


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


def test_a_rejected_upload_and_a_check_that_no_longer_waits_are_left_alone(result):
    rejected = replace(result, status="rejected")
    assert decided(rejected, [GIVEN]) is rejected
    failed = replace(review_of(result), status="failed")
    criteria = (criterion_result(QUESTION, (result.criteria[0].checks[0], failed)),)
    unanswered = replace(result, criteria=criteria, score=1.0)
    assert decided(unanswered, [GIVEN]) is unanswered


def test_those_who_agree_decide_or_one_who_has_seen_both(result):
    same = replace(GIVEN, reviewer="Tom", comment="So it is.", number=2)
    assert decided(result, [GIVEN, same]).score == 3.0
    other = replace(GIVEN, reviewer="Tom", adjustment=-1.0, number=2)
    assert decided(result, [GIVEN, other]).score is None
    assert standing([GIVEN, other]).state == "contested"
    message = review_of(decided(result, [GIVEN, other])).message
    assert message == f"{CONTESTED}\nOnly the beginning is read."
    code = replace(review_of(result), message="No weights. Your points count.")
    criteria = (criterion_result(QUESTION, (result.criteria[0].checks[0], code)),)
    message = review_of(decided(replace(result, criteria=criteria), [GIVEN, other])).message
    assert message == f"{CONTESTED} No weights. Your points count."
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
    decisions = [
        replace(GIVEN, number=n, seen=min(seen, n - 1), undoes=min(seen, n - 1) * undo)
        for n, (seen, undo) in enumerate(rows, 1)
    ]
    undone = {decision.undoes for decision in decisions}
    live = [
        decision for decision in decisions if not decision.undoes and decision.number not in undone
    ]
    for decision in live:
        seen = any(other.seen >= decision.number for other in live)
        assert seen != (decision in standing(decisions).open)
    assert bool(live) == bool(standing(decisions).open)


@pytest.mark.parametrize("name", assignment_names())
def test_every_machine_part_can_be_decided_for_all_its_points(name):
    for question in bundled_questions(name):
        machine = by_hand(question)
        assert (machine is None) == (question.machine is None)
        if machine is not None:
            assert machine.review.points == question.machine.points
            total = sum(item.points for item in machine.review.items)
            assert total == pytest.approx(question.machine.points, abs=1e-9)


def test_every_award_has_a_line_of_the_rubric():
    names = {name for kind in (CurveAward, RunAward, TextAward) for name in get_args(kind)}
    assert names == set(AWARDS)


def test_each_value_has_a_line_of_its_own():
    question = by_hand(ask("1d.i", "formula", ("q1", "q2", "q3"), None))
    assert [item.text for item in question.review.items] == [
        "`q1` is correct",
        "`q2` is correct",
        "`q3` is correct",
    ]
    assert question.id == "1d.i:machine"


@pytest.mark.parametrize(
    ("check", "status", "name", "expected"),
    [
        ("1b/machine", "needs_review", "1b:machine", True),
        ("1b/machine", "failed", "1b:machine", False),
        ("c.i/review", "needs_review", "c.i", True),
        ("checkpoints", "needs_review", "checkpoints", True),
    ],
)
def test_checks_that_need_review_wait_and_have_a_name_to_decide_them_by(
    check, status, name, expected
):
    assert waits(CheckResult(Check(check, "", "1b"), status, 0.0)) is expected
    assert decided_as(check) == name


def test_three_thirds_of_a_point_are_the_point(make_result):
    question = by_hand(replace(ask("e", "formula", ("x", "y", "z"), None)))
    items = tuple(JudgedItem(item.text, item.points, True) for item in question.review.items)
    check = Check("e/machine", "", "e", 1.0)
    waiting = CheckResult(check, "needs_review", 0.0, "Why.", "Where.", actual="x")
    graded = criterion_result(Criterion("e", "", 1.0, "visible", "written"), (waiting,))
    decision = Decision("ada", "e/machine", answer_sum("x"), "Rea", 1.0, items, number=1)
    after = decided(make_result(graded), [decision])
    machine = after.criteria[0].checks[0]
    assert (machine.status, machine.fraction, machine.hint, after.score) == ("passed", 1.0, "", 1.0)


@pytest.fixture
def regraded(essay_folder, tmp_path):
    """A folder of results with one submission, whose answer to 1b somebody has decided."""
    upload, out = tmp_path / "ada", tmp_path / "out"
    upload.mkdir()
    (upload / "answers.md").write_text(RIGHT)
    task = load_assignment(str(essay_folder))
    with open_store(out) as store:
        question = with_inputs_seed(GradingRequest(task, Options(Tier.NONE)), store, PUBLICLY)
        work = plan_work(store, [identify(upload, task.name)], question, alone=True)
        list(grade_and_store(store, work, question, SerialExecutor()))
        item = JudgedItem("doubling scales every entry", 1.0, True)
        text = answer_sum("Each entry is doubled.")
        store.decisions().add([Decision("ada", "1b/review", text, "Rea", 1.0, (item,), 0.0, "")])
    return out


def status(result):
    return {c.id: c.status for criterion in result.criteria for c in criterion.checks}["1b/review"]


def test_a_regrade_stores_no_decision_as_if_a_machine_had_made_it(regraded, essay_folder):
    edit(essay_folder / "assignment.toml", "In writing", "In other words")
    with open_store(regraded) as store:
        assert status(store.member_result(1, "ada")) == "passed"
        draft = begin_draft(store, load_assignment(str(essay_folder)), Options(Tier.NONE))
        (result,) = grade_draft(store, draft, SerialExecutor())
        assert result.title == "In other words"
        (member,) = store.members(draft.number)
        assert status(store.as_graded("ada", member.cache_key.address)) == "needs_review"
        assert status(store.member_result(draft.number, "ada")) == "passed"
