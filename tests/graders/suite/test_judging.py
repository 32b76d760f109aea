"""Every reply of a suite's process is a verdict within the points, never our own fault."""

import math
from dataclasses import replace

import numpy as np
import pytest

from graders.checks.compare import CheckFailed, CheckSkipped
from graders.checks.score import Score
from graders.checks.verdict import verdict
from graders.errors import StudentRaised
from graders.model import Check
from graders.suite import checks
from graders.suite.judging import LONGEST, judge
from graders.suite.model import SuiteTest

TEST = SuiteTest("test_a", "A", "test_x", "It holds.", weight=4.0)
CHECK = Check("a-A-x", "It holds.", "a-A-x")


class Ends:
    """A process that raises what no test catches."""

    def ask(self, test, read):
        raise StudentRaised("Your code raised KeyboardInterrupt: asked for 42.")


PASSED = {"outcome": "passed", "score": None, "output": "", "value": None}


def verdict_on(reply, test=TEST):
    """What the check says of this reply."""
    score, problem = Score(), None
    try:
        judge(test, reply, score)
    except (CheckFailed, CheckSkipped) as error:
        problem = error
    return verdict(CHECK, problem, score)


@pytest.mark.parametrize(
    "reply",
    [
        None,
        [],
        {},
        {"outcome": None},
        {"outcome": ["passed"]},
        {"outcome": np.array(["passed", "passed"])},
        {"outcome": {"passed": 1}},
        {"outcome": "error "},
        np.zeros(3),
    ],
    ids=repr,
)
def test_what_is_no_reply_earns_nothing(reply):
    assert (verdict_on(reply).status, verdict_on(reply).fraction) == ("failed", 0.0)


@pytest.mark.parametrize(
    ("score", "fraction"),
    [
        (2, 0.5),
        (4.0, 1.0),
        (10**400, 1.0),
        (-(10**400), 0.0),
        (math.nan, 0.0),
        (math.inf, 0.0),
        (True, 0.0),
        ("4", 0.0),
        ([4], 0.0),
        (np.array([4.0, 4.0]), 0.0),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_a_score_stays_within_the_weight(score, fraction):
    assert verdict_on(PASSED | {"score": score}).fraction == fraction


def test_a_score_of_a_test_without_points_is_left():
    advice = SuiteTest("test_a", "A", "test_x", "It holds.")
    assert verdict_on(PASSED | {"score": 3}, advice).fraction == 1.0


@pytest.mark.parametrize("output", [None, 7, ["x"], np.zeros(2)], ids=repr)
def test_output_is_plain_and_short_and_what_is_no_text_is_left(output):
    message = verdict_on({"outcome": "failed", "output": "\x1b[2Jx\u202ey" + "z" * 9999}).message
    assert message.startswith("\N{REPLACEMENT CHARACTER}[2Jx\N{REPLACEMENT CHARACTER}y")
    assert len(message) < LONGEST + 5
    assert verdict_on({"outcome": "failed", "output": output}).message == "The test failed."


def test_the_reason_is_shown_after_a_long_output():
    message = verdict_on({"outcome": "failed", "output": "x" * 9999 + "\n3 != 4"}).message
    assert message.startswith("xxx")
    assert message.endswith("3 != 4")


@pytest.mark.parametrize("outcome", ["failed", "error", "skipped"])
def test_a_test_that_hides_errors_says_nothing_of_what_was_asked(outcome):
    shy = replace(TEST, hidden_errors="Look again.")
    message = verdict_on({"outcome": outcome, "output": "asked for 42"}, shy).message
    assert message.endswith("Look again.")
    assert "42" not in message


def test_a_process_that_ends_says_nothing_where_errors_are_hidden():
    """Its last words are the student's, who may put into them what was asked."""
    shy, loud = replace(TEST, hidden_errors="Look again."), TEST
    with pytest.raises(CheckFailed, match=r"^Look again\.$") as hidden:
        checks.test_suite(shy, Ends(), Score())
    assert verdict(CHECK, hidden.value, Score()).outcome == "raised"
    with pytest.raises(StudentRaised, match="asked for 42"):
        checks.test_suite(loud, Ends(), Score())
