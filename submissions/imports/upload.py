"""One upload in a folder that another system made, and what is wrong with such a folder."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from submissions.people import Person


class WrongExport(Exception):
    """The folder is not what it was said to be; the message is one sentence for staff."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.remedy = remedy


@dataclass(frozen=True, slots=True)
class Upload:
    """What somebody handed in; `people` is empty where the folder's name says who they are."""

    name: str
    path: Path
    people: tuple[Person, ...]
    submitted_at: datetime | None


@dataclass(frozen=True, slots=True)
class Found:
    """The uploads of a folder, and sentences on what staff should know of it."""

    uploads: tuple[Upload, ...]
    notes: tuple[str, ...] = ()
