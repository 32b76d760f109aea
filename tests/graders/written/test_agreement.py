from datetime import UTC, datetime, timedelta

import pytest

from graders.written.agreement import agreements, krippendorff, paces
from graders.written.decisions import Decision, JudgedItem

START = datetime(2026, 3, 1, tzinfo=UTC)
# The example of Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), section C.
OBSERVERS = """
1 2 3 3 2 1 4 1 2 . . .
1 2 3 3 2 2 4 1 2 5 . 3
. 3 3 3 2 3 4 2 2 5 1 .
1 2 3 3 2 4 4 1 2 5 1 ."""


def decision(number, answer, reviewer, ticks=(True, False), *, seen=0, undoes=0, at=None):
    items = tuple(JudgedItem(f"line {n}", 1.0, tick) for n, tick in enumerate(ticks, 1))
    moment = (START + timedelta(seconds=20 * number if at is None else at)).isoformat()
    return Decision(
        answer, "1b/review", "hash", reviewer, 2.0, items,
        seen=seen,
        undoes=undoes,
        number=number,
        decided_at=moment,
    )  # fmt: skip


def readings(*pairs):
    """What two people ticked of each answer, none of whom saw the other's decision."""
    rows = []
    for n, pair in enumerate(pairs):
        for reviewer, ticks in zip("RS", pair, strict=True):
            rows.append(decision(len(rows) + 1, f"answer {n}", reviewer, ticks))
    return rows


def test_alpha_is_that_of_the_published_example():
    rows = [line.split() for line in OBSERVERS.strip().split("\n")]
    units = [[float(v) for v in unit if v != "."] for unit in zip(*rows, strict=True)]
    assert krippendorff(units, lambda a, b: float(a != b)) == pytest.approx(0.743, abs=5e-4)
    assert krippendorff(units, lambda a, b: (a - b) ** 2) == pytest.approx(0.849, abs=5e-4)
    assert krippendorff([[1.0], [2.0]], lambda a, b: float(a != b)) is None
    assert krippendorff([[1.0, 1.0], [1.0]], lambda a, b: float(a != b)) is None


def test_lines_and_points_are_compared_and_differing_answers_are_named():
    both, none, first = (True, True), (False, False), (True, False)
    points, one, two = agreements(
        readings((both, both), (none, none), (both, first), (first, first))
    )
    assert (points.line, one.line, two.line) == ("", "line 1", "line 2")
    assert (one.alpha, one.confusion, one.disagreements) == (1.0, (3, 0, 1), ())
    assert two.confusion == (1, 1, 2)
    assert [key[0] for key in two.disagreements] == ["answer 2"]
    assert points.disagreements == two.disagreements
    assert two.low <= two.alpha < 1 <= points.answers


def test_only_decisions_made_without_seeing_the_other_one_are_readings():
    rows = [decision(1, "a", "R"), decision(2, "a", "S", (False, False), seen=1)]
    assert agreements(rows) == []
    rows.append(decision(3, "a", "T", (False, False)))
    (points, *_) = agreements(rows)
    assert (points.answers, points.alpha, len(points.disagreements)) == (1, None, 1)
    rows.append(decision(4, "a", "T", undoes=3))
    assert agreements(rows) == []
    assert agreements([decision(1, "a", "R"), decision(2, "a", "R", (False, False))]) == []


def test_pace_skips_breaks_and_a_strict_end_shows_as_drift():
    ticks = [(True, True)] * 8 + [(False, False)] * 8
    rows = [decision(n, f"answer {n}", "R", tick, at=30 * n) for n, tick in enumerate(ticks, 1)]
    rows.append(decision(17, "late", "R", (False, False), at=90_000))
    (pace,) = paces(rows)
    assert (pace.decisions, pace.seconds) == (17, 30.0)
    assert pace.drift < -0.5
    assert pace.p_value < 0.01
    (few,) = paces(rows[:4])
    assert (few.drift, few.p_value) == (None, None)
