"""Read the exports of other systems: uploads with the students and the time of each submission.

```text
FOLDER ── layout_of ──┬── folders      one folder or archive per student
                      ├── gradescope   an export of submissions
                      ├── canvas       a download of submissions
                      └── git          clones
```
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from submissions.identity import identify_all, safe_id, time_of
from submissions.imports.canvas_download import is_canvas_name, read_canvas
from submissions.imports.git_clones import is_clone, read_clones
from submissions.imports.gradescope_export import METADATA, read_gradescope
from submissions.imports.last_attempts import last_attempts
from submissions.imports.upload import FoundUploads, Upload, WrongExport
from submissions.people import student_text
from submissions.receive import collect, unread
from submissions.submission import Submission

__all__ = [
    "IN_WORDS", "Attempts", "GatherRequest", "Gathered", "Layout", "WrongExport", "gather",
    "layout_of",
]  # fmt: skip

Layout = Literal["auto", "folders", "gradescope", "canvas", "git"]
Attempts = Literal["last", "best", "all"]


@dataclass(frozen=True, slots=True)
class Gathered:
    """The submissions in a folder, the layout that was detected, and notes for staff."""

    layout: Layout
    submissions: tuple[Submission, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GatherRequest:
    """The assignment with its file names, the folder's layout, and which attempts to read.

    `work` is the folder in which the files of one student are collected.
    """

    assignment: str
    files: tuple[str, ...]
    work: Path
    layout: Layout = "auto"
    attempts: Attempts = "last"


IN_WORDS = {
    "gradescope": "a Gradescope export",
    "canvas": "a Canvas download",
    "git": "git clones",
}


def gather(folder: Path, request: GatherRequest) -> Gathered:
    """Return the submissions in a folder. Raises WrongExport if its layout is another one."""
    layout = layout_of(folder) if request.layout == "auto" else request.layout
    export = _read(folder, layout, request)
    uploads, notes = list(export.uploads), list(export.notes)
    if request.layout == "auto" and layout == "folders":
        notes += _doubts(folder)
    notes += [f"{path.name}: a hidden file and no archive; left out" for path in unread(folder)]
    if request.attempts == "last":
        uploads, undecided = last_attempts(uploads)
        notes += undecided
    return Gathered(layout, tuple(_submissions(uploads, request.assignment)), tuple(notes))


def layout_of(folder: Path) -> Layout:
    """Return the layout that all of the folder's contents match, or else "folders"."""
    if (folder / METADATA).is_file():
        return "gradescope"
    children = collect(folder)
    if children and all(map(is_clone, children)):
        return "git"
    if children and all(map(_is_of_canvas, children)):
        return "canvas"
    return "folders"


def _doubts(folder: Path) -> list[str]:
    """Return a sentence for each other system that a few of the folder's contents match.

    Raises WrongExport if most of them do: read as folders, these would be no submissions.
    """
    children = collect(folder)
    alike = {"git": sum(map(is_clone, children)), "canvas": sum(map(_is_of_canvas, children))}
    for layout, many in alike.items():
        if 2 * many > len(children):
            raise WrongExport(
                f"{folder}: {many} of {len(children)} entries look like {IN_WORDS[layout]}",
                f"pass `--from {layout}`, or move the others away",
            )
    return [
        f"read as folders, though {few} of {len(children)} look otherwise (--from {layout})"
        for layout, few in alike.items()
        if few
    ]


def _is_of_canvas(path: Path) -> bool:
    return path.is_file() and is_canvas_name(path.name)


def _read(folder: Path, layout: Layout, request: GatherRequest) -> FoundUploads:
    match layout:
        case "gradescope":
            return read_gradescope(folder)
        case "canvas":
            return read_canvas(folder, request.work, request.files)
        case "git":
            return read_clones(folder)
    paths = collect(folder)
    return FoundUploads(tuple(Upload(p.name, p, (), time_of(p)) for p in paths))


def _submissions(uploads: Sequence[Upload], assignment: str) -> list[Submission]:
    """Return the submissions with students and times, named as in the other system."""
    identified = identify_all([upload.path for upload in uploads], assignment)
    names = [
        safe_id(upload.name) if upload.people else submission.id
        for upload, submission in zip(uploads, identified, strict=True)
    ]
    unique = len({name.casefold() for name in names}) == len(names)
    return [
        replace(
            submission,
            id=name if unique else submission.id,
            student=student_text(upload.people) or submission.student,
            submitted_at=upload.submitted_at,
        )
        for upload, submission, name in zip(uploads, identified, names, strict=True)
    ]
