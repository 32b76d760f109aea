"""Open the data of an assignment's checks, of any kind, from a folder or built in."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from graders.data.birthplaces import REQUIRED, Data, open_data, sha256_of_files
from graders.data.labelled import (
    DEV_NAMES,
    STSA,
    TSV,
    Kind,
    LabelledData,
    open_labelled,
    read_labelled,
)
from graders.errors import GraderFault
from graders.model import DataKind


@dataclass(frozen=True, slots=True)
class DataFiles:
    """The files of --data as they are, for an assignment whose checks read them by name."""

    folder: Path | None

    def bytes(self, name: str) -> bytes:
        """Return the content of a file; raises GraderFault if it is missing."""
        if self.folder is None:
            raise GraderFault(f"the checks need `{name}`. Grade with --data DIR")
        if not (self.folder / name).is_file():
            raise GraderFault(f"`{name}` is missing in {self.folder}, the folder of --data")
        return (self.folder / name).read_bytes()

    def text(self, name: str) -> str:
        """Return the content of a file in UTF-8 (with or without a byte order mark)."""
        return self.bytes(name).decode("utf-8-sig", "replace")

    @property
    def fingerprint(self) -> str:
        """The sha256 of all files together: equal data have equal fingerprints."""
        return sha256_of_files((name, self.bytes(name)) for name in self._names)

    @property
    def description(self) -> str:
        """One line for the Result: the number of files and their fingerprint."""
        source = "no --data" if self.folder is None else f"given with --data: {len(self._names)}"
        return source if self.folder is None else f"{source} files, sha256 {self.fingerprint[:16]}"

    @property
    def _names(self) -> list[str]:
        files = [] if self.folder is None else list(self.folder.iterdir())
        return sorted(file.name for file in files if file.is_file() and file.name[0] != ".")


CourseData = Data | LabelledData | DataFiles


@contextmanager
def open_course_data(kind: DataKind, folder: Path | None) -> Iterator[CourseData]:
    """Yield the data of this folder, or without one the built-in data.

    Raises UsageError if a file is missing or has the wrong format.
    """
    if kind == "birthplaces":
        with open_data(folder, seed=0) as data:
            yield data
    elif kind == "files":
        yield DataFiles(folder)
    elif folder is None:
        yield _embedded(kind)
    else:
        yield read_labelled(folder, kind)


def holds_data(kind: DataKind, folder: Path) -> bool:
    """Return whether the folder itself contains the files of this kind."""
    if kind == "files":  # no file of it is known
        return False
    if kind == "boolq":
        return any((folder / name).is_file() for name in DEV_NAMES)
    sets = (REQUIRED,) if kind == "birthplaces" else (STSA, TSV)
    return any(all((folder / name).is_file() for name in names) for names in sets)


def sizes_of_parts(kind: DataKind, folder: Path | None) -> frozenset[int]:
    """How many items the dev and the test part have, of this folder or of the embedded data."""
    with open_course_data(kind, folder) as data:
        if isinstance(data, DataFiles):
            return frozenset()
        test = data.test_questions if isinstance(data, Data) else data.test
        return frozenset((len(data.dev), len(test)))


def describe_data(folder: Path | None) -> str:
    """Describe a folder's data, of any kind, in one line; raises UsageError if it has none."""
    kinds: tuple[DataKind, ...] = ("birthplaces", "sst2", "boolq")
    held = [kind for kind in kinds if folder is not None and holds_data(kind, folder)]
    with open_course_data(held[0] if held else "birthplaces", folder) as data:
        return data.description


@cache
def _embedded(kind: Kind) -> LabelledData:
    """Return the built-in task, created once per process: it is the same for all submissions."""
    with open_labelled(None, kind) as data:
        return data
