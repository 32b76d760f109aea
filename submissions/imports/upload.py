"""An upload in a folder from another system, and the error for a folder with the wrong layout."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from submissions.people import Person


class WrongExport(Exception):
    """The folder does not have the stated layout; the message is one sentence for staff."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.remedy = remedy


@dataclass(frozen=True, slots=True)
class Upload:
    """One student's or group's upload; `people` is empty if the folder's name says who they are."""

    name: str
    path: Path
    people: tuple[Person, ...]
    submitted_at: datetime | None


@dataclass(frozen=True, slots=True)
class FoundUploads:
    """The uploads in a folder, and notes for staff."""

    uploads: tuple[Upload, ...]
    notes: tuple[str, ...] = ()
