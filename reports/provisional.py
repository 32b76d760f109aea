"""Compute the points that are certain while some checks are undecided."""

from collections.abc import Iterable
from dataclasses import dataclass

from graders.model import CriterionResult, Result


@dataclass(frozen=True, slots=True)
class Provisional:
    """Points that are certain, and points that may still be earned."""

    earned: float
    waiting: float

    def __add__(self, other: "Provisional") -> "Provisional":
        return Provisional(self.earned + other.earned, self.waiting + other.waiting)


def provisional(graded: CriterionResult) -> Provisional:
    """Return the points of a criterion's decided checks, and the possible points of the others."""
    criterion, checks = graded.criterion, graded.checks
    if graded.points is not None:
        return Provisional(graded.points, 0.0)
    total = sum(check.weight for check in checks)
    if not total:
        return Provisional(0.0, criterion.points)
    waiting_for = ("needs_review", "error")
    open_ = [check for check in checks if check.status in waiting_for and check.fraction == 0]
    share = criterion.points / total
    earned = sum(check.weight * check.fraction for check in checks if check not in open_)
    waiting = sum(check.weight for check in open_)
    return Provisional(round(share * earned, 2), round(share * waiting, 2))


def provisional_total(criteria: Iterable[CriterionResult]) -> Provisional:
    """Return the provisional points of several criteria together."""
    return sum(map(provisional, criteria), Provisional(0.0, 0.0))


def so_far(result: Result) -> float | None:
    """Return the certain points of a submission, or None if part of it could not be graded."""
    if result.status in ("rejected", "incomplete"):
        return None
    return round(provisional_total(result.criteria).earned, 2)
