"""Aggregate a course's results; each Result is read once and discarded.

Ten thousand Results with all their texts take gigabytes; the data for a page does not.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean, median

from graders.course.item_statistics import Items, ItemStatistics, Repeats
from graders.model import Criterion, Result, ResultStatus, Submission
from reports.course.accuracies import Accuracies, AccuracySeries
from reports.course.twins import Twins
from reports.provisional import so_far
from reports.text import PROSE_LIMIT
from reports.words import endings, intake_notes, unanswered, undecided

BINS = 10
ROUNDING = 1e-9  # fraction of a bar
HINTS_SHOWN = 15
URGENCY: tuple[ResultStatus, ...] = ("incomplete", "rejected", "needs_review")


@dataclass(frozen=True, slots=True)
class Bin:
    """One bar of a histogram: points from `low` up to `high`."""

    low: float
    high: float
    count: int


@dataclass(frozen=True, slots=True)
class CriterionSummary:
    """Statistics of a criterion over all submissions that have points for it."""

    criterion: Criterion
    graded: int
    full: int
    none: int
    mean: float | None
    bins: tuple[Bin, ...]


@dataclass(frozen=True, slots=True)
class CommonHint:
    """A hint, and the submissions that received it."""

    hint: str
    criterion: Criterion
    submissions: tuple[Submission, ...]


@dataclass(frozen=True, slots=True)
class Ending:
    """An outcome of checks, with its number of checks and of submissions."""

    word: str
    checks: int
    submissions: int


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table: points by criterion, and the outcomes of checks without an answer.

    `reason` says why the submission needs manual grading, if it does.
    """

    submission: Submission
    status: ResultStatus
    score: float | None
    max_score: float
    so_far: float | None
    points: Mapping[str, float | None]
    unanswered: Mapping[str, int]
    reason: str


@dataclass(frozen=True, slots=True)
class CourseView:
    """Everything that the template gets; `rarer` counts the hints that are not in `hints`."""

    title: str
    rubric: tuple[CriterionSummary, ...]
    rows: tuple[Row, ...]
    published: int
    max_score: float
    mean: float | None
    median: float | None
    bins: tuple[Bin, ...]
    endings: tuple[Ending, ...]
    hints: tuple[CommonHint, ...]
    rarer: int
    waiting: tuple[Row, ...]
    twins: tuple[Twins, ...]
    items: tuple[ItemStatistics, ...]
    accuracies: tuple[AccuracySeries, ...]
    median_seconds: float | None
    median_memory_bytes: float | None


@dataclass(slots=True)
class Counted:
    """Data from all results seen so far, each of which is read once."""

    title: tuple[str, str] | None = None  # with the submission that it comes from, as below
    rubric: dict[str, tuple[str, int, Criterion]] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    highest: float = 0.0
    checks: Counter[str] = field(default_factory=Counter)
    submissions: Counter[str] = field(default_factory=Counter)
    hints: dict[tuple[str, str], list[Submission]] = field(
        default_factory=lambda: defaultdict(list)
    )
    items: Items = field(default_factory=Items)
    accuracies: Accuracies = field(default_factory=Accuracies)

    def add(self, result: Result) -> None:
        """Count a Result, which may be discarded afterwards."""
        submission = result.submission
        title = (submission.id, result.title)
        self.title = min(self.title or title, title)
        self.highest = max(self.highest, result.max_score)
        ways = endings(result)
        self.checks.update(ways)
        self.submissions.update(ways.keys())
        for index, graded in enumerate(result.criteria):
            # The first submission by name determines the order, whatever the order of reading.
            found = (submission.id, index, graded.criterion)
            known = self.rubric.setdefault(graded.criterion.id, found)
            if found[:2] < known[:2]:
                self.rubric[graded.criterion.id] = found
            for hint in {check.hint for check in graded.checks if check.hint}:
                self.hints[graded.criterion.id, hint].append(submission)
        self.rows.append(_row(result))
        self.items.add(result)
        self.accuracies.add(result)

    def view(self, twins: Iterable[Twins] = (), repeats: Repeats | None = None) -> CourseView:
        """Return the course, sorted by submission.

        `repeats` are the store's counts of regradings.
        """
        rows = tuple(sorted(self.rows, key=lambda row: row.submission.id))
        scores = [row.score for row in rows if row.score is not None]
        return CourseView(
            title=self.title[1] if self.title else "No submissions",
            rubric=tuple(_summary(criterion, rows) for criterion in _rubric(self)),
            rows=rows,
            published=len(scores),
            max_score=self.highest,
            mean=mean(scores) if scores else None,
            median=median(scores) if scores else None,
            bins=tuple(_bins(scores, self.highest)),
            endings=tuple(_endings(self)),
            hints=tuple(_hints(self)[:HINTS_SHOWN]),
            rarer=max(0, len(self.hints) - HINTS_SHOWN),
            waiting=tuple(row for status in URGENCY for row in rows if row.status == status),
            twins=tuple(twins),
            items=self.items.statistics(repeats),
            accuracies=self.accuracies.series(),
            median_seconds=self.items.median_seconds,
            median_memory_bytes=self.items.median_memory_bytes,
        )


def course_view(results: Iterable[Result], twins: Iterable[Twins] = ()) -> CourseView:
    """Aggregate the course's results, sorted by submission."""
    counted = Counted()
    for result in results:
        counted.add(result)
    return counted.view(twins)


def _row(result: Result) -> Row:
    return Row(
        submission=result.submission,
        status=result.status,
        score=result.score,
        max_score=result.max_score,
        so_far=so_far(result),
        points={each.criterion.id: each.points for each in result.criteria},
        unanswered=unanswered(result),
        reason=_reason(result)[:PROSE_LIMIT] if result.status in URGENCY else "",
    )


def _rubric(counted: Counted) -> list[Criterion]:
    return [criterion for *_, criterion in sorted(counted.rubric.values(), key=lambda r: r[:2])]


def _summary(criterion: Criterion, rows: Sequence[Row]) -> CriterionSummary:
    given = (row.points.get(criterion.id) for row in rows)
    points = [each for each in given if each is not None]
    return CriterionSummary(
        criterion=criterion,
        graded=len(points),
        full=sum(p >= criterion.points for p in points),
        none=sum(p <= 0 for p in points),
        mean=mean(points) if points else None,
        bins=tuple(_bins(points, criterion.points)),
    )


def _bins(scores: Sequence[float], highest: float) -> Iterator[Bin]:
    if not scores or highest <= 0:
        return
    width = highest / BINS
    counts = [0] * BINS
    for score in scores:
        # The last bar includes full marks and extra credit. A bar includes its lower edge: points
        # have two
        # decimals, and 0.6 / 0.2 is less than 3 in binary.
        counts[min(max(int(score / width + ROUNDING), 0), BINS - 1)] += 1
    for index, count in enumerate(counts):
        yield Bin(index * width, (index + 1) * width, count)


def _endings(counted: Counted) -> Iterator[Ending]:
    for word, checks in sorted(counted.checks.items(), key=lambda item: (-item[1], item[0])):
        yield Ending(word, checks, counted.submissions[word])


def _hints(counted: Counted) -> list[CommonHint]:
    hints = [
        CommonHint(hint, counted.rubric[criterion][-1], _by_id(submissions))
        for (criterion, hint), submissions in counted.hints.items()
    ]
    return sorted(hints, key=lambda h: (-len(h.submissions), h.criterion.id, h.hint))


def _by_id(submissions: Iterable[Submission]) -> tuple[Submission, ...]:
    return tuple(sorted(submissions, key=lambda submission: submission.id))


def _reason(result: Result) -> str:
    faults = result.environment.get("faults")
    if isinstance(faults, list) and faults:
        return str(faults[0])
    open_ = [(graded, found) for graded in result.criteria for found in undecided(graded)]
    if not open_:
        return " ".join(intake_notes(result))
    # Errors come before checks that need manual grading by design.
    graded, found = min(open_, key=lambda each: each[1].status != "error")
    return f"{graded.criterion.title}: {found.message or found.check.description}"
