"""An upload, and the clean folder that is made from it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path


class Rejected(Exception):
    """The upload cannot be opened safely; the message is one sentence for the student."""


@dataclass(frozen=True, slots=True)
class Submission:
    """One upload; `id` is the name of its folder or archive, made safe as a file name."""

    id: str
    student: str
    assignment: str
    path: Path
    sha256: str
    submitted_at: datetime | None


@dataclass(frozen=True, slots=True)
class CleanFolder:
    """An opened upload that contains only regular files, all in `root`.

    `code` is the folder that contains the student's modules (None if there is none), `files` maps
    each wanted artifact that was found to its path, and `notes` explain what was used and why.
    """

    root: Path
    code: Path | None
    files: Mapping[str, Path]
    notes: tuple[str, ...]
