"""What each item of the rubric tells: how hard it is, what it separates, how steady it is.

Each Result is looked at once and let go. Kept of it are three numbers an item: the share earned,
the rest of the score, the seconds.
"""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import nan

import numpy as np
from numpy.typing import NDArray

from graders.model import Check, Criterion, CriterionResult, Result

FEWEST = 3  # submissions of which a correlation says something
STEADY = 1e-9  # a spread below this is rounding
UNDECIDED = ("error", "needs_review")
# By criterion and check, "" for the criterion's own row: graded again, and judged differently.
Repeats = Mapping[tuple[str, str], tuple[int, int]]
Key = tuple[str, str]
Pairs = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ItemStatistics:
    """One line of the item analysis; `check` is None in the criterion's own line.

    `difficulty` is the mean share earned, 0 to 1: high is easy. `discrimination` is the item-total
    correlation corrected for overlap: Pearson's r of the item's share with the share earned of all
    *other* points (Ebel and Frisbie, Essentials of Educational Measurement, 5th ed., ch. 13; the
    correction is Henrysson's, Psychometrika 28, 1963). It is None with fewer than 3 submissions,
    or where either does not vary; `compared` counts the submissions that it is of.
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


@dataclass(slots=True)
class _Item:
    """What is kept of one item; `first` is the submission and the place that decide the order."""

    first: tuple[str, int, int]
    criterion: Criterion
    check: Check | None
    shares: "array[float]" = field(default_factory=lambda: array("d"))
    rests: "array[float]" = field(default_factory=lambda: array("d"))  # nan where there is no score
    seconds: "array[float]" = field(default_factory=lambda: array("f"))


class Items:
    """The items of a course, counted Result by Result."""

    def __init__(self) -> None:
        self._items: dict[Key, _Item] = {}
        self._memory = array("d")
        self._seconds = array("d")

    def add(self, result: Result) -> None:
        """Count a Result, which may be let go then; of a rejected one nothing was judged."""
        if result.status == "rejected":
            return
        self._seconds.append(result.seconds)
        resources = result.environment.get("resources")
        if isinstance(resources, Mapping):  # not where no process of the student's was needed
            self._memory.append(float(resources["peak_memory_bytes"]))
        for place, graded in enumerate(result.criteria):
            self._add_criterion((result.submission.id, place), graded, _rests(result, graded))

    def statistics(self, repeats: Repeats | None = None) -> tuple[ItemStatistics, ...]:
        """A line a criterion and, below it, one a check that was ever decided, as in the rubric.

        `repeats` is what the store counted of regradings.
        """
        known = sorted(self._items.items(), key=lambda each: each[1].first)
        own = [(key, item) for key, item in known if item.check is None]
        return tuple(
            _statistics(item, (repeats or {}).get(key, (0, 0)))
            for (criterion, _), head in own
            for key, item in (((criterion, ""), head), *_checks_of(criterion, known))
        )

    @property
    def median_memory_bytes(self) -> float | None:
        """The median of the submissions' peak memory; None where none was measured."""
        return _median(self._memory)

    @property
    def median_seconds(self) -> float | None:
        """The median of the seconds that a grading took; None without one."""
        return _median(self._seconds)

    def _add_criterion(
        self, where: tuple[str, int], graded: CriterionResult, rests: Iterator[float | None]
    ) -> None:
        item, share, rest = self._item((*where, -1), graded, None), _share(graded), next(rests)
        if share is not None:
            _count(item, share, rest, sum(found.seconds for found in graded.checks))
        for index, (found, rest) in enumerate(zip(graded.checks, rests, strict=True)):
            item = self._item((*where, index), graded, found.check)
            if found.status not in UNDECIDED or found.fraction:  # points to confirm are known
                _count(item, found.fraction, rest, found.seconds)

    def _item(
        self, first: tuple[str, int, int], graded: CriterionResult, check: Check | None
    ) -> _Item:
        """The item, whose place in the rubric the first submission by name decides."""
        key = (graded.criterion.id, check.id if check is not None else "")
        item = self._items.setdefault(key, _Item(first, graded.criterion, check))
        if first < item.first:
            item.first, item.criterion, item.check = first, graded.criterion, check
        return item


def _checks_of(criterion: str, known: Sequence[tuple[Key, _Item]]) -> Iterator[tuple[Key, _Item]]:
    return (each for each in known if each[0][0] == criterion and each[0][1] and each[1].shares)


def _count(item: _Item, share: float, rest: float | None, seconds: float) -> None:
    item.shares.append(share)
    item.rests.append(nan if rest is None else rest)
    item.seconds.append(seconds)


def _share(graded: CriterionResult) -> float | None:
    """The share of a criterion's points; of its checks, where it has none."""
    if graded.points is not None and graded.criterion.points > 0:
        return graded.points / graded.criterion.points
    total = sum(found.check.weight for found in graded.checks)
    if graded.points is None or total == 0:
        return None
    return sum(found.check.weight * found.fraction for found in graded.checks) / total


def _rests(result: Result, graded: CriterionResult) -> Iterator[float | None]:
    """The share earned of all points but the criterion's, then but each check's.

    None without a score, or without other points.
    """
    known = result.score is not None and graded.points is not None
    points = (result.score or 0.0) - (graded.points or 0.0)
    most = result.max_score - graded.criterion.maximum
    yield points / most if known and most > STEADY else None
    weights = [found.check.weight for found in graded.checks]
    worth = graded.criterion.points / (sum(weights) or 1.0)
    points += worth * sum(found.check.weight * found.fraction for found in graded.checks)
    most += worth * sum(weights)
    for found in graded.checks:
        own = worth * found.check.weight
        rest = most - own
        yield (points - own * found.fraction) / rest if known and rest > STEADY else None


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
    """Share and rest of the submissions that have both."""
    both = np.array([item.shares, item.rests])
    return both[:, ~np.isnan(both[1])]


def _correlation(both: Pairs) -> float | None:
    """Pearson's r of share and rest."""
    if both.shape[1] < FEWEST or np.ptp(both, axis=1).min() < STEADY:
        return None
    return float(np.corrcoef(*both)[0, 1])


def _median(values: Sequence[float]) -> float | None:
    return float(np.median(values)) if values else None
