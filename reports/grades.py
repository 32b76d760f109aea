"""Write the grades as one table for a spreadsheet: `DIR/grades.csv`, one row per submission."""

from collections.abc import Sequence
from pathlib import Path

from graders.storage.csv_cells import table
from graders.storage.result_json import write_text
from reports.course.view import CourseView, Row
from reports.text import PROSE_LIMIT, line

FILE = "grades.csv"
COLUMNS = ("submission", "student", "status", "score", "max_score", "so_far")
FINAL = ("late_days", "final", "how")
FREE = "late_days_used"


def write_grades(course: CourseView, out: Path) -> Path:
    """Write `out/grades.csv`, as `grades_text` says."""
    return write_text(out / FILE, grades_text(course))


def grades_text(course: CourseView) -> str:
    """Return the table, ordered by submission; a score that is not published is a blank cell."""
    columns = [summary.criterion.id for summary in course.rubric]
    free = [FREE] if course.has_free_days else []
    header = [*COLUMNS, *map(line, columns), *(FINAL if course.has_finals else ()), *free]
    rows = (
        [*_cells(row, columns), *_final_cells(row), *(_free(row) for _ in free)]
        for row in course.rows
    )
    return table([header, *rows])


def _cells(row: Row, columns: Sequence[str]) -> list[str]:
    return [
        line(row.submission.id),
        line(row.submission.student),
        row.status,
        number_cell(row.score),
        number_cell(row.max_score),
        number_cell(row.so_far),
        *(number_cell(row.points.get(column)) for column in columns),
    ]


def _final_cells(row: Row) -> list[str]:
    grade = row.final
    if grade is None:
        return []
    return [str(grade.days_late), number_cell(grade.final), line(grade.words, PROSE_LIMIT)]


def _free(row: Row) -> str:
    return str(row.final.free_days if row.final else 0)


def number_cell(value: float | None) -> str:
    """Return the number as a spreadsheet reads it, or a blank if there is none."""
    return "" if value is None else f"{round(value, 6):.10g}"
