"""The course page: `DIR/index.html`, for staff, with every submission of a run.

A course of more than ROWS submissions has its table on pages of its own, so that every page
opens at once: `DIR/submissions-1.html` and so on, each linked from the first.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from graders.store import write_text
from reports.course_view import CourseView, CriterionSummary, Row
from reports.page import render

ROWS = 250  # to a page: half a megabyte of the widest rows
PART = "submissions-{}.html"


@dataclass(frozen=True, slots=True)
class Part:
    """One page of the table; `number` counts from 1, and there are `parts`."""

    title: str
    number: int
    parts: int
    rows: tuple[Row, ...]
    rubric: tuple[CriterionSummary, ...]
    max_score: float

    @property
    def file(self) -> str:
        """The page's name, beside `index.html`."""
        return PART.format(self.number)


@dataclass(frozen=True, slots=True)
class CoursePage:
    """What `index.html` shows: the course, and the parts of its table that lie elsewhere."""

    course: CourseView
    parts: tuple[Part, ...]


def write_course_page(course: CourseView, out: Path) -> Path:
    """Write `out/index.html`, and the pages of a long table; return the path of the first."""
    parts = _parts(course) if len(course.rows) > ROWS else ()
    for part in parts:
        write_text(out / part.file, render("submissions.html.jinja", part, script="sort.js"))
    _remove_others(out, parts)
    page = render("course.html.jinja", CoursePage(course, parts), script="sort.js")
    return write_text(out / "index.html", page)


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
        )
        for number, cut in enumerate(cuts, 1)
    )


def _remove_others(out: Path, parts: Sequence[Part]) -> None:
    """Remove the pages that an earlier, longer course left behind."""
    for path in out.glob(PART.format("*")):
        if path.name not in {part.file for part in parts}:
            path.unlink(missing_ok=True)
