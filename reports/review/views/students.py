"""The view of the start page: all students, the release, and files to download."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from graders.course.extensions import read_extensions
from graders.course.release import end_of
from graders.storage.rows import Release
from reports.course.files import not_shown_yet
from reports.course.view import ANSWERS, REQUESTED, Row
from reports.grades import FILE
from reports.review.outputs import is_older
from reports.review.views.frame import Frame, frame
from reports.review.web.sessions import Session
from reports.review.web.site import Site
from reports.words import STATUS_WORDS
from submissions.people import folded

ROWS = 200  # on one page
# Which students are listed, the most urgent first: all who need attention, or those for one reason.
SHOWN = {
    "attention": "Needs attention",
    "requests": "Open regrade request",
    "incomplete": STATUS_WORDS["incomplete"],
    "rejected": STATUS_WORDS["rejected"],
    "needs_review": STATUS_WORDS["needs_review"],
}


@dataclass(frozen=True, slots=True)
class Search:
    """The filter of the list: all of these words, and one of `SHOWN`."""

    words: str = ""
    show: str = ""
    page: int = 1


@dataclass(frozen=True, slots=True)
class StartView:
    """The view of the start page; `waiting` says which criteria students do not see, and why."""

    frame: Frame
    wanted: Search
    rows: tuple[Row, ...]
    asked: frozenset[str]
    found: int
    students: int
    counts: Mapping[str, int]
    has_names: bool
    has_finals: bool
    waiting: tuple[str, ...]
    release: Release | None
    files: tuple[str, ...]
    is_behind: bool
    problem: str
    requested: str = REQUESTED
    answers: str = ANSWERS
    shown: Mapping[str, str] = field(default_factory=lambda: SHOWN)

    @property
    def pages(self) -> int:
        """The number of pages of the list."""
        return max(1, -(-self.found // ROWS))


def start_view(site: Site, session: Session, search: Search) -> StartView:
    """Return the start page."""
    review = site.review
    rows = [student.row for student in site.students.all()]
    words = folded(search.words).split()
    requested = frozenset(
        request.submission for request in review.store.requests().all() if request.is_open
    )
    kinds = {row.submission.id: _kinds(row, requested) for row in rows}
    matches = [
        row
        for row in rows
        if _has(row, words) and (not search.show or search.show in kinds[row.submission.id])
    ]
    searched = bool(words or search.show)
    session.matches = tuple(row.submission.id for row in matches) if searched else ()
    task, rules = review.assignment_now(), site.students.rules()
    end = end_of(task, read_extensions(review.folder, task))
    start = (search.page - 1) * ROWS
    return StartView(
        frame=frame(site, session, "/"),
        wanted=search,
        rows=tuple(matches[start : start + ROWS]),
        asked=requested,
        found=len(matches),
        students=len(rows),
        counts=Counter(kind for row_kinds in kinds.values() for kind in row_kinds),
        has_names=any(row.submission.student not in ("", row.submission.id) for row in rows),
        has_finals=any(row.final is not None for row in rows),
        waiting=tuple(not_shown_yet(task, rules.opened, end)),
        release=review.store.last_release(),
        files=tables(review.folder),
        is_behind=(
            site.outputs.are_behind
            or review.unwritten() > 0
            or is_older(review.folder / FILE, review.store)
        ),
        problem=site.outputs.problem,
    )


def tables(folder: Path) -> tuple[str, ...]:
    """Return the names of the CSV files in DIR."""
    names = (file.name for file in folder.glob("*.csv") if file.is_file())
    return tuple(sorted(name for name in names if not name.startswith(".")))


def _kinds(row: Row, requested: Collection[str]) -> set[str]:
    """Return which of `SHOWN` list a submission."""
    if not row.reason:
        return set()
    kinds = {"attention", row.status} | ({"requests"} if row.submission.id in requested else set())
    return kinds & {*SHOWN}


def _has(row: Row, words: list[str]) -> bool:
    text = folded(f"{row.submission.id}\n{row.submission.student}")
    return all(word in text for word in words)
