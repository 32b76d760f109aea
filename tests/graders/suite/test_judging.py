"""Whatever a suite's process replies, it is a verdict within the points, never a fault of ours."""

import math

import numpy as np
import pytest

from graders.checks.compare import CheckFailed, CheckSkipped
from graders.checks.score import Score
from graders.checks.verdict import verdict
from graders.model import Check
from graders.suite.judging import LONGEST, judge
from graders.suite.model import SuiteTest

TEST = SuiteTest("test_a", "A", "test_x", "It holds.", weight=4.0)
CHECK = Check("a-A-x", "It holds.", "a-A-x")
PASSED = {"outcome": "passed", "score": None, "output": "", "value": None}


def found(reply, test=TEST):
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
    assert (found(reply).status, found(reply).fraction) == ("failed", 0.0)


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
    assert found(PASSED | {"score": score}).fraction == fraction


def test_a_score_of_a_test_without_points_is_left():
    advice = SuiteTest("test_a", "A", "test_x", "It holds.")
    assert found(PASSED | {"score": 3}, advice).fraction == 1.0


def test_output_is_plain_and_short():
    said = found({"outcome": "failed", "output": "\x1b[2Jx\u202ey" + "z" * 9999}).message
    assert said.startswith("\N{REPLACEMENT CHARACTER}[2Jx\N{REPLACEMENT CHARACTER}y")
    assert len(said) < LONGEST + 5


@pytest.mark.parametrize("output", [None, 7, ["x"], np.zeros(2)], ids=repr)
def test_output_that_is_no_text_is_left(output):
    assert found({"outcome": "failed", "output": output}).message == "The test failed."
