"""Later due dates of single students: `DIR/extensions.csv`, with the columns `student` and `due`.

A student is written as the submission's id, or as the number or address that it came with. A name
counts only where it is all that is known: students choose how they are called.
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
    """When everybody's work is due: `due` is the assignment's, `later` by student."""

    due: datetime | None = None
    later: Mapping[str, datetime] = field(default_factory=dict)

    def due_of(self, submission: Submission) -> datetime | None:
        """When it is due: for a group, with the latest date that one of them has."""
        granted = [self.later[key] for key in _keys(submission) if key in self.later]
        return max([*granted, *([self.due] if self.due else [])]) if granted else self.due

    @property
    def last(self) -> datetime | None:
        """The latest date that anybody has; None where no moment is known."""
        if self.due is None or self.due.tzinfo is None:
            return None
        return max(self.due, *self.later.values()) if self.later else self.due

    def unused(self, submissions: Iterable[Submission]) -> list[str]:
        """The students whom no submission is of: late ones, or written wrong."""
        return sorted(self.later.keys() - {key for each in submissions for key in _keys(each)})


def read_extensions(out: Path, task: Assignment) -> Extensions:
    """What is in DIR, if anything; UsageError where it cannot be read as such."""
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
    return name_key(plain_cell(student)), moment  # as it is in grades.csv


def _keys(submission: Submission) -> set[str]:
    people = people_in(submission.student)
    known = {text for p in people for text in (p.email, p.sid, p.canvas) if text}
    return set(map(name_key, (known or {p.name for p in people}) | {submission.id}))
