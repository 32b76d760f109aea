"""Apply the points that staff changed by hand to a Result.

    machine's points ── newest adjustment of the criterion ── points ── score, grade, exports

The newest adjustment of a submission's criterion counts, and after `undo` none does. It applies to
the upload that it was made for, however that is graded again; a new upload is graded without it.
An excuse is about the student and applies to all uploads.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from graders import scoring
from graders.model import AdjustAction, Adjusted, CheckStatus, CriterionResult, Result


@dataclass(frozen=True, slots=True)
class Adjustment:
    """One person's change of one criterion; it never changes once it is stored.

    `upload` is the SHA-256 of the upload, `machine` are the points that the person saw, and `seen`
    is the number of the newest adjustment of this criterion that the person knew.
    """

    submission: str
    criterion: str
    upload: str
    reviewer: str
    action: AdjustAction
    points: float | None = None
    machine: float | None = None
    comment: str = ""
    seen: int = 0
    number: int = 0
    made_at: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """What it is about; the newest with this key counts."""
        return self.submission, self.criterion

    @property
    def content(self) -> tuple[object, ...]:
        """A key that is equal if the same person repeats an adjustment."""
        return *self.key, self.upload, self.reviewer, self.action, self.points, self.comment

    def applies_to(self, upload: str) -> bool:
        """Return whether it changes the points of this upload while it is the newest."""
        return self.action == "excuse" or (self.action != "undo" and self.upload == upload)


def adjusted(result: Result, rows: Iterable[Adjustment]) -> Result:
    """Return the Result with its adjustments, which are sorted by number, and updated totals."""
    newest = {row.criterion: row for row in rows}
    if not newest or result.status == "rejected":
        return result
    criteria = tuple(_criterion(criterion, newest, result) for criterion in result.criteria)
    if all(new is old for new, old in zip(criteria, result.criteria, strict=True)):
        return result
    return replace(
        result,
        criteria=criteria,
        status=scoring.result_status(criteria),
        score=scoring.total(criteria),
        max_score=scoring.maximum(graded.criterion for graded in criteria),
    )


def _criterion(
    graded: CriterionResult, newest: dict[str, Adjustment], result: Result
) -> CriterionResult:
    declared, by = graded.criterion, newest.get(graded.criterion.id)
    if by is None or not by.applies_to(result.submission.sha256):
        return graded
    said = Adjusted(by.action, graded.points, declared.points, by.comment, by.reviewer, by.machine)
    if by.action == "excuse":
        none = replace(declared, points=0.0)
        return replace(graded, criterion=none, status="skipped", points=0.0, adjusted=said)
    # A rubric whose points were lowered since limits what was given before.
    points = declared.points if by.points is None else min(by.points, declared.points)
    return replace(graded, status=_status(points, declared.points), points=points, adjusted=said)


def _status(points: float, most: float) -> CheckStatus:
    if points == most:
        return "passed"
    return "partial" if points > 0 else "failed"
