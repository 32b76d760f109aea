"""Return one line per student: everyone in a group gets the same grade, each on a separate line."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from graders.course.final_grades import FinalGrade
from graders.model import ResultStatus
from graders.storage import csv_cells
from reports.exports.export import Course
from reports.text import PROSE_LIMIT, line
from submissions.escaping import first_few
from submissions.people import Person, people_in

NAMED = 20  # in one sentence


@dataclass(frozen=True, slots=True)
class Entry:
    """One student's grade; `submission` is the submission's ID, `due` is its due date."""

    person: Person
    submission: str
    due: datetime | None
    submitted_at: datetime | None
    grade: FinalGrade
    status: ResultStatus

    @property
    def first_name(self) -> str:
        """The name without its last word; empty if the name is a single word."""
        return self._names[0]

    @property
    def last_name(self) -> str:
        """The last word of the name; empty if the name is a single word, which may be a login."""
        return self._names[1]

    @property
    def _names(self) -> tuple[str, str]:
        """First and last name; if only the folder's name is known, it may be `Last, First`."""
        person = self.person
        last, comma, first = person.name.partition(", ")
        if comma and not (person.email or person.sid or person.canvas):
            return first, last
        first, _, last = person.name.rpartition(" ")
        return first, last if first else ""

    @property
    def key(self) -> str:
        """The identifier of the student, as unambiguous as possible."""
        return self.person.sid or self.person.email or self.person.canvas or self.person.name


def entries(course: Course) -> Iterator[Entry]:
    """The lines of a course, by submission."""
    for result in course.results:
        submission = result.submission
        due, grade = course.rules.dues.due_of(submission), course.grade(result)
        for person in people_in(submission.student):
            yield Entry(person, submission.id, due, submission.submitted_at, grade, result.status)


def notes(exported: Sequence[Entry]) -> tuple[str, ...]:
    """Return notes for staff on the file: blank cells, and students with several lines."""
    blank = list(dict.fromkeys(entry.submission for entry in exported if entry.grade.final is None))
    return (*few("no grade, so an empty cell", [*map(line, blank)]), *repeated(exported))


def lower_maxima(exported: Sequence[Entry]) -> tuple[str, ...]:
    """Return a note on grades out of fewer points, for a system that knows one maximum."""
    most = max((entry.grade.maximum for entry in exported), default=0.0)
    graded = [entry for entry in exported if entry.grade.final is not None]
    lower = {
        entry.submission: entry.grade.maximum for entry in graded if entry.grade.maximum < most
    }
    named = [f"{line(name)} (of {points:g})" for name, points in lower.items()]
    return few(f"fewer points than {most:g} count, so these grades look too low there", named)


def few(what: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return a note that says of whom something is true; none if it is true of nobody."""
    return (f"{what}: {first_few(names, NAMED)}",) if names else ()


def repeated(exported: Iterable[Entry]) -> tuple[str, ...]:
    """Return a sentence for each student with more than one line: a reader may use any of them."""
    by_student: dict[str, list[str]] = defaultdict(list)
    for entry in exported:
        by_student[entry.key.casefold()].append(entry.submission)
    return tuple(
        f"{key} has more than one line: {', '.join(submissions)}"
        for key, submissions in sorted(by_student.items())
        if len(submissions) > 1
    )


def table(
    header: Sequence[str], rows: Iterable[Sequence[str]], *, delimiter: str = ",", bom: bool = False
) -> str:
    """Return the rows as CSV, each cell on one line and safe in a spreadsheet."""
    lines = ([line(cell, PROSE_LIMIT) for cell in row] for row in (header, *rows))
    return "\ufeff" * bom + csv_cells.table(lines, delimiter=delimiter)
