"""The grades as one table for a spreadsheet: `DIR/grades.csv`, a row a submission."""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from graders.final_grades import FinalGrade
from graders.store import write_text
from reports.course.view import CourseView, Row
from reports.text import LINE_LIMIT, PROSE_LIMIT, line

COLUMNS = ("submission", "student", "status", "score", "max_score", "so_far")
FINAL = ("late_days", "final", "how")
# What a spreadsheet runs as a formula; the full-width forms count in East Asian settings.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
# A spreadsheet of another country may divide the line at these, whatever stands around them; and
# what it takes for quotes goes.
_INNER = re.compile(r"[;,][\s\"]*(?=[-=+@＝＋－＠])")


def write_grades(
    course: CourseView, out: Path, finals: Mapping[str, FinalGrade] | None = None
) -> Path:
    """Write `out/grades.csv`, ordered by submission; a score not published is a blank cell.

    `finals` are the grades by submission, where the assignment declares how they come.
    """
    columns = [summary.criterion.id for summary in course.rubric]
    table = io.StringIO(newline="")
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow([*COLUMNS, *map(cell, columns), *(FINAL if finals else ())])
    for row in course.rows:
        writer.writerow([*_cells(row, columns), *_final_cells(row, finals)])
    return write_text(out / "grades.csv", table.getvalue())


def cell(text: str, limit: int = LINE_LIMIT) -> str:
    """The text on one line, with an apostrophe before what a spreadsheet would run."""
    shown = _INNER.sub(r"\g<0>'", line(text, limit))
    return f"'{shown}" if text.lstrip().startswith(_FORMULA) or text[:1] in _FORMULA else shown


def _cells(row: Row, columns: Sequence[str]) -> list[str]:
    return [
        cell(row.submission.id),
        cell(row.submission.student),
        row.status,
        number_cell(row.score),
        number_cell(row.max_score),
        number_cell(row.so_far),
        *(number_cell(row.points.get(column)) for column in columns),
    ]


def _final_cells(row: Row, finals: Mapping[str, FinalGrade] | None) -> list[str]:
    grade = finals.get(row.submission.id) if finals else None
    if grade is None:
        return ["", "", ""] if finals else []
    return [str(grade.days_late), number_cell(grade.final), cell(grade.words, PROSE_LIMIT)]


def number_cell(value: float | None) -> str:
    """The number as a spreadsheet reads it; a blank where there is none."""
    return "" if value is None else f"{round(value, 6):.10g}"
