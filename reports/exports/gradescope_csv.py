"""Write the columns of the grades that staff can download from Gradescope."""

from datetime import datetime

from reports.exports.entries import Entry, entries, notes, table
from reports.exports.export import Course, Export
from reports.grades import number_cell

PEOPLE = ("First Name", "Last Name", "SID", "Email", "Sections")
ASSIGNMENT = ("", " - Max Points", " - Submission Time", " - Lateness (H:M:S)")
TOTAL = "Total Lateness (H:M:S)"


def gradescope_csv(course: Course) -> Export:
    """Return one line per student; a missing grade is a blank cell."""
    header = (*PEOPLE, *(f"{course.title}{part}" for part in ASSIGNMENT), TOTAL)
    found = list(entries(course))
    return Export(table(header, map(_cells, found)), notes(found))


def _cells(entry: Entry) -> list[str]:
    person, given = entry.person, entry.submitted_at
    late = _lateness(given, entry.due)
    return [
        entry.first_name,
        entry.last_name or person.name,
        person.sid,
        person.email,
        "",
        number_cell(entry.grade.final),
        number_cell(entry.grade.maximum),
        given.strftime("%Y-%m-%d %H:%M:%S %z") if given else "",
        late,
        late,
    ]


def _lateness(given: datetime | None, due: datetime | None) -> str:
    """Return the hours, minutes and seconds after the due date, or zero if that is unknown."""
    if given is None or due is None or due.tzinfo is None:
        return "00:00:00"
    seconds = max(int((given - due).total_seconds()), 0)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
