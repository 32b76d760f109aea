"""Grade one submission in a workflow, and write what the workflow shows."""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from commands.options import Data, Isolation, Name, Only, existing
from graders.errors import UsageError
from graders.execution.isolation import choose_tier
from graders.grading.choices import choose_criteria, choose_options
from graders.grading.options import Options
from graders.grading.pipeline import grade_submission
from graders.grading.precheck import Precheck, missing_parts, precheck_options, visible_part
from graders.grading.secret import new_secret
from graders.model import Assignment, Result, Submission
from graders.registry.discovery import load_assignment
from graders.scoring import maximum, wanted_criteria
from graders.storage.files import remove_file
from graders.storage.result_json import write_text
from reports.exports.classroom50 import classroom50_text
from reports.exports.github import annotations, summary_text
from reports.exports.junit import junit_text
from reports.provisional import provisional_total
from reports.student.page import write_student_page
from submissions.finding import find
from submissions.listing import list_files
from submissions.receive import identify
from submissions.submission import Rejected

BELOW = 3  # the exit code for a graded submission with fewer points than required
VISIBLE = "Only the visible criteria are graded here, on public inputs. This is not your grade."
EVERYTHING = "This includes hidden criteria and is for staff only."
UNGRADED = "Not checked here because the course's files are not given: "

Upload = Annotated[Path, typer.Argument(help="A folder or an archive.")]
Summary = Annotated[Path | None, typer.Option(help="Add Markdown to the end of this file.")]
Junit = Annotated[Path | None, typer.Option(help="Write JUnit XML.")]
Classroom50 = Annotated[Path | None, typer.Option(help="Write classroom50/result/v1.")]
Pages = Annotated[Path | None, typer.Option(help="Write reports/ID.html into this folder.")]
Hidden = Annotated[bool, typer.Option("--hidden", help="Grade hidden criteria too (staff only).")]
Below = Annotated[str, typer.Option(metavar="POINTS|N%", help="Exit with code 3 below this score.")]


@dataclass(frozen=True, slots=True)
class Plan:
    """The options and notes of a grading; a student's own check also reports what is missing."""

    options: Options
    notes: tuple[str, ...]
    student: Precheck | None = None

    def failed_to_grade(self, result: Result) -> bool:
        """Return whether something could not be graded that should have been."""
        if self.student is not None:
            return self.student.failed_to_grade(result)
        return result.status in ("incomplete", "rejected")

    def sentences(self, task: Assignment, result: Result) -> tuple[str, ...]:
        """Return the sentences that the summary shows in addition to the Result."""
        if self.student is None or result.status == "rejected":
            return self.notes
        return (*self.notes, *missing_parts(task, self.student, result).values())


@dataclass(frozen=True, slots=True)
class Files:
    """The files that a workflow requested."""

    summary: Path | None
    junit: Path | None
    classroom50: Path | None
    pages: Path | None


def ci(
    assignment: Name,
    submission: Upload = Path(),
    summary: Summary = None,
    junit: Junit = None,
    classroom50: Classroom50 = None,
    pages: Pages = None,
    hidden: Hidden = False,
    fail_below: Below = "",
    data: Data = None,
    only: Only = "",
    isolation: Isolation = "auto",
) -> None:
    """Grade one submission in a workflow: annotations on stdout, the rest into files."""
    task = load_assignment(assignment)
    upload = identify(existing(submission), task.name)
    if hidden:
        plan = _for_staff(choose_options(task, data=data, only=only, isolation=isolation))
    else:
        plan = _for_student(task, upload, isolation, data=data, only=only)
    most = maximum(wanted_criteria(task, plan.options.only))
    needed = _points_needed(fail_below, most)
    result = grade_submission(upload, task, plan.options)
    _write(result, plan.sentences(task, result), Files(summary, junit, classroom50, pages))
    for command in annotations(result, _files_of(upload.path, task)):
        typer.echo(command)
    raise typer.Exit(int(plan.failed_to_grade(result)) or _below(result, needed))


def _for_student(
    task: Assignment, upload: Submission, isolation: str, *, data: Path | None, only: str
) -> Plan:
    """Return a plan with the visible criteria and public inputs."""
    tier, criteria = choose_tier(isolation), choose_criteria(visible_part(task), only)
    plan = precheck_options(task, upload.path, tier, data=data, only=criteria)
    ungraded = (UNGRADED + ", ".join(plan.not_graded) + ".",) if plan.not_graded else ()
    return Plan(plan.options, (VISIBLE, *ungraded), plan)


def _for_staff(options: Options) -> Plan:
    return Plan(replace(options, inputs_seed=new_secret()), (EVERYTHING,))


def _points_needed(text: str, most: float) -> float:
    """Return the points that `12` or `60%` means.

    Raises UsageError if it is invalid or too many.
    """
    if not text:
        return 0.0
    if not most:  # the step would pass, whatever is submitted
        raise UsageError(
            f"--fail-below {text}: nothing is graded here", "see --only, --data, --hidden"
        )
    try:
        points = float(text.removesuffix("%")) * (most / 100 if text.endswith("%") else 1)
    except ValueError:
        points = -1.0
    if 0 <= points <= most:
        return round(points, 2)
    raise UsageError(
        f"--fail-below {text}: not points (0 to {most:g}) or a percentage", "write `12` or `60%`"
    )


def _below(result: Result, needed: float) -> int:
    """Return 3 if the points are too few even if all undecided ones are earned."""
    points = provisional_total(result.criteria)
    return BELOW if round(points.earned + points.waiting, 2) < needed else 0


def _write(result: Result, notes: tuple[str, ...], files: Files) -> None:
    if files.summary is not None:
        _append(files.summary, summary_text(result, notes))
    if files.junit is not None:
        write_text(files.junit, junit_text([result]))
    if files.classroom50 is not None:
        _write_classroom50(files.classroom50, classroom50_text(result))
    if files.pages is not None:
        write_student_page(result, files.pages)


def _write_classroom50(file: Path, text: str) -> None:
    """Write the file, or delete that of an earlier run if there is no total."""
    if text:
        write_text(file, text)
    else:
        remove_file(file)


def _append(path: Path, text: str) -> None:
    """Append the text to the file that GitHub has created.

    The step may have written to it before.
    """
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UsageError(
            f"{path}: cannot be written: {reason}", "give another --summary"
        ) from error


def _files_of(upload: Path, task: Assignment) -> dict[str, str]:
    """Map the names of the student's files in tracebacks to their paths in the repository."""
    try:
        files = list_files(upload).files if upload.is_dir() else {}
    except Rejected:
        return {}
    code = find(files, task.files.code, (), whole=task.files.whole).code
    paths = [] if code is None else [path for path in files if path.is_relative_to(code)]
    top = Path(os.path.relpath(upload.resolve()))
    if code is None or ".." in top.parts:  # not in the repository
        return {}
    return {str(path.relative_to(code)): (top / path).as_posix() for path in paths}
