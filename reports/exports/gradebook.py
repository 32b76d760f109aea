"""Read the gradebook that Canvas exported, and match submissions to the people in it.

Student,            ID, SIS User ID, SIS Login ID, Section, Attention (4711), ...
                    ,   ,            ,            ,          Manual Posting       not always
    Points Possible,,   ,            ,            ,          20
"Lovelace, Ada",    7,  1815,        ada,          A,        17.5
"""

import csv
import io
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from graders.errors import UsageError
from graders.storage.csv_cells import plain_cell
from submissions.people import Person, name_key

POINTS = "Points Possible"
WHO = (
    "Student", "ID", "SIS User ID", "SIS Login ID", "Integration ID", "Root Account",
    "Section",
)  # fmt: skip
NUMBERS = ("ID", "SIS User ID", "SIS Login ID")
NUMBERED = re.compile(r"(?P<title>.*) \(\d+\)")
FIRST_CELL = re.compile(r'"?Student"?;')
EXPORT_IT = "in Canvas: Grades, Export, Export Entire Gradebook"


@dataclass(frozen=True, slots=True)
class Gradebook:
    """The exported gradebook: `who` are its columns about people, `columns` all the others.

    `possible` contains the maximum points by column; `index` the rows of each name and number.
    """

    file: str
    who: tuple[str, ...]
    columns: tuple[str, ...]
    possible: Mapping[str, str]
    students: tuple[Mapping[str, str], ...]
    index: Mapping[tuple[str, str], Sequence[int]]
    delimiter: str
    bom: bool

    def column(self, title: str) -> str | None:
        """Return the assignment's column, including its number; None if there is none."""
        matches = [column for column in self.columns if title in (column, _title(column))]
        if len(matches) > 1:
            raise UsageError(
                f"{self.file}: there is more than one `{title}`", f'--title "{matches[0]}"'
            )
        return matches[0] if matches else None

    def matches(self, person: Person) -> list[int]:
        """Return the rows that may belong to the person: exactly one if there is no doubt."""
        by_number = self._by_number(person)
        return sorted(by_number) if by_number else self._by_name(person)

    def _by_number(self, person: Person) -> set[int]:
        bare = person.name if not (person.sid or person.email or person.canvas) else ""
        identifiers = (
            ("ID", (person.canvas, bare)),
            ("SIS User ID", (person.sid, bare)),
            ("SIS Login ID", (person.sid, person.email, bare)),
        )
        keys = {(column, name_key(text)) for column, texts in identifiers for text in texts if text}
        return {row for key in keys for row in self.index.get(key, ())}

    def _by_name(self, person: Person) -> list[int]:
        """Return the rows with that name, without those that are known to have another number."""
        rows = self.index.get(("Student", name_key(person.name)), ())
        return [row for row in rows if not _known_to_differ(person, self.students[row])]


def read_gradebook(path: Path) -> Gradebook:
    """The gradebook in a file; UsageError if Canvas did not export it."""
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}", EXPORT_IT) from error
    except UnicodeDecodeError as error:
        problem = f"{path} is not UTF-8 text; a spreadsheet may have saved it"
        raise UsageError(problem, f"pass it as Canvas exported it: {EXPORT_IT}") from error
    bom, text = text.startswith("\ufeff"), text.removeprefix("\ufeff")
    delimiter = ";" if FIRST_CELL.match(text) else ","
    rows = _rows(path, text, delimiter)
    header = tuple(rows[0]) if rows else ()
    if not {"Student", "ID", "Section"} <= set(header):
        raise UsageError(
            f"{path} is not a Canvas gradebook: it has no `Student`, `ID`, `Section`", EXPORT_IT
        )
    possible, students = _students(header, rows[1:])
    return Gradebook(
        file=str(path),
        who=tuple(name for name in header if name in WHO),
        columns=tuple(name for name in header if name not in WHO),
        possible=possible,
        students=students,
        index=_index(students),
        delimiter=delimiter,
        bom=bom,
    )


def _rows(path: Path, text: str, delimiter: str) -> list[list[str]]:
    try:
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        return [list(map(plain_cell, row)) for row in rows]
    except csv.Error as error:
        raise UsageError(f"{path}: {error}", EXPORT_IT) from error


def _students(
    header: Sequence[str], rows: Sequence[Sequence[str]]
) -> tuple[Mapping[str, str], tuple[Mapping[str, str], ...]]:
    """Return the row `Points Possible`, and the rows of students below it."""
    blank = dict.fromkeys(header, "")
    records = [blank | dict(zip(header, row, strict=False)) for row in rows if any(row)]
    named = (i for i, row in enumerate(records) if row["Student"].strip() == POINTS)
    above = [i for i in named if not records[i]["ID"].strip()]  # the name is chosen by the student
    below = records[above[0] + 1 if above else 0 :]
    return records[above[0]] if above else {}, tuple(row for row in below if row["Student"])


def _index(students: Sequence[Mapping[str, str]]) -> dict[tuple[str, str], list[int]]:
    index: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, row in enumerate(students):
        for name in _names(row["Student"]):
            index["Student", name].append(number)
        for column in NUMBERS:
            index[column, name_key(row.get(column, ""))].append(number)
    return {(column, key): rows for (column, key), rows in index.items() if key}


def _title(column: str) -> str:
    match = NUMBERED.fullmatch(column)
    return match["title"] if match else ""


def _known_to_differ(person: Person, row: Mapping[str, str]) -> bool:
    """Return whether both have a number or an address; equal ones have been matched before."""
    addresses = "@" in person.email and "@" in row.get("SIS Login ID", "")
    return bool(person.canvas or (person.sid and row.get("SIS User ID")) or addresses)


def _names(student: str) -> set[str]:
    """Return a name as it is in the gradebook, `Last, First`, and in the usual order."""
    last, comma, first = student.partition(",")
    return {name_key(student), name_key(f"{first} {last}") if comma else name_key(student)}
