"""The course page: `DIR/index.html`, for staff, with every submission of a run.

Its table contains every row as data, which our own script shows, sorts and searches. Without
scripts, the table of a course with more than ROWS submissions is split into pages that open
quickly:
`DIR/submissions-1.html` and so on.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from markupsafe import Markup

from graders.model import ResultStatus
from graders.storage.files import remove_file
from graders.storage.result_json import write_text
from reports.course.charts import Drawings, draw
from reports.course.generations import Comparison
from reports.course.items import ItemTables, item_tables
from reports.course.regrade import FILE as REGRADED
from reports.course.table import filter_counts, status_counts, table_data
from reports.course.view import CourseView, CriterionSummary, Row
from reports.page import render

ROWS = 250  # per page: half a megabyte of the widest rows
PART = "submissions-{}.html"
STYLE = "course.css"
START = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True, slots=True)
class Part:
    """One page of the table; `number` counts from 1 to `parts`."""

    title: str
    number: int
    parts: int
    rows: tuple[Row, ...]
    rubric: tuple[CriterionSummary, ...]
    max_score: float
    has_finals: bool
    has_names: bool

    @property
    def file(self) -> str:
        """The page's file name, in the folder of `index.html`."""
        return PART.format(self.number)


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a run: `graded` of `total`, not counting those `stored` before it."""

    title: str
    total: int
    stored: int
    graded: int = 0
    running: bool = True
    left: str = ""
    written: datetime = START
    reload_seconds: int = 5


@dataclass(frozen=True, slots=True)
class CoursePage:
    """The view of `index.html`: the course, and the parts of its table that are on other pages."""

    course: CourseView
    parts: tuple[Part, ...]
    drawings: Drawings
    items: ItemTables
    statuses: tuple[tuple[ResultStatus, int], ...]
    filters: tuple[tuple[str, str, int], ...]
    data: Markup
    progress: Progress | None
    comparisons: tuple[Comparison, ...]
    regraded: str
    window: int


def write_course_page(
    course: CourseView,
    out: Path,
    *,
    progress: Progress | None = None,
    comparisons: Sequence[Comparison] = (),
) -> Path:
    """Write `out/index.html` and the pages of a long table; return the path of the former.

    While a run is in progress, the table is not split into pages.
    """
    parts = _parts(course) if len(course.rows) > ROWS and progress is None else ()
    for part in parts:
        write_text(out / part.file, render("submissions.html.jinja", part, style=STYLE))
    _remove_others(out, parts)
    page = CoursePage(
        course=course,
        parts=parts,
        drawings=draw(course),
        items=item_tables(course.items),
        statuses=status_counts(course),
        filters=filter_counts(course),
        data=table_data(course),
        progress=progress,
        comparisons=tuple(comparisons),
        regraded=REGRADED if (out / REGRADED).is_file() else "",
        window=ROWS,
    )
    html = render("course.html.jinja", page, script="course.js", style=STYLE)
    return write_text(out / "index.html", html)


def _parts(course: CourseView) -> tuple[Part, ...]:
    cuts = range(0, len(course.rows), ROWS)
    return tuple(
        Part(
            title=course.title,
            number=number,
            parts=len(cuts),
            rows=course.rows[cut : cut + ROWS],
            rubric=course.rubric,
            max_score=course.max_score,
            has_finals=course.has_finals,
            has_names=course.has_names,
        )
        for number, cut in enumerate(cuts, 1)
    )


def _remove_others(out: Path, parts: Sequence[Part]) -> None:
    """Remove the pages that an earlier, longer course left behind."""
    for path in out.glob(PART.format("*")):
        if path.name not in {part.file for part in parts}:
            remove_file(path)
