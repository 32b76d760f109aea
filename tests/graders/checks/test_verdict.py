"""Every end of a check gets the correct status; our own fault is never the student's."""

import math

import numpy as np
import pytest
from hypothesis.errors import FlakyFailure

from graders.checks.compare import CheckFailed, CheckSkipped, fail, skip
from graders.checks.mistakes import Mistake, first_match, mistake_named, only_match, sentence
from graders.checks.score import Score
from graders.checks.verdict import OURS, verdict
from graders.errors import (
    BadReply,
    GraderFault,
    SandboxFailed,
    StudentExited,
    StudentFault,
    StudentOutOfMemory,
    StudentRaised,
    StudentSignalled,
    StudentTimedOut,
)
from graders.figures import Accuracy, Curve, Rotation
from graders.model import Check

CHECK = Check("k", "K.", "c")


SHOWN = {"hint": "H", "expected": "1", "actual": "2", "counterexample": {"x": "0"}}
FAILED = CheckFailed("Wrong.", **SHOWN)


def needs_review(score):
    score.needs_review("Wrong.", **SHOWN)


@pytest.mark.parametrize(
    ("problem", "act", "status"),
    [(FAILED, lambda score: None, "failed"), (None, needs_review, "needs_review")],
)
def test_a_failure_and_a_persons_decision_show_everything(problem, act, status):
    score = Score()
    act(score)
    result = verdict(CHECK, problem, score)
    assert (result.status, result.fraction, result.message) == (status, 0.0, "Wrong.")
    assert (result.hint, result.expected, result.actual) == ("H", "1", "2")
    assert result.counterexample == (("x", "0"),)


def test_result_says_which_mistake_the_hint_names():
    hint = Mistake("sign", "The sign is wrong", "f(x) = x").hint
    score = Score()
    score.partial(0.5, "Half.", hint=hint)
    for result in (verdict(CHECK, CheckFailed("Wrong.", hint=hint)), verdict(CHECK, None, score)):
        assert (result.mistake, result.hint) == ("sign", "The sign is wrong (f(x) = x).")
        assert type(result.hint) is str
    assert verdict(CHECK, FAILED).mistake == ""


WAYS = {
    StudentRaised("It raised."): "raised",
    StudentExited("It ended."): "exited",
    StudentSignalled("It crashed."): "signalled",
    StudentTimedOut("Too slow."): "timed_out",
    StudentOutOfMemory("Too much."): "out_of_memory",
    BadReply("Nonsense."): "bad_reply",
}


@pytest.mark.parametrize("fault", WAYS, ids=WAYS.get)
def test_each_students_fault_fails_with_its_own_outcome(fault):
    result = verdict(CHECK, fault)
    assert (result.status, result.outcome) == ("failed", WAYS[fault])
    assert str(fault) in result.message


def test_every_students_fault_has_an_outcome():
    assert {type(fault) for fault in WAYS} == set(StudentFault.__subclasses__())


def test_a_check_that_words_a_fault_itself_keeps_its_outcome():
    failed = CheckFailed("It took too long.")
    failed.__cause__ = StudentTimedOut("Too slow.")
    assert verdict(CHECK, failed).outcome == "timed_out"
    assert verdict(CHECK, FAILED).outcome == ""


@pytest.mark.parametrize("fault", [SandboxFailed("no bwrap"), TypeError("bug"), KeyError("bug")])
def test_our_fault_is_an_error_without_a_traceback(fault):
    result = verdict(CHECK, fault)
    assert result.status == "error"
    assert result.message.startswith(OURS)
    assert "Traceback" not in result.message


@pytest.mark.parametrize(
    ("other", "status", "message"),
    [(StudentRaised("It raised."), "failed", "Wrong."), (GraderFault("disk full"), "error", OURS)],
)
def test_changing_answers_fail_unless_a_fault_of_ours_is_among_them(other, status, message):
    result = verdict(CHECK, FlakyFailure("flaky", [FAILED, other]))
    assert result.status == status
    assert result.message.startswith(message)


@pytest.mark.parametrize(
    ("fraction", "status"), [(0.0, "failed"), (0.4, "partial"), (1.0, "passed")]
)
def test_partial_credit(fraction, status):
    score = Score()
    score.partial(fraction, "So far.")
    result = verdict(CHECK, None, score)
    assert (result.status, result.fraction) == (status, fraction)


def test_a_failure_after_partial_credit_is_a_failure():
    score = Score()
    score.partial(0.9, "Nearly.")
    assert verdict(CHECK, FAILED, score).fraction == 0.0


def test_notes_are_shown_whatever_the_verdict():
    score = Score()
    score.note("A remark.")
    assert verdict(CHECK, None, score).message == "A remark."
    assert verdict(CHECK, FAILED, score).message == "Wrong.\nA remark."


def test_what_a_process_replied_fills_no_page():
    long, score = "x" * 10**6, Score()
    score.note(long)
    texts = {"hint": long, "expected": long, "actual": long, "counterexample": {"row": long}}
    with pytest.raises(CheckFailed) as failed:
        fail(long, **texts)
    assert len(repr(verdict(CHECK, failed.value, score))) < 200_000


def test_a_check_without_anything_to_judge_is_skipped():
    score = Score()
    score.note("A remark.")
    with pytest.raises(CheckSkipped) as skipped:
        skip("No file.")
    result = verdict(CHECK, skipped.value, score)
    assert (result.status, result.fraction) == ("skipped", 0.0)
    assert result.message == "No file.\nA remark."


def test_a_fraction_outside_its_range_is_a_bug():
    with pytest.raises(ValueError, match="between 0 and 1"):
        Score().partial(1.5, "More than all.")


@pytest.mark.parametrize("problem", [None, CheckFailed("No."), ValueError("ours")])
def test_a_figure_is_shown_whatever_the_verdict(problem):
    score, figure = Score(), Accuracy("dev", 3, 10)
    score.show(figure)
    assert verdict(CHECK, problem, score).figures == (figure,)


@pytest.mark.parametrize(
    "figure",
    [
        Accuracy("more than all", 11, 10),
        Accuracy("of nothing", 0, 0),
        Accuracy("threshold", 1, 10, math.nan),
        Rotation("no angle", (0.0, 1.0), (0.0, math.inf)),
        Rotation("nothing came", (0.0,), ()),
        Curve("diverged", "loss", ((1.0, math.nan),)),
        Curve("empty", "loss", ()),
    ],
    ids=lambda figure: figure.label,
)
def test_what_cannot_be_drawn_is_left_out(figure):
    score = Score()
    score.show(figure)
    assert score.figures == []


def test_points_to_confirm_are_earned_and_a_person_is_asked():
    score = Score()
    score.partial(0.5, "Half.", hint="Shifted.")
    score.confirm("No model.", hint="Submit it.")
    result = verdict(CHECK, None, score)
    assert (result.status, result.fraction) == ("needs_review", 0.5)
    assert (result.message, result.hint) == ("No model.\nHalf.\nShifted.", "Submit it.")


def test_nobody_confirms_what_earned_nothing():
    score = Score()
    score.partial(0.0, "None.")
    score.confirm("No model.")
    assert verdict(CHECK, None, score).status == "failed"


@pytest.mark.parametrize("words", [None, "The rotation raises."])
def test_a_crash_has_the_hint_about_its_exception(words):
    fault = StudentRaised("It raised.", "a.py, line 3", "KeyError", "Print the keys.")
    problem = fault
    if words:
        problem = CheckFailed(words)
        problem.__cause__ = fault
    result = verdict(CHECK, problem)
    assert (result.hint, result.outcome) == ("Print the keys.", "raised")


def test_a_failure_is_shown_as_the_check_changed_it_and_takes_no_unknown_detail():
    problem = CheckFailed("Wrong.")
    problem.message, problem.hint = "Really wrong.", "Look again."
    result = verdict(CHECK, problem)
    assert (result.message, result.hint) == ("Really wrong.", "Look again.")
    with pytest.raises(TypeError, match="hnt"):
        Score().partial(0.5, "Half.", hnt="A misspelled keyword.")


SIGN = Mistake("sign", "The sign is wrong", "f(x) = x")
TWICE = Mistake("twice", "It is doubled", "f(x) = x")
X = np.array([1.0, 2.0, 3.0])
CANDIDATES = {SIGN: -X, TWICE: 2 * X}


def test_hint_names_mistake_and_equation_and_carries_the_mistake():
    assert SIGN.hint == "The sign is wrong (f(x) = x)."
    assert mistake_named(SIGN.hint) == "sign"
    assert mistake_named(f"{SIGN.hint} And more.") == ""
    assert mistake_named("The sign is wrong.") == ""


def test_only_match_names_one_mistake_or_none():
    assert only_match(-X, CANDIDATES, "rotation") is SIGN
    assert only_match(-X, {**CANDIDATES, TWICE: -X}, "rotation") is None
    assert only_match(X + 1, CANDIDATES, "rotation") is None


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("the sign is wrong", "The sign is wrong."),
        ("a sign", "A sign."),
        ("x and y are swapped.", "x and y are swapped."),
        ("y[i] = x[i + 1]", "y[i] = x[i + 1]."),
        ("`idx` is not used", "`idx` is not used."),
        ("handout: t = 0, 1, …", "Handout: t = 0, 1, …"),
        ("", "."),
    ],
)
def test_sentence_has_a_capital_and_one_full_stop(text, whole):
    assert sentence(text) == whole


@pytest.mark.parametrize(
    ("answer", "candidates", "found"),
    [
        (2 * X + 1e-6, CANDIDATES, TWICE),
        (-X, {TWICE: -X, SIGN: -X}, TWICE),  # the first of equal ones
        (X + 1, CANDIDATES, None),
        (-X[:2], CANDIDATES, None),
        (X * np.nan, {SIGN: X * np.nan}, None),
    ],
)
def test_first_match_is_the_mistake_whose_answer_it_is(answer, candidates, found):
    assert first_match(answer, candidates, "rotation") is found
