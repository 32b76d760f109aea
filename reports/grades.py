"""The grades as one table for a spreadsheet: `DIR/grades.csv`, a row a submission."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from graders.store import write_text
from reports.course_view import CourseView, Row
from reports.text import line

COLUMNS = ("submission", "student", "status", "score", "max_score", "so_far")
# What a spreadsheet runs as a formula; the full-width forms count in East Asian settings.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")


def write_grades(course: CourseView, out: Path) -> Path:
    """Write `out/grades.csv`, ordered by submission; a score not published is a blank cell."""
    columns = [summary.criterion.id for summary in course.rubric]
    table = io.StringIO(newline="")
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow([*COLUMNS, *map(cell, columns)])
    writer.writerows(_cells(row, columns) for row in course.rows)
    return write_text(out / "grades.csv", table.getvalue())


def cell(text: str) -> str:
    """The text on one line, with an apostrophe before what a spreadsheet would run."""
    shown = line(text)
    return f"'{shown}" if text.lstrip().startswith(_FORMULA) or text[:1] in _FORMULA else shown


def _cells(row: Row, columns: Sequence[str]) -> list[str]:
    return [
        cell(row.submission.id),
        cell(row.submission.student),
        row.status,
        _number(row.score),
        _number(row.max_score),
        _number(row.so_far),
        *(_number(row.points.get(column)) for column in columns),
    ]


def _number(value: float | None) -> str:
    return "" if value is None else f"{round(value, 6):.10g}"
