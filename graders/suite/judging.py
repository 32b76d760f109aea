"""Turn the reply of a suite's process into a verdict; the reply is hostile input.

It can claim points of its own test up to the weight, and nothing else: neither more points nor
`error`, which would mean a fault of the grader.
"""

import math

from graders.boundary.outcome import clean
from graders.boundary.wire import Value
from graders.checks.compare import fail, skip
from graders.checks.score import Score
from graders.suite.model import SuiteTest

LONGEST = 4000  # characters of output that are shown to a student
OUTCOMES = ("passed", "failed", "error", "skipped")


def judge(test: SuiteTest, reply: Value, score: Score) -> None:
    """Judge one test as gradescope-utils would score it, between 0 and its weight."""
    outcome = reply.get("outcome") if isinstance(reply, dict) else None
    if not isinstance(reply, dict) or not isinstance(outcome, str) or outcome not in OUTCOMES:
        fail("Your code's process returned no usable result for this test.")
    passed, output = outcome == "passed", _shown(reply.get("output"))
    if test.hidden_errors and not passed:
        output = test.hidden_errors
    if outcome == "skipped":
        skip(f"The test was skipped, so it earns no points. {output}".strip())
    share = _share(test, reply.get("score"))
    if test.leaderboard and isinstance(value := reply.get("value"), str):
        score.note(f"{test.leaderboard}: {_shown(value)}")
    if share is not None:  # a score that was set counts, even if the test failed afterwards
        sentence = f"The test awarded {share * test.weight:g} of {test.weight:g} points."
        score.partial(share, output or (sentence if share < 1 else ""))
    elif not passed:
        fail(output or "The test failed.")
    elif output:
        score.note(output)


def _share(test: SuiteTest, score: Value) -> float | None:
    """Return the share of the weight that a test set itself; 0 if that is not a number."""
    if score is None or test.weight == 0:
        return None
    if isinstance(score, bool) or not isinstance(score, int | float):
        return 0.0
    if isinstance(score, float) and not math.isfinite(score):
        return 0.0
    held = min(max(score, 0.0), test.weight)  # clamp before dividing: an int may be too large
    return held / test.weight


def _shown(text: Value) -> str:
    """Return text without control characters; of a long one, the beginning and the end.

    What the code printed comes first, and the reason of a failure last.
    """
    if not isinstance(text, str):
        return ""
    text = text.replace("\r\n", "\n").expandtabs(4).strip()
    if len(text) > LONGEST:
        text = f"{text[: LONGEST // 2]}\n…\n{text[-LONGEST // 2 :]}"
    return clean(text, LONGEST + 3)
