"""The grades as one table for a spreadsheet: `DIR/grades.csv`, a row a submission."""

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from graders.model import Criterion, Result
from graders.store import write_text
from reports.text import line

COLUMNS = ("submission", "student", "status", "score", "max_score")
# What a spreadsheet runs as a formula; the full-width forms count in East Asian settings.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")


def write_grades(results: Iterable[Result], out: Path) -> Path:
    """Write `out/grades.csv`, ordered by submission; a score not published is a blank cell."""
    ordered = in_order(results)
    columns = [c.id for c in rubric(ordered)]
    table = io.StringIO(newline="")
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow([*COLUMNS, *map(cell, columns)])
    writer.writerows(_row(result, columns) for result in ordered)
    return write_text(out / "grades.csv", table.getvalue())


def in_order(results: Iterable[Result]) -> list[Result]:
    """The results by submission id, whatever order they finished in."""
    return sorted(results, key=lambda result: result.submission.id)


def rubric(results: Sequence[Result]) -> list[Criterion]:
    """Every criterion of the results, in the order they name them."""
    found: dict[str, Criterion] = {}
    for result in results:
        for graded in result.criteria:
            found.setdefault(graded.criterion.id, graded.criterion)
    return list(found.values())


def cell(text: str) -> str:
    """The text on one line, with an apostrophe before what a spreadsheet would run."""
    shown = line(text)
    return f"'{shown}" if text.lstrip().startswith(_FORMULA) or text[:1] in _FORMULA else shown


def _row(result: Result, columns: Sequence[str]) -> list[str]:
    points = {graded.criterion.id: graded.points for graded in result.criteria}
    return [
        cell(result.submission.id),
        cell(result.submission.student),
        result.status,
        _number(result.score),
        _number(result.max_score),
        *(_number(points.get(column)) for column in columns),
    ]


def _number(value: float | None) -> str:
    return "" if value is None else f"{round(value, 6):.10g}"
