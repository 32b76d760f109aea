"""Turn check results into points."""

from collections.abc import Iterable, Sequence

from graders.model import (
    Assignment,
    CheckResult,
    CheckStatus,
    Criterion,
    CriterionResult,
    ResultStatus,
)

CENT = 0.01  # points are rounded to this


def criterion_points(criterion: Criterion, results: Sequence[CheckResult]) -> float | None:
    """Return the points earned; a criterion's checks share its points by weight.

    Return None while one of them could not be graded or needs manual grading: a check that did not
    run never counts as zero and never shrinks the maximum. In a criterion worth 0 points, manual
    grading blocks nothing. Points that a person only has to confirm count until then.
    """
    if not results or any(_is_open(criterion, result) for result in results):
        return None
    total = sum(r.weight for r in results)
    if total == 0:
        return 0.0
    if all(r.fraction == 1.0 for r in results if r.weight > 0):
        return criterion.points
    earned = sum(r.weight * r.fraction for r in results)
    # Rounded to full points, a missed threshold would read "partial credit, 4 of 4".
    return max(0.0, min(round(criterion.points * earned / total, 2), criterion.points - CENT))


def _is_open(criterion: Criterion, check: CheckResult) -> bool:
    """Return True if the points of a check are not known yet, not even provisionally."""
    if check.status == "needs_review":
        return criterion.points > 0 and check.fraction == 0
    return check.status == "error"


def points_lost(graded: CriterionResult, checks: Iterable[CheckResult]) -> float:
    """Return the points that these checks of a criterion cost; 0 if no number would be true.

    What several checks cost adds up, except for rounding. Checks cost nothing while they are
    undecided, or if they are extra credit, and a person's points do not depend on them.
    """
    criterion, total = graded.criterion, sum(check.weight for check in graded.checks)
    if graded.adjusted or criterion.extra_credit or total == 0:
        return 0.0
    decided = (check for check in checks if not _is_open(criterion, check))
    lost = criterion.points * sum(c.weight * (1 - c.fraction) for c in decided) / total
    return max(round(lost, 2), CENT) if lost > 0 else 0.0


def certain_loss(result: CriterionResult) -> float:
    """Return the points that are certainly lost; manual grading may still award others."""
    if result.points is not None:
        return result.criterion.points - result.points
    total = sum(check.weight for check in result.checks) or 1.0
    decided = (check for check in result.checks if check.status not in ("needs_review", "error"))
    lost = sum(check.weight * (1 - check.fraction) for check in decided)
    return result.criterion.points * lost / total


def criterion_status(criterion: Criterion, results: Sequence[CheckResult]) -> CheckStatus:
    """Return the status of a whole criterion: the most serious one among its checks.

    A criterion worth 0 points fails if any check does not pass; it is never `partial`. In others,
    checks of weight 0 are advice: they neither earn partial credit nor take it away.
    """
    statuses = {r.status for r in results}
    if not results or "error" in statuses:
        return "error"
    if "needs_review" in statuses:
        return "needs_review"
    if statuses == {"passed"}:
        return "passed"
    if statuses == {"skipped"}:
        return "skipped"
    fractions = {r.fraction for r in results if criterion.points > 0 and r.weight > 0}
    if fractions == {1.0}:
        return "passed"
    return "partial" if fractions - {0.0} else "failed"


def criterion_result(criterion: Criterion, results: Sequence[CheckResult]) -> CriterionResult:
    """Return a criterion with the checks that belong to it."""
    own = tuple(r for r in results if r.check.criterion == criterion.id)
    return CriterionResult(
        criterion, criterion_status(criterion, own), criterion_points(criterion, own), own
    )


def result_status(criteria: Sequence[CriterionResult]) -> ResultStatus:
    """Return `graded` only if no check waits for a person, even in criteria worth 0 points."""
    statuses = {c.status for c in criteria}
    if "error" in statuses:
        return "incomplete"
    return "needs_review" if "needs_review" in statuses else "graded"


def total(criteria: Sequence[CriterionResult]) -> float | None:
    """Return the sum of all criteria, or None while one of them is undecided."""
    points = [c.points for c in criteria]
    if any(p is None for p in points):
        return None
    return round(sum(p for p in points if p is not None), 2)


def maximum(criteria: Iterable[Criterion]) -> float:
    """Return the maximum score, without extra credit."""
    return sum(criterion.maximum for criterion in criteria)


def wanted_criteria(assignment: Assignment, only: frozenset[str] | None) -> tuple[Criterion, ...]:
    """Return the rubric, or the requested part of it."""
    return tuple(c for c in assignment.rubric if only is None or c.id in only)
