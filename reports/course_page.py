"""The course page: `DIR/index.html`, for staff, with every submission of a run."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median

from graders.model import Criterion, CriterionResult, Result, Submission
from graders.store import write_text
from reports.grades import in_order, rubric
from reports.page import render
from reports.twins import Twins
from reports.words import intake_notes, undecided

BINS = 10
HINTS_SHOWN = 15


@dataclass(frozen=True, slots=True)
class Bin:
    """One bar of the distribution: scores from `low` up to `high`."""

    low: float
    high: float
    count: int


@dataclass(frozen=True, slots=True)
class CriterionSummary:
    """How a criterion went over all submissions that have points in it."""

    criterion: Criterion
    graded: int
    full: int
    none: int
    mean: float | None


@dataclass(frozen=True, slots=True)
class CommonHint:
    """A hint, and the submissions it was given to."""

    hint: str
    criterion: Criterion
    submissions: tuple[Submission, ...]


@dataclass(frozen=True, slots=True)
class Waiting:
    """A submission that needs a person first, and why."""

    result: Result
    reason: str


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table; `criteria` stand in the rubric's order, None where there is none."""

    result: Result
    criteria: tuple[CriterionResult | None, ...]


@dataclass(frozen=True, slots=True)
class CourseView:
    """All that the template gets to see."""

    title: str
    rubric: tuple[CriterionSummary, ...]
    rows: tuple[Row, ...]
    published: int
    max_score: float
    mean: float | None
    median: float | None
    bins: tuple[Bin, ...]
    hints: tuple[CommonHint, ...]
    waiting: tuple[Waiting, ...]
    twins: tuple[Twins, ...]


def write_course_page(results: Iterable[Result], out: Path, twins: Iterable[Twins] = ()) -> Path:
    """Write `out/index.html` and return its path."""
    page = render("course.html.jinja", course_view(results, twins), script="sort.js")
    return write_text(out / "index.html", page)


def course_view(results: Iterable[Result], twins: Iterable[Twins] = ()) -> CourseView:
    """The course's results, counted and ordered by submission."""
    ordered = in_order(results)
    criteria = rubric(ordered)
    scores = [result.score for result in ordered if result.score is not None]
    highest = max((result.max_score for result in ordered), default=0.0)
    return CourseView(
        title=ordered[0].title if ordered else "No submissions",
        rubric=tuple(_summary(criterion, ordered) for criterion in criteria),
        rows=tuple(_row(result, criteria) for result in ordered),
        published=len(scores),
        max_score=highest,
        mean=mean(scores) if scores else None,
        median=median(scores) if scores else None,
        bins=tuple(_bins(scores, highest)),
        hints=tuple(_hints(ordered)[:HINTS_SHOWN]),
        waiting=tuple(_waiting(ordered)),
        twins=tuple(twins),
    )


def _summary(criterion: Criterion, results: Sequence[Result]) -> CriterionSummary:
    graded = (c for result in results for c in result.criteria if c.criterion.id == criterion.id)
    points = [c.points for c in graded if c.points is not None]
    return CriterionSummary(
        criterion=criterion,
        graded=len(points),
        full=sum(p >= criterion.points for p in points),
        none=sum(p <= 0 for p in points),
        mean=mean(points) if points else None,
    )


def _row(result: Result, criteria: Sequence[Criterion]) -> Row:
    graded = {c.criterion.id: c for c in result.criteria}
    return Row(result, tuple(graded.get(criterion.id) for criterion in criteria))


def _bins(scores: Sequence[float], highest: float) -> Iterator[Bin]:
    if not scores or highest <= 0:
        return
    width = highest / BINS
    counts = [0] * BINS
    for score in scores:
        # Full marks belong to the last bar, extra credit too.
        counts[min(max(int(score / width), 0), BINS - 1)] += 1
    for index, count in enumerate(counts):
        yield Bin(index * width, (index + 1) * width, count)


def _hints(results: Sequence[Result]) -> list[CommonHint]:
    given: dict[tuple[str, str], tuple[Criterion, dict[str, Submission]]] = {}
    for result in results:
        for graded in result.criteria:
            for hint in {found.hint for found in graded.checks if found.hint}:
                key = (graded.criterion.id, hint)
                _, submissions = given.setdefault(key, (graded.criterion, {}))
                submissions[result.submission.id] = result.submission
    hints = [CommonHint(key[1], c, tuple(s.values())) for key, (c, s) in given.items()]
    return sorted(hints, key=lambda h: (-len(h.submissions), h.criterion.id, h.hint))


def _waiting(results: Sequence[Result]) -> Iterator[Waiting]:
    groups = defaultdict(list)
    for result in results:
        groups[result.status].append(result)
    for status in ("incomplete", "rejected", "needs_review"):
        for result in groups[status]:
            yield Waiting(result, _reason(result))


def _reason(result: Result) -> str:
    faults = result.environment.get("faults")
    if isinstance(faults, list) and faults:
        return str(faults[0])
    for graded in result.criteria:
        for found in undecided(graded):
            return f"{graded.criterion.title}: {found.message or found.check.description}"
    return " ".join(intake_notes(result))
