"""What a student's own check can judge: visible criteria, with the course's files or without."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from graders.boundary.sandbox import Tier
from graders.contents import Contents, look_into
from graders.course_data import holds_data
from graders.model import Assignment, Criterion, Result
from graders.pipeline import Options
from graders.written.loading import ANSWERS


@dataclass(frozen=True, slots=True)
class Precheck:
    """How to grade for the student, and what that cannot say: the titles of other criteria."""

    options: Options
    not_judged: tuple[str, ...]
    wanted: tuple[Criterion, ...]

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
    wanted = tuple(
        criterion
        for criterion in assignment.rubric
        if criterion.visibility == "visible" and (only is None or criterion.id in only)
    )
    judged = frozenset(c.id for c in wanted if data is not None or c.kind != "metric")
    not_judged = tuple(c.title for c in wanted if c.id not in judged)
    return Precheck(Options(tier, data, judged), not_judged, wanted)


def missing_parts(assignment: Assignment, plan: Precheck, result: Result) -> dict[str, str]:
    """What is not in the upload, by name, each with a sentence for the student.

    A function is missed only where points were lost: code may do without, or name it otherwise.
    """
    contents = look_into(result.submission.path)
    kinds = {each.kind for each in plan.wanted if each.points or each.kind == "code"}
    missing: dict[str, str] = {}
    if "code" in kinds:
        missing |= _files(assignment, contents)
        lost = any(c.criterion.kind == "code" and c.status != "passed" for c in result.criteria)
        missing |= dict(_names(assignment, contents)) if lost and contents.code else {}
    if "metric" in kinds:
        missing |= {
            name: f"`{name}` is not there, and is to be handed in."
            for name in assignment.files.artifacts
            if name not in (*assignment.files.optional, *ANSWERS, *contents.files)
        }
    if "written" in kinds and contents.files.isdisjoint(ANSWERS):
        missing[ANSWERS[0]] = _no_answers(assignment)
    return missing


def _files(assignment: Assignment, contents: Contents) -> dict[str, str]:
    named = [name for name in assignment.files.code if "*" not in name]
    missing = {
        name: f"`{name}` is not there: your code is looked for in it."
        for name in named
        if name not in contents.files
    }
    if not named and assignment.files.code and not contents.code:
        missing["code"] = f"There is no code: no file {' or '.join(assignment.files.code)}."
    return missing


def _names(assignment: Assignment, contents: Contents) -> Iterator[tuple[str, str]]:
    for name in assignment.files.names:
        if not contents.defines(name):
            yield name, f"`{name}` is defined in none of your files."


def _no_answers(assignment: Assignment) -> str:
    return (
        f"There is no answers file: `softmark answers-template {assignment.name} --output "
        f"{ANSWERS[0]}` writes an empty one with every question."
    )
