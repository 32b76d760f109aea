"""What is certain of points that are not all decided: some checks wait for a person or for us."""

from collections.abc import Iterable
from dataclasses import dataclass

from graders.model import CriterionResult, Result


@dataclass(frozen=True, slots=True)
class Provisional:
    """Points earned for certain, and points that may still come."""

    earned: float
    waiting: float

    def __add__(self, other: "Provisional") -> "Provisional":
        return Provisional(self.earned + other.earned, self.waiting + other.waiting)


def provisional(graded: CriterionResult) -> Provisional:
    """What one criterion's decided checks earn, and what the others can."""
    criterion, checks = graded.criterion, graded.checks
    if graded.points is not None:
        return Provisional(graded.points, 0.0)
    total = sum(each.check.weight for each in checks)
    if not total:
        return Provisional(0.0, criterion.points)
    waiting_for = ("needs_review", "error")
    open_ = [each for each in checks if each.status in waiting_for and each.fraction == 0]
    share = criterion.points / total
    earned = sum(each.check.weight * each.fraction for each in checks if each not in open_)
    waiting = sum(each.check.weight for each in open_)
    return Provisional(round(share * earned, 2), round(share * waiting, 2))


def provisional_total(criteria: Iterable[CriterionResult]) -> Provisional:
    """The same of several criteria together."""
    return sum(map(provisional, criteria), Provisional(0.0, 0.0))


def so_far(result: Result) -> float | None:
    """The points of a submission that are certain; None where we failed to grade some of it."""
    if result.status in ("rejected", "incomplete"):
        return None
    return round(provisional_total(result.criteria).earned, 2)
