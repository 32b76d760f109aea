"""Compare the files of --data with what the assignment declares, before anything is graded.

assignment.toml     [data_files]   "birth_dev.tsv" = { rows = 500, columns = 2, sha256 = "3bb3..." }
FOLDER/data.toml    the same table for a course with other data; it replaces the assignment's
"""

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import BaseModel, Field

from graders.errors import UsageError
from graders.model import Assignment, DataFile
from graders.tables import read_table

FILE = "data.toml"
TABLE = "data_files"
SHA256 = "64 digits and letters from a to f, as `sha256sum` prints them"


class DeclaredFile(BaseModel, extra="forbid"):
    """One line of [data_files]; 0 and "" are not compared."""

    rows: int = Field(default=0, ge=0)
    columns: int = Field(default=0, ge=0)
    sha256: str = Field(default="", pattern=r"^([0-9a-f]{64})?$", description=SHA256)

    def plain(self) -> DataFile:
        """Return the same as the type that Assignment uses."""
        return DataFile(self.rows, self.columns, self.sha256)


class _Declaration(BaseModel, extra="forbid"):
    data_files: dict[str, DeclaredFile]


def refuse_other_data(assignment: Assignment, folder: Path | None) -> None:
    """Raise UsageError if a file in the folder is not as declared; None is the built-in dataset.

    A missing file is not reported here, but by the code that reads it.
    """
    for problem in () if folder is None else differences(assignment, folder):
        raise UsageError(problem, _remedy(assignment, folder))


def differences(assignment: Assignment, folder: Path) -> Iterator[str]:
    """Yield a sentence for each declared file that exists but is not as declared."""
    for name, declared in (_of_the_course(folder) or assignment.data_files).items():
        file = folder / name
        if file.is_file():
            yield from _difference(file, declared)


def _difference(file: Path, declared: DataFile) -> Iterator[str]:
    content = file.read_bytes().removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").rstrip(b"\n")
    rows = content.split(b"\n") if content else []
    if declared.rows and len(rows) != declared.rows:
        yield f"{file} has {len(rows):,} rows; expected {declared.rows:,}"
        return
    widths = [row.count(b"\t") + 1 for row in rows] if declared.columns else []
    wrong = next((n for n, width in enumerate(widths, 1) if width != declared.columns), None)
    if wrong is not None:
        found = widths[wrong - 1]
        yield f"{file}: line {wrong} has {found} columns; expected {declared.columns}"
    elif declared.sha256 and hashlib.sha256(content).hexdigest() != declared.sha256:
        yield f"{file} is not the course's file: its content has changed (another sha256)"


def _of_the_course(folder: Path) -> Mapping[str, DataFile]:
    file = folder / FILE
    if not file.is_file():
        return {}
    hint = f'write "NAME" = {{ rows = 500, columns = 2 }} under [{TABLE}]'
    declared = read_table(file, _Declaration, hint)
    return {name: each.plain() for name, each in declared.data_files.items()}


def _remedy(assignment: Assignment, folder: Path | None) -> str:
    return (
        f"download the file again; if your course uses other data for {assignment.name}, declare "
        f"it under [{TABLE}] in {folder}/{FILE} (docs/assignments.md)"
    )
