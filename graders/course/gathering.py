"""Gather the submissions of a batch from a folder of uploads or another system's export."""

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar, get_args

from graders.course.final_grades import seconds_late
from graders.errors import UsageError
from graders.grading_policy import Lateness
from graders.model import Assignment
from submissions.archives.archive import SUFFIXES, unpack
from submissions.escaping import counted
from submissions.finding import is_copy_like
from submissions.imports import (
    IN_WORDS,
    Attempts,
    Gathered,
    GatherRequest,
    Layout,
    WrongExport,
    gather,
)
from submissions.limits import MIB, UNPACK_LIMITS
from submissions.receive import collect
from submissions.submission import Rejected

Choice = TypeVar("Choice", Layout, Attempts)
LAYOUTS: tuple[Layout, ...] = get_args(Layout)
ATTEMPTS: tuple[Attempts, ...] = get_args(Attempts)
A_COURSE = 3  # this many folders with the same required file are not one student's submission
RECEIVED = "received"  # in DIR: uploads that had to be unpacked or combined
OF_A_COURSE = replace(
    UNPACK_LIMITS,
    upload_bytes=65_536 * MIB,
    total_bytes=65_536 * MIB,
    max_entries=1_000_000,
    max_files=1_000_000,
)
NO_DUE = "`[grading]` has a late penalty, but the assignment has no `due`: nothing is late"


def gathered(
    folder: Path, task: Assignment, out: Path, *, layout: str = "auto", attempts: str = "last"
) -> Gathered:
    """Return the submissions in a folder or export; raises UsageError if it has another layout."""
    request = GatherRequest(
        task.name,
        (*task.files.code, *task.files.artifacts),
        out / RECEIVED,
        _chosen("--from", layout, LAYOUTS),
        _chosen("--attempts", attempts, ATTEMPTS),
    )
    try:
        place = _opened(folder, out / RECEIVED)
        course = gather(place, request)
    except WrongExport as error:
        raise UsageError(str(error), error.remedy) from error
    if not course.submissions:
        raise UsageError(
            f"{folder} contains no submissions", "add one folder or archive per student"
        )
    if task.due is None and task.grading.lateness.percent:
        course = replace(course, notes=(*course.notes, NO_DUE))
    if course.layout != "folders":
        return course
    if layout == "auto" and _is_one_submission(place, request.files):
        raise UsageError(
            f"{folder} is itself a submission, not a folder of submissions",
            "use `run` for one submission; `--from folders` grades each folder in it by itself",
        )
    for submission in course.submissions:
        refuse_course(submission.path, task)
    if task.due is None:
        return course
    return _doubting_times(course, task) if folder.is_dir() else _without_times(course)


def refuse_course(folder: Path, task: Assignment) -> None:
    """Raise UsageError for a folder of submissions, which would be graded as a single one."""
    inside = collect(folder) if folder.is_dir() else []
    for name in (*task.files.code, *task.files.artifacts):
        count = sum(_has(path, (name,)) for path in inside)
        if count >= A_COURSE:
            raise UsageError(
                f"{folder} is not one submission: {count} folders in it contain `{name}`",
                "use `batch` with that folder to grade each of them by itself",
            )


def in_words(imported: Gathered, *, remedy: str = "") -> tuple[str, ...]:
    """Return sentences that tell staff how the submissions were read, and how else they can be."""
    read_as = IN_WORDS.get(imported.layout)
    many = counted(len(imported.submissions), "submission")
    taken = f"read as {read_as}: {many}{remedy}"
    return (*([taken] if read_as else []), *imported.notes)


def _is_one_submission(folder: Path, files: Sequence[str]) -> bool:
    """Return True if the folder or its `src` has the wanted files, and no child is an upload."""
    inside = [
        path for path in collect(folder) if path.name != "src" and not is_copy_like(path.name)
    ]
    archives = any(path.name.casefold().endswith(SUFFIXES) for path in inside)
    return _has(folder, files) and not archives and not any(_has(path, files) for path in inside)


def _has(folder: Path, files: Sequence[str]) -> bool:
    return any((folder / place / name).is_file() for place in ("", "src") for name in files)


def _without_times(imported: Gathered) -> Gathered:
    """Remove submission times: files unpacked just now have the time of unpacking."""
    timeless = tuple(replace(submission, submitted_at=None) for submission in imported.submissions)
    note = "the archive has no submission times, so nobody is marked late"
    return replace(imported, submissions=timeless, notes=(*imported.notes, note))


def _doubting_times(imported: Gathered, task: Assignment) -> Gathered:
    """Add a note on submissions that would lose points because of their files' times."""
    lateness = task.grading.lateness
    if lateness == Lateness():
        return imported
    late = sum(
        seconds_late(submission.submitted_at, task.due, lateness) > 0
        for submission in imported.submissions
    )
    count = f"{late} of {len(imported.submissions)}"
    note = f"late by the times of the files, which copying can change: {count} submissions"
    return replace(imported, notes=(*imported.notes, *([note] if late else [])))


def _chosen(option: str, value: str, choices: tuple[Choice, ...]) -> Choice:
    for choice in choices:
        if choice == value:
            return choice
    names = ", ".join(f"`{choice}`" for choice in choices)
    raise UsageError(f"{option}: there is no `{value}`", f"choose from: {names}")


def _opened(folder: Path, work: Path) -> Path:
    """Return the folder; an archive of a whole course is unpacked below `work`."""
    if folder.is_dir():
        return folder
    if not folder.is_file() or not folder.name.casefold().endswith(SUFFIXES):
        problem = "is not a folder" if folder.exists() else "does not exist"
        raise UsageError(f"{folder} {problem}", "pass the folder of the submissions")
    into = work / "unpacked"
    shutil.rmtree(into, ignore_errors=True)
    try:
        unpack(folder, into, OF_A_COURSE)
    except Rejected as error:
        raise UsageError(str(error), "unpack it yourself, and give the folder") from error
    children = collect(into)
    return children[0] if len(children) == 1 and children[0].is_dir() else into
