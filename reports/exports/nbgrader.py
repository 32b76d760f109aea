"""Write the columns of nbgrader's CsvExportPlugin.

nbgrader writes 0 for a missing score; here it is a blank.
"""

from datetime import UTC, datetime

from reports.exports.entries import Entry, entries, notes, table
from reports.exports.export import Course, Export
from reports.grades import number_cell

COLUMNS = (
    *("assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email"),
    *("raw_score", "late_submission_penalty", "score", "max_score"),
)


def nbgrader_csv(course: Course) -> Export:
    """Return one line per student, with times in UTC as in nbgrader."""
    found = list(entries(course))
    return Export(table(COLUMNS, (_cells(course, entry) for entry in found)), notes(found))


def _cells(course: Course, entry: Entry) -> list[str]:
    grade = entry.grade
    return [
        course.assignment.name,
        _time(course.assignment.due),
        _time(entry.submitted_at),
        entry.key,
        entry.last_name,
        entry.first_name,
        entry.person.email,
        number_cell(grade.raw),
        number_cell(None if grade.raw is None else grade.penalty),
        number_cell(grade.final),
        number_cell(grade.maximum),
    ]


def _time(moment: datetime | None) -> str:
    if moment is None or moment.tzinfo is None:
        return "" if moment is None else str(moment)
    return str(moment.astimezone(UTC).replace(tzinfo=None))
