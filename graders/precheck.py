"""What a student's own check can judge: visible criteria, with the course's files or without."""

from dataclasses import dataclass
from pathlib import Path

from graders.boundary.sandbox import Tier
from graders.course_data import holds_data
from graders.model import Assignment, Result
from graders.pipeline import Options


@dataclass(frozen=True, slots=True)
class Precheck:
    """How to grade for the student, and what that cannot say."""

    options: Options
    not_judged: tuple[str, ...]

    def failed_to_grade(self, result: Result) -> bool:
        """Whether something broke; a metric without its answers at hand is no such thing."""
        return result.status == "rejected" or any(
            criterion.status == "error" and criterion.criterion.kind != "metric"
            for criterion in result.criteria
        )


def precheck_options(
    assignment: Assignment,
    upload: Path,
    tier: Tier,
    *,
    data: Path | None,
    only: frozenset[str] | None,
) -> Precheck:
    """The visible criteria that can be judged here.

    The course's files lie in the folder that students work in: where they do, metrics are judged.
    """
    data = data or (upload if holds_data(assignment.data, upload) else None)
    wanted = [
        criterion
        for criterion in assignment.rubric
        if criterion.visibility == "visible" and (only is None or criterion.id in only)
    ]
    judged = frozenset(c.id for c in wanted if data is not None or c.kind != "metric")
    not_judged = tuple(
        f"{c.title}: give the folder with the course's files as `--data DIR`"
        for c in wanted
        if c.id not in judged
    )
    return Precheck(Options(tier, data, judged), not_judged)
