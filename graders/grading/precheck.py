"""Prepare a student's own check: the visible criteria, with or without the course's files."""

import re
from dataclasses import dataclass, replace
from pathlib import Path

from graders.boundary.tiers.sandbox import Tier
from graders.data.course import holds_data
from graders.data.declared import differences, refuse_other_data
from graders.errors import GraderFault
from graders.grading.cache_key import ASKS_FOR_DATA
from graders.grading.options import Options
from graders.grading.uploaded_files import without_replaced
from graders.model import Assignment, Criterion, CriterionKind, Result
from graders.registry.check_files import collected
from graders.registry.contents import Contents, look_into, missing_files, required_artifacts
from graders.written.loading import ANSWERS


@dataclass(frozen=True, slots=True)
class Precheck:
    """How to grade for the student, and the titles of the criteria that are not graded."""

    options: Options
    not_graded: tuple[str, ...]
    criteria: tuple[Criterion, ...]

    def failed_to_grade(self, result: Result) -> bool:
        """Return whether something failed; a metric without its answers does not count."""
        return result.status == "rejected" or any(
            graded.status == "error" and graded.criterion.kind != "metric"
            for graded in result.criteria
        )


def visible_part(assignment: Assignment) -> Assignment:
    """Return the assignment as students see it, with only the visible criteria."""
    seen = tuple(criterion for criterion in assignment.rubric if criterion.visibility == "visible")
    return replace(assignment, rubric=seen)


def precheck_options(
    assignment: Assignment,
    upload: Path,
    tier: Tier,
    *,
    data: Path | None,
    only: frozenset[str] | None,
) -> Precheck:
    """Return how to grade the visible criteria here, and which ones are left out.

    If the course's files are in the folder that students work in, metrics are graded with them.
    Without these files, only metrics whose checks do not use `data` are graded.
    """
    refuse_other_data(assignment, data)
    beside = data is None and holds_data(assignment.data, upload)
    if beside and not any(differences(assignment, upload)):
        data = upload
    criteria = tuple(
        criterion
        for criterion in visible_part(assignment).rubric
        if only is None or criterion.id in only
    )
    waiting = _metrics_of_the_data(assignment) if data is None else frozenset[str]()
    judged = frozenset(c.id for c in criteria if c.id not in waiting)
    not_graded = tuple(c.title for c in criteria if c.id not in judged)
    return Precheck(Options(tier, data, judged), not_graded, criteria)


def _metrics_of_the_data(assignment: Assignment) -> frozenset[str]:
    """Return the metrics that need the course's files; all if the check files do not import."""
    metrics = frozenset(
        criterion.id for criterion in assignment.rubric if criterion.kind == "metric"
    )
    if not metrics:
        return metrics
    try:
        checks = collected(assignment)
    except GraderFault:  # grading says what is wrong
        return metrics
    asking = {check.check.criterion for check in checks if check.fixtures & ASKS_FOR_DATA}
    return metrics & asking


def missing_parts(assignment: Assignment, plan: Precheck, result: Result) -> dict[str, str]:
    """Return what the upload lacks, by name, each with a sentence for the student.

    A function counts as missing only if a failed check names it: code may work without it. A file
    counts as missing only if no other file is used as it, which a note on the Result says.
    """
    if result.status == "rejected":  # its content is unknown
        return {}
    contents = look_into(result.submission.path)
    kinds = {
        criterion.kind
        for criterion in plan.criteria
        if criterion.points or criterion.kind == "code"
    }
    found = frozenset(contents.artifacts(assignment.files))
    files = missing_files(assignment.files, kinds, contents.files, found)
    files = without_replaced(files, [result.environment.get("intake")])
    sentences = {name: _sentence(name, kind, assignment) for name, kind in files.items()}
    missing = {name: text for name, text in sentences.items() if files[name] == "code"}
    missing |= _names(assignment, contents, result) if "code" in kinds else {}
    missing |= sentences
    read = "written" in kinds and ANSWERS[0] not in missing
    expected = {*assignment.files.code, *required_artifacts(assignment.files), *ANSWERS}
    if not read and not contents.code and contents.files.isdisjoint(expected):
        folder = result.submission.path.name
        wrong = f"`{folder}` has no file of {assignment.name}: is this the right folder?"
        return {folder: wrong, **missing}
    return missing


def _names(assignment: Assignment, contents: Contents, result: Result) -> dict[str, str]:
    checks = (check for graded in result.criteria for check in graded.checks)
    messages = " ".join(check.message for check in checks if check.status == "failed")
    return {
        name: f"`{name}` is defined in none of your files."
        for name in assignment.files.names
        if re.search(rf"\b{re.escape(name)}\b", messages) and not contents.defines(name)
    }


def _sentence(name: str, kind: CriterionKind, assignment: Assignment) -> str:
    if kind == "written":
        return (
            f"The answers file `{name}` is missing. A template is included in your bundle, or "
            f"create one with `softmark answers-template {assignment.name}`."
        )
    if kind == "metric":
        return f"`{name}` is missing (required)."
    if "*" in name:
        return f"There is no code: no file {name}."
    return f"`{name}` is missing: your code is expected in it."
