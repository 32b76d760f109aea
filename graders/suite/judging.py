"""From what a suite's process says of a test to a verdict: hostile input, read with care.

It can claim points of its own test up to the weight, and nothing else: neither more points nor
`error`, which would be a fault of ours.
"""

import math

from graders.boundary.wire import Value
from graders.checks.compare import fail, skip
from graders.checks.score import Score
from graders.suite.model import SuiteTest

LONGEST = 4000  # characters of output that a student reads
OUTCOMES = ("passed", "failed", "error", "skipped")


def judge(test: SuiteTest, reply: Value, score: Score) -> None:
    """The verdict on one test, as gradescope-utils would score it, within 0 and its weight."""
    outcome = reply.get("outcome") if isinstance(reply, dict) else None
    if not isinstance(reply, dict) or not isinstance(outcome, str) or outcome not in OUTCOMES:
        fail("The process of your code said nothing usable of this test.")
    passed, output = outcome == "passed", _shown(reply.get("output"))
    if test.hidden_errors and not passed:
        output = test.hidden_errors
    if outcome == "skipped":
        skip(f"The test was skipped, which keeps its points and earns none. {output}".strip())
    share = _share(test, reply.get("score"))
    if test.leaderboard and isinstance(value := reply.get("value"), str):
        score.note(f"{test.leaderboard}: {_shown(value)}")
    if share is not None:  # a score that was set counts, also where the test failed afterwards
        given = f"The test gives {share * test.weight:g} of {test.weight:g} points."
        score.partial(share, output or (given if share < 1 else ""))
    elif not passed:
        fail(output or "The test failed.")
    elif output:
        score.note(output)


def _share(test: SuiteTest, score: Value) -> float | None:
    """The share of the weight that a test set itself; none of it where that is no number."""
    if score is None or test.weight == 0:
        return None
    if isinstance(score, bool) or not isinstance(score, int | float):
        return 0.0
    if isinstance(score, float) and not math.isfinite(score):
        return 0.0
    held = min(max(score, 0.0), test.weight)  # before it is divided: an int may be too large
    return held / test.weight


def _shown(text: Value) -> str:
    """Text without control characters, cut to a limit."""
    if not isinstance(text, str):
        return ""
    kept = "".join(
        each if each.isprintable() or each == "\n" else "\N{REPLACEMENT CHARACTER}"
        for each in text[:LONGEST].replace("\r\n", "\n").expandtabs(4)
    )
    return kept.strip() + (" …" if len(text) > LONGEST else "")
