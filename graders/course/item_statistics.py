"""Compute item statistics of the rubric: difficulty, discrimination and reliability.

Each Result is read once and not kept. Three numbers per item are kept: the share earned, the rest
of the score, the seconds.
"""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graders.model import Check, Criterion, CriterionResult, Result

FEWEST = 3  # submissions for a meaningful correlation
STEADY = 1e-9  # a spread below this is rounding
UNJUDGED = ("error", "needs_review", "skipped")
# By criterion and check ("" for the criterion's own row): how often regraded, how often changed.
Repeats = Mapping[tuple[str, str], tuple[int, int]]
Key = tuple[str, str]
Pairs = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ItemStatistics:
    """One row of the item analysis; `check` is None in the criterion's own row.

    `graded` counts the submissions in which it was judged: neither undecided nor skipped.
    `difficulty` is the mean share earned, 0 to 1: high is easy. `discrimination` is the item-total
    correlation corrected for overlap: Pearson's r of the item's share with the share earned of all
    *other* points (Ebel and Frisbie, Essentials of Educational Measurement, 5th ed., ch. 13; the
    correction is Henrysson's, Psychometrika 28, 1963). It is None with fewer than 3 submissions,
    or if either does not vary; `compared` counts the submissions that it is based on.
    """

    criterion: Criterion
    check: Check | None
    graded: int
    compared: int
    difficulty: float | None
    discrimination: float | None
    repeated: int
    changed: int
    median_seconds: float | None


class ItemPlace(NamedTuple):
    """Where an item stands: in which submission, criterion and check; -1 for the criterion."""

    submission: str
    criterion: int
    check: int = -1


@dataclass(slots=True)
class _Item:
    """The kept data of one item; `first` is the place that determines its order."""

    first: ItemPlace
    criterion: Criterion
    check: Check | None
    shares: "array[float]" = field(default_factory=lambda: array("d"))
    rests: "array[float]" = field(default_factory=lambda: array("d"))  # nan if there is no score
    seconds: "array[float]" = field(default_factory=lambda: array("f"))


class Items:
    """The items of a course, counted Result by Result."""

    def __init__(self) -> None:
        self._items: dict[Key, _Item] = {}
        self._memory = array("d")
        self._seconds = array("d")

    def add(self, result: Result) -> None:
        """Count a Result, which need not be kept afterwards; a rejected one is ignored."""
        if result.status == "rejected":
            return
        self._seconds.append(result.seconds)
        resources = result.environment.get("resources")
        if isinstance(resources, Mapping):  # missing if no student process was needed
            self._memory.append(float(resources["peak_memory_bytes"]))
        for place, graded in enumerate(result.criteria):
            if not graded.is_excused:
                self._add_criterion(result, place, graded)

    def statistics(self, repeats: Repeats | None = None) -> tuple[ItemStatistics, ...]:
        """Return one row per criterion, each followed by its checks, in the rubric's order.

        `repeats` are the store's counts of regradings.
        """
        items = sorted(self._items.items(), key=lambda pair: pair[1].first)
        criteria = [(key, item) for key, item in items if item.check is None]
        return tuple(
            _statistics(item, (repeats or {}).get(key, (0, 0)))
            for (criterion, _), head in criteria
            for key, item in (((criterion, ""), head), *_checks_of(criterion, items))
        )

    @property
    def median_memory_bytes(self) -> float | None:
        """The median of the submissions' peak memory, or None if none was measured."""
        return _median(self._memory)

    @property
    def median_seconds(self) -> float | None:
        """The median grading time in seconds, or None if there is none."""
        return _median(self._seconds)

    def _add_criterion(self, result: Result, place: int, graded: CriterionResult) -> None:
        name, rests = result.submission.id, _rests(result, graded)
        item, share, rest = self._item(ItemPlace(name, place), graded), _share(graded), next(rests)
        if share is not None:
            _count(item, share, rest, sum(check.seconds for check in graded.checks))
        for index, (check, rest) in enumerate(zip(graded.checks, rests, strict=True)):
            item = self._item(ItemPlace(name, place, index), graded, check.check)
            if check.status not in UNJUDGED or check.fraction:  # points to confirm are known
                _count(item, check.fraction, rest, check.seconds)

    def _item(self, first: ItemPlace, graded: CriterionResult, check: Check | None = None) -> _Item:
        """Return the item; the first submission by name determines its place in the rubric."""
        key = (graded.criterion.id, check.id if check is not None else "")
        item = self._items.setdefault(key, _Item(first, graded.criterion, check))
        if first < item.first:
            item.first, item.criterion, item.check = first, graded.criterion, check
        return item


def _checks_of(criterion: str, items: Sequence[tuple[Key, _Item]]) -> Iterator[tuple[Key, _Item]]:
    return (pair for pair in items if pair[0][0] == criterion and pair[0][1] and pair[1].shares)


def _count(item: _Item, share: float, rest: float | None, seconds: float) -> None:
    item.shares.append(share)
    item.rests.append(nan if rest is None else rest)
    item.seconds.append(seconds)


def _share(graded: CriterionResult) -> float | None:
    """Return the share of a criterion's points, or of its checks if it has no points."""
    if graded.points is not None and graded.criterion.points > 0:
        return graded.points / graded.criterion.points
    total = sum(check.weight for check in graded.checks)
    if graded.points is None or total == 0 or graded.status == "skipped":
        return None
    return sum(check.weight * check.fraction for check in graded.checks) / total


def _rests(result: Result, graded: CriterionResult) -> Iterator[float | None]:
    """Yield the share earned of all points except the criterion's, then except each check's.

    It is None without a score, or without other points.
    """
    known = result.score is not None and graded.points is not None
    points = (result.score or 0.0) - (graded.points or 0.0)
    most = result.max_score - graded.criterion.maximum
    yield points / most if known and most > STEADY else None
    weights = [check.weight for check in graded.checks]
    worth = graded.criterion.points / (sum(weights) or 1.0)
    points += worth * sum(check.weight * check.fraction for check in graded.checks)
    most += worth * sum(weights)
    for check in graded.checks:
        check_points = worth * check.weight
        rest = most - check_points
        yield (points - check_points * check.fraction) / rest if known and rest > STEADY else None


def _statistics(item: _Item, repeats: tuple[int, int]) -> ItemStatistics:
    both = _compared(item)
    return ItemStatistics(
        criterion=item.criterion,
        check=item.check,
        graded=len(item.shares),
        compared=both.shape[1],
        difficulty=float(np.mean(item.shares)) if item.shares else None,
        discrimination=_correlation(both),
        repeated=repeats[0],
        changed=repeats[1],
        median_seconds=_median(item.seconds),
    )


def _compared(item: _Item) -> Pairs:
    """Return share and rest of the submissions that have both."""
    both = np.array([item.shares, item.rests])
    return both[:, ~np.isnan(both[1])]


def _correlation(both: Pairs) -> float | None:
    """Return Pearson's r of share and rest."""
    if both.shape[1] < FEWEST or np.ptp(both, axis=1).min() < STEADY:
        return None
    return float(np.corrcoef(*both)[0, 1])


def _median(values: Sequence[float]) -> float | None:
    return float(np.median(values)) if values else None
