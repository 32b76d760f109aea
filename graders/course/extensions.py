"""Read extensions of individual students: `DIR/extensions.csv`, with columns `student` and `due`.

A student is identified by the submission's ID, student number or email address. A name counts only
if nothing else is known, because students can choose their names.
"""

import csv
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from graders.errors import UsageError
from graders.model import Assignment, Submission
from graders.storage.csv_cells import plain_cell
from submissions.people import name_key, people_in

FILE = "extensions.csv"
COLUMNS = ["student", "due"]


@dataclass(frozen=True, slots=True)
class Extensions:
    """All due dates: `due` is the assignment's, `later` is by student."""

    due: datetime | None = None
    later: Mapping[str, datetime] = field(default_factory=dict)

    def due_of(self, submission: Submission) -> datetime | None:
        """Return when it is due; a group has the latest due date of its members."""
        granted = [
            self.later[key]
            for key in keys_of(submission.id, submission.student)
            if key in self.later
        ]
        return max([*granted, *([self.due] if self.due else [])]) if granted else self.due

    @property
    def last(self) -> datetime | None:
        """The latest due date of all, or None if there is none with a time zone."""
        if self.due is None or self.due.tzinfo is None:
            return None
        return max(self.due, *self.later.values()) if self.later else self.due

    def unused(self, submissions: Iterable[Submission]) -> list[str]:
        """Return the students without a submission: not submitted yet, or misspelled."""
        return sorted(
            self.later.keys()
            - {key for each in submissions for key in keys_of(each.id, each.student)}
        )


def read_extensions(out: Path, task: Assignment) -> Extensions:
    """Return the extensions in DIR, if any; raises UsageError if the file is invalid."""
    file = out / FILE
    if not file.exists() or task.due is None or task.due.tzinfo is None:
        return Extensions(task.due)
    try:
        rows = list(csv.reader(file.read_text(encoding="utf-8-sig").splitlines(), strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UsageError(f"{file}: {error}", f"its columns are {', '.join(COLUMNS)}") from error
    if not rows or [cell.strip() for cell in rows[0]] != COLUMNS:
        raise UsageError(f"{file}: the first line is not `student,due`", "write it there")
    granted = [_granted(f"{file}: line {n}", row) for n, row in enumerate(rows[1:], 2) if any(row)]
    for student, lines in Counter(student for student, _ in granted).items():
        if lines > 1:
            raise UsageError(f"{file}: duplicate line for `{student}`", "keep the line that counts")
    return Extensions(task.due, dict(granted))


def _granted(where: str, row: list[str]) -> tuple[str, datetime]:
    try:
        student, due = row
        moment = datetime.fromisoformat(due.strip())
    except ValueError as error:
        raise UsageError(f"{where}: no student with a date", "ada,2026-12-03T23:59:00Z") from error
    if moment.tzinfo is None or not student.strip():
        raise UsageError(f"{where}: no student, or no time zone", "ada,2026-12-03T23:59:00Z")
    return name_key(plain_cell(student)), moment  # it may be copied from grades.csv


def keys_of(submission: str, student: str) -> set[str]:
    """Return what identifies the students of a submission, folded as `name_key` does."""
    people = people_in(student)
    known = {text for p in people for text in (p.email, p.sid, p.canvas) if text}
    return set(map(name_key, (known or {p.name for p in people}) | {submission}))
