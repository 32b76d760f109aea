"""Write tables with one row per student for Gradescope, nbgrader, Moodle and other systems.

    gradescope-csv   the columns of the grades that Gradescope lets staff download
    nbgrader         the columns of nbgrader's CsvExportPlugin, with times in UTC
    moodle           the identifiers that Moodle's grade import uses, and one column of grades
    csv              everything about each grade

A missing grade is a blank cell, even where nbgrader itself writes 0.
"""

from collections.abc import Sequence
from datetime import UTC, datetime

from graders.course.final_grades import FinalGrade
from reports.exports.entries import Entry, entries, lower_maxima, notes, table
from reports.exports.export import Course, Export
from reports.grades import number_cell
from reports.text import line
from reports.words import STATUS_WORDS

GRADESCOPE = ("First Name", "Last Name", "SID", "Email", "Sections")
GRADED = ("", " - Max Points", " - Submission Time", " - Lateness (H:M:S)")
LATENESS = "Total Lateness (H:M:S)"
NBGRADER = (
    "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email",
    "raw_score", "late_submission_penalty", "score", "max_score",
)  # fmt: skip
MOODLE = ("First name", "Last name", "ID number", "Email address")
EVERYTHING = (
    "submission", "name", "email", "student_id", "section", "dropped", "status", "submitted_at",
    "due", "days_late", "late_days_used", "score", "late_penalty", "final", "max_score", "how",
)  # fmt: skip


def gradescope_csv(course: Course) -> Export:
    """The columns of Gradescope's own download."""
    header = (*GRADESCOPE, *(f"{course.title}{part}" for part in GRADED), LATENESS)
    lines = list(entries(course))
    return Export(table(header, map(_gradescope, lines)), notes(lines))


def nbgrader_csv(course: Course) -> Export:
    """The columns of nbgrader's own export."""
    lines = list(entries(course))
    return Export(table(NBGRADER, (_nbgrader(course, entry) for entry in lines)), notes(lines))


def moodle_csv(course: Course) -> Export:
    """A file for Moodle's grade import; a student without email and number cannot be in it."""
    lines = list(entries(course))
    identified = [entry for entry in lines if entry.person.email or entry.person.sid]
    unknown = [f"{entry.submission}: {entry.person}" for entry in lines if entry not in identified]
    problems = [
        f"{line(student)} has no email and no student ID; enter it by hand" for student in unknown
    ]
    text = table((*MOODLE, course.title), map(_moodle, identified))
    return Export(text, (*notes(identified), *lower_maxima(lines)), tuple(problems))


def plain_csv(course: Course) -> Export:
    """Every column that another system may want."""
    lines = list(entries(course))
    return Export(table(EVERYTHING, map(_everything, lines)), notes(lines))


def _gradescope(entry: Entry) -> Sequence[str]:
    person, submitted = entry.person, entry.submitted_at
    late = _lateness(submitted, entry.due)
    return [
        entry.first_name,
        entry.last_name or person.name,
        person.sid,
        person.email,
        person.section,
        number_cell(entry.grade.final),
        number_cell(entry.grade.maximum),
        submitted.strftime("%Y-%m-%d %H:%M:%S %z") if submitted else "",
        late,
        late,
    ]


def _lateness(submitted: datetime | None, due: datetime | None) -> str:
    """Return hours, minutes and seconds after the due date; "" if unknown."""
    if submitted is None or due is None or due.tzinfo is None:
        return "00:00:00"
    seconds = max(int((submitted - due).total_seconds()), 0)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def _nbgrader(course: Course, entry: Entry) -> Sequence[str]:
    grade = entry.grade
    return [
        course.assignment.name,
        _in_utc(course.assignment.due),
        _in_utc(entry.submitted_at),
        entry.key,
        entry.last_name,
        entry.first_name,
        entry.person.email,
        *_points(grade),
    ]


def _points(grade: FinalGrade) -> Sequence[str]:
    """Return the points without and with the penalty, the penalty between them, the maximum."""
    penalty = None if grade.raw is None else grade.penalty
    return [*map(number_cell, (grade.raw, penalty, grade.final, grade.maximum))]


def _in_utc(moment: datetime | None) -> str:
    if moment is None or moment.tzinfo is None:
        return "" if moment is None else str(moment)
    return str(moment.astimezone(UTC).replace(tzinfo=None))


def _moodle(entry: Entry) -> Sequence[str]:
    person, final = entry.person, number_cell(entry.grade.final)
    return [entry.first_name, entry.last_name or person.name, person.sid, person.email, final]


def _everything(entry: Entry) -> Sequence[str]:
    person, grade = entry.person, entry.grade
    return [
        entry.submission, person.name, person.email, person.sid, person.section, person.dropped,
        STATUS_WORDS[entry.status],
        _iso(entry.submitted_at),
        _iso(entry.due),
        str(grade.days_late),
        str(grade.free_days),
        *_points(grade),
        grade.words,
    ]  # fmt: skip


def _iso(moment: datetime | None) -> str:
    return moment.isoformat(timespec="seconds") if moment else ""
