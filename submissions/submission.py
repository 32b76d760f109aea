"""What was uploaded, and the clean folder it becomes."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path


class Rejected(Exception):
    """The upload cannot be opened safely; the message is one sentence for the student."""


@dataclass(frozen=True, slots=True)
class Submission:
    """One upload; `id` is its folder or archive name, made safe as a file name."""

    id: str
    student: str
    assignment: str
    path: Path
    sha256: str
    submitted_at: datetime | None


@dataclass(frozen=True, slots=True)
class CleanFolder:
    """An upload opened: regular files only, all of them under `root`.

    `code` is the folder that holds the student's modules (None when there is none), `files` maps
    each wanted artifact that was found to its path, `notes` say what was taken and why.
    """

    root: Path
    code: Path | None
    files: Mapping[str, Path]
    notes: tuple[str, ...]
