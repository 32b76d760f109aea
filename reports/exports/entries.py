"""A line a student: whoever handed in together gets the same grade, each on a line."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from graders.course.final_grades import FinalGrade
from graders.model import ResultStatus
from graders.storage import csv_cells
from reports.exports.export import Course
from reports.text import PROSE_LIMIT, line
from submissions.people import Person, people_in

NAMED = 20  # in one sentence


@dataclass(frozen=True, slots=True)
class Entry:
    """One student's grade; `submission` is the id of what was handed in, `due` when it was due."""

    person: Person
    submission: str
    due: datetime | None
    submitted_at: datetime | None
    grade: FinalGrade
    status: ResultStatus

    @property
    def first_name(self) -> str:
        """All of the name but its last word; none of a name that is one word."""
        return self._names[0]

    @property
    def last_name(self) -> str:
        """The last word of the name; none of a name that is one word, which may be a login."""
        return self._names[1]

    @property
    def _names(self) -> tuple[str, str]:
        """First and last name; a folder that is all we know may be called `Last, First`."""
        person = self.person
        last, comma, first = person.name.partition(", ")
        if comma and not (person.email or person.sid or person.canvas):
            return first, last
        first, _, last = person.name.rpartition(" ")
        return first, last if first else ""

    @property
    def key(self) -> str:
        """What identifies the student best."""
        return self.person.sid or self.person.email or self.person.canvas or self.person.name


def entries(course: Course) -> Iterator[Entry]:
    """The lines of a course, by submission."""
    for result in course.results:
        given = result.submission
        due, grade = course.terms.dues.due_of(given), course.grade(result)
        for person in people_in(given.student):
            yield Entry(person, given.id, due, given.submitted_at, grade, result.status)


def notes(found: Sequence[Entry]) -> tuple[str, ...]:
    """What staff should know of a file with a line each: blank cells, and lines too many."""
    blank = list(dict.fromkeys(each.submission for each in found if each.grade.final is None))
    more = f" and {len(blank) - NAMED} more" if len(blank) > NAMED else ""
    named = f"{', '.join(map(line, blank[:NAMED]))}{more}"
    return (*([f"no grade, so an empty cell: {named}"] if blank else []), *repeated(found))


def repeated(found: Iterable[Entry]) -> tuple[str, ...]:
    """A sentence for each student who has more than one line, of which a reader may take any."""
    given: dict[str, list[str]] = defaultdict(list)
    for entry in found:
        given[entry.key.casefold()].append(entry.submission)
    return tuple(
        f"{key} has more than one line: {', '.join(own)}"
        for key, own in sorted(given.items())
        if len(own) > 1
    )


def table(
    header: Sequence[str], rows: Iterable[Sequence[str]], *, delimiter: str = ",", bom: bool = False
) -> str:
    """Return the rows as CSV, each cell on one line and safe in a spreadsheet."""
    lines = ([line(each, PROSE_LIMIT) for each in row] for row in (header, *rows))
    return "\ufeff" * bom + csv_cells.table(lines, delimiter=delimiter)
