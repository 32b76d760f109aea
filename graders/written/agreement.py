"""Measure how well people who grade the same answers agree, for each rubric item.

decisions ── independent readings of each answer ── alpha, its interval, disagreements
         └─ order and time of each person's decisions ── drift, seconds
"""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations, pairwise
from statistics import median

import numpy as np

from graders.written.decisions import Decision

POINTS = ""  # as a line: the points of the whole answer
RESAMPLES, LEVEL = 1000, 0.95
PAUSE = 600  # seconds; a longer time between two decisions is a break
FEWEST = 10  # decisions from which a drift is computed
Answer = tuple[str, str, str]  # submission, check, hash of the text
Unit = Sequence[float]  # the values that several people gave one answer


@dataclass(frozen=True, slots=True)
class LineAgreement:
    """The agreement on one line of a rubric, or on the points of the whole answer (`line` "").

    `alpha` is None, that is, undefined, if fewer than two answers were read twice, or if all values
    are the same. `low` and `high` are the bounds of its 95% interval. `confusion` counts
    pairs of readings: both ticked the line, one did, none did.
    """

    check: str
    line: str
    answers: int
    alpha: float | None
    low: float | None
    high: float | None
    confusion: tuple[int, int, int]
    disagreements: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Pace:
    """One person's decisions on one question, in the order in which they were made.

    `drift` is Kendall's tau between the order and the points, with its p-value: below 0, later
    answers got fewer points. It is None with fewer than ten decisions, or if all points are equal.
    """

    check: str
    reviewer: str
    decisions: int
    seconds: float | None  # the median between two decisions, without breaks
    drift: float | None
    p_value: float | None


def agreements(rows: Sequence[Decision]) -> list[LineAgreement]:
    """Return the agreement on the points and on each line of every question read twice."""
    results = []
    for check, answers in sorted(_readings(rows).items()):
        twice = {key: decisions for key, decisions in answers.items() if len(decisions) > 1}
        if not twice:
            continue
        results.append(_line(check, POINTS, twice, lambda decision: decision.earned, _squared))
        lines = dict.fromkeys(
            item.text for decisions in twice.values() for item in decisions[0].items
        )
        for line in lines:
            with_line = {
                key: decisions
                for key, decisions in twice.items()
                if all(line in _ticks(d) for d in decisions)
            }
            ticked = lambda decision, line=line: float(_ticks(decision)[line])  # noqa: E731
            results.append(_line(check, line, with_line, ticked, _different))
    return results


def paces(rows: Sequence[Decision]) -> list[Pace]:
    """Return the time and the drift of each person's decisions on each question."""
    by_person: dict[tuple[str, str], list[Decision]] = defaultdict(list)
    for decision in live(rows):
        by_person[decision.check, decision.reviewer].append(decision)
    return [_pace(*key, decisions) for key, decisions in sorted(by_person.items())]


def live(rows: Sequence[Decision]) -> list[Decision]:
    """Return the decisions that are not undone, in order."""
    undone = {row.undoes for row in rows}
    return [row for row in rows if not row.undoes and row.number not in undone]


def krippendorff(units: Sequence[Unit], distance: Callable[[float, float], float]) -> float | None:
    """Return Krippendorff's alpha = 1 - D_o / D_e, from the values of each unit.

    D_o is the mean distance of two values of one unit, D_e that of any two values (Krippendorff,
    Content Analysis, 2nd ed., ch. 11.3). Units with one value do not count. None if D_e is 0.
    """
    counts = [Counter(unit) for unit in units if len(unit) > 1]
    total = sum(counts, Counter[float]())
    size = total.total()
    expected = _mean(total, distance) if size > 1 else 0.0
    if not expected:
        return None
    observed = sum(count.total() * _mean(count, distance) for count in counts) / size
    return 1 - observed / expected


def _mean(counts: Counter[float], distance: Callable[[float, float], float]) -> float:
    """Return the mean distance between two of these values."""
    pairs = counts.total() * (counts.total() - 1)
    sums = sum(n * m * distance(a, b) for a, n in counts.items() for b, m in counts.items())
    return sums / pairs


def _different(one: float, other: float) -> float:
    return float(one != other)


def _squared(one: float, other: float) -> float:
    return (one - other) ** 2


def _readings(rows: Sequence[Decision]) -> Mapping[str, Mapping[Answer, list[Decision]]]:
    """Return the independent decisions on each answer, at most one per person, by question.

    A decision is not independent if its author had seen an earlier one on the same answer.
    """
    readings: dict[str, dict[Answer, list[Decision]]] = defaultdict(lambda: defaultdict(list))
    for decision in live(rows):
        earlier = readings[decision.check][decision.submission, decision.check, decision.answer]
        if decision.reviewer in (other.reviewer for other in earlier):
            continue
        if all(decision.seen < other.number for other in earlier):
            earlier.append(decision)
    return readings


def _ticks(decision: Decision) -> Mapping[str, bool]:
    return {item.text: item.ticked for item in decision.items}


def _line(
    check: str,
    line: str,
    readings: Mapping[Answer, Sequence[Decision]],
    value: Callable[[Decision], float],
    distance: Callable[[float, float], float],
) -> LineAgreement:
    units = {
        key: [value(decision) for decision in decisions] for key, decisions in readings.items()
    }
    low, high = _interval(list(units.values()), distance)
    differing = tuple(key for key, unit in units.items() if len(set(unit)) > 1)
    alpha = krippendorff(list(units.values()), distance) if len(units) > 1 else None
    return LineAgreement(
        check, line, len(units), alpha, low, high, _confusion(units.values()), differing
    )


def _confusion(units: Iterable[Unit]) -> tuple[int, int, int]:
    """Return the number of pairs of readings in which both, one or neither is above 0."""
    counts = Counter(
        bool(one) + bool(other) for unit in units for one, other in combinations(unit, 2)
    )
    return counts[2], counts[1], counts[0]


def _interval(
    units: Sequence[Unit], distance: Callable[[float, float], float]
) -> tuple[float, float] | tuple[None, None]:
    """Return the percentile interval of alpha over resampled answers (Efron and Tibshirani)."""
    rng = random.Random(0)  # noqa: S311  the same table at every call
    drawn = (krippendorff(rng.choices(units, k=len(units)), distance) for _ in range(RESAMPLES))
    alphas = [alpha for alpha in drawn if alpha is not None] if len(units) > 1 else []
    if not alphas:
        return None, None
    low, high = np.quantile(alphas, ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    return float(low), float(high)


def _pace(check: str, reviewer: str, decisions: Sequence[Decision]) -> Pace:
    from scipy.stats import (  # type: ignore[import-untyped]  # slow to import; it ships no stubs
        kendalltau,
    )

    times = [datetime.fromisoformat(decision.decided_at) for decision in decisions]
    gaps = [(b - a).total_seconds() for a, b in pairwise(times)]
    worked = [gap for gap in gaps if 0 < gap <= PAUSE]
    earned = [decision.earned for decision in decisions]
    drift, p_value = (None, None)
    if len(decisions) >= FEWEST and len(set(earned)) > 1:
        drift, p_value = map(float, kendalltau(range(len(decisions)), earned))
    return Pace(check, reviewer, len(decisions), median(worked) if worked else None, drift, p_value)
