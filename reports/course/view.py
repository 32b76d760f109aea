"""Aggregate a course's results; each Result is read once and discarded.

Ten thousand Results with all their texts take gigabytes; the data for a page does not.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import mean, median

from graders.course.best_attempts import Attempt, attempts_by_person
from graders.course.final_grades import FinalGrade
from graders.course.item_statistics import Items, ItemStatistics, Repeats
from graders.errors import ON_A_GPU
from graders.failures import Cluster, Failures
from graders.model import UNANSWERED, Criterion, Result, ResultStatus, Submission
from graders.scoring import points_lost
from graders.storage.requests import Request
from reports.course.accuracies import Accuracies, AccuracySeries
from reports.course.twins import Twins
from reports.provisional import so_far
from reports.text import PROSE_LIMIT, number
from reports.words import (
    endings,
    for_staff,
    intake_notes,
    is_without_points,
    no_answer,
    people,
    unanswered,
    undecided,
)
from submissions.people import all_dropped

NO_POINTS = "No points. Is the upload empty, or only the starter code?"
NEEDS_GPU = (
    "The code asks for a GPU by name and was graded on a CPU. It may be correct on a GPU: read the "
    "lines in question before you take the points off."
)
ANSWERS = "Written answers need manual grading: python grade.py review DIR."
REQUESTED = "A regrade request is open: python grade.py requests DIR."
BINS = 10
ROUNDING = 1e-9  # fraction of a bar
HINTS_SHOWN = 15
URGENCY: tuple[ResultStatus, ...] = ("incomplete", "rejected", "needs_review", "graded")


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
class Reason:
    """Why a submission needs attention, and the criterion that waits for a decision, if any."""

    text: str
    criterion: str = ""

    @property
    def first_line(self) -> str:
        """The text without the lines that are about one submission."""
        return self.text.partition("\n")[0]


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table: points by criterion, and the outcomes of checks without an answer.

    `reason` says why it needs attention, or is empty. `missing` are files that the assignment
    requires and the upload lacks. `final` is set if the assignment declares how a score becomes a
    grade: for all rows of a course or for none.
    """

    submission: Submission
    status: ResultStatus
    score: float | None
    max_score: float
    so_far: float | None
    points: Mapping[str, float | None]
    unanswered: Mapping[str, int]
    reasons: tuple[Reason, ...]
    missing: tuple[str, ...] = ()
    final: FinalGrade | None = None

    @property
    def dropped(self) -> bool:
        """Whether everyone who submitted it left the course: it is in no statistics."""
        return all_dropped(self.submission.student)

    @property
    def reason(self) -> str:
        """The first line of each reason why it needs attention, or nothing."""
        return " ".join(reason.first_line for reason in self.reasons)

    @property
    def has_no_points(self) -> bool:
        """Return True if nothing that was graded earned points."""
        return self.so_far == 0 if self.score is None else self.score == 0


@dataclass(frozen=True, slots=True)
class Waiting:
    """Submissions with one status that need attention for the same reason."""

    status: ResultStatus
    reason: str
    submissions: tuple[Submission, ...]


@dataclass(frozen=True, slots=True)
class CourseView:
    """Everything that the template can use.

    `mean_so_far` is the mean of the points that are certain, or None if nothing is undecided.
    `hints` are given to values that are incorrect, advice last, and `rarer` counts those that are
    not among them. `unnamed` are failures that no hint explains, such as exceptions; `alone` are
    those of a check that fails where all others pass.
    """

    title: str
    rubric: tuple[CriterionSummary, ...]
    rows: tuple[Row, ...]
    graded: int
    max_score: float
    mean: float | None
    median: float | None
    mean_so_far: float | None
    bins: tuple[Bin, ...]
    endings: tuple[Ending, ...]
    hints: tuple[CommonHint, ...]
    rarer: int
    unnamed: tuple[Cluster, ...]
    alone: tuple[Cluster, ...]
    waiting: tuple[Waiting, ...]
    twins: tuple[Twins, ...]
    items: tuple[ItemStatistics, ...]
    accuracies: tuple[AccuracySeries, ...]
    median_seconds: float | None
    median_memory_bytes: float | None

    @property
    def judged(self) -> tuple[CriterionSummary, ...]:
        """The criteria with points for which somebody has a grade."""
        return tuple(each for each in self.rubric if each.criterion.points and each.graded)

    @property
    def unjudged(self) -> tuple[Criterion, ...]:
        """The criteria with points for which nobody has a grade yet."""
        summaries = (each for each in self.rubric if each.criterion.points and not each.graded)
        return tuple(each.criterion for each in summaries)

    @property
    def needs_attention(self) -> int:
        """The number of submissions that need attention."""
        return len({submission.id for group in self.waiting for submission in group.submissions})

    @property
    def dropped(self) -> int:
        """The number of submissions of students who left the course."""
        return sum(row.dropped for row in self.rows)

    @property
    def has_free_days(self) -> bool:
        """Whether late days were used that cost nothing."""
        return any(row.final is not None and row.final.free_days for row in self.rows)

    @property
    def has_fewer_points(self) -> bool:
        """Return True if some score has a lower maximum, as after an excuse."""
        scored = (row for row in self.rows if row.score is not None)
        return any(row.max_score < self.max_score for row in scored)

    @property
    def has_names(self) -> bool:
        """Return True if some student's name differs from the submission's ID."""
        submissions = (row.submission for row in self.rows)
        return any(
            people(submission.student).strip() not in ("", submission.id)
            for submission in submissions
        )

    @property
    def has_finals(self) -> bool:
        """Whether the assignment declares how a score becomes a grade."""
        return any(row.final is not None for row in self.rows)


@dataclass(slots=True)
class Counted:
    """The data of all results so far; each result is read once."""

    title: tuple[str, str] | None = None  # with the submission that it comes from, as below
    rubric: dict[str, tuple[str, int, Criterion]] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    highest: float = 0.0
    checks: Counter[str] = field(default_factory=Counter)
    submissions: Counter[str] = field(default_factory=Counter)
    hints: dict[tuple[str, str], list[Submission]] = field(
        default_factory=lambda: defaultdict(list)
    )
    lost: dict[tuple[str, str], float] = field(default_factory=lambda: defaultdict(float))
    failures: Failures = field(default_factory=Failures)
    items: Items = field(default_factory=Items)
    accuracies: Accuracies = field(default_factory=Accuracies)

    def add(
        self,
        result: Result,
        final: FinalGrade | None = None,
        requests: Sequence[Request] = (),
    ) -> None:
        """Count a Result with its final grade and regrade requests; the Result can be discarded."""
        submission = result.submission
        title = (submission.id, result.title)
        self.title = min(self.title or title, title)
        self.highest = max(self.highest, result.max_score)
        for index, graded in enumerate(result.criteria):
            # The first submission by name determines the order, whatever the order of reading.
            entry = (submission.id, index, graded.declared)
            first = self.rubric.setdefault(graded.criterion.id, entry)
            if entry[:2] < first[:2]:
                self.rubric[graded.criterion.id] = entry
        self.rows.append(
            row_of(result, final, [request for request in requests if request.is_open])
        )
        if not self.rows[-1].dropped:
            self._count(result)

    def _count(self, result: Result) -> None:
        """Count a Result in the statistics."""
        ways = endings(result)
        self.checks.update(ways)
        self.submissions.update(ways.keys())
        for graded in result.criteria:
            answered = (c for c in graded.checks if c.message != UNANSWERED)
            wrong = [c for c in answered if c.status in ("failed", "partial")]
            for hint in {c.hint for c in wrong if c.hint and not no_answer(c)}:
                self.hints[graded.criterion.id, hint].append(result.submission)
                alike = [c for c in wrong if c.hint == hint]
                self.lost[graded.criterion.id, hint] += points_lost(graded, alike)
        self.failures.add(result)
        self.items.add(result)
        self.accuracies.add(result)

    def view(self, twins: Iterable[Twins] = (), repeats: Repeats | None = None) -> CourseView:
        """Return the course, sorted by submission.

        `repeats` are the store's counts of regradings.
        """
        rows = _with_repeated(sorted(self.rows, key=lambda row: row.submission.id))
        staying = [row for row in rows if not row.dropped]
        scores = [
            _in_proportion(row.score, row.max_score, self.highest)
            for row in staying
            if row.score is not None
        ]
        return CourseView(
            title=self.title[1] if self.title else "No submissions",
            rubric=tuple(_summary(criterion, staying) for criterion in _rubric(self)),
            rows=rows,
            graded=sum(row.status == "graded" for row in staying),
            max_score=self.highest,
            mean=mean(scores) if scores else None,
            median=median(scores) if scores else None,
            mean_so_far=_mean_so_far(staying, self.highest),
            bins=tuple(_bins(scores, self.highest)),
            endings=tuple(_endings(self)),
            hints=tuple(_hints(self)[:HINTS_SHOWN]),
            rarer=max(0, len(self.hints) - HINTS_SHOWN),
            unnamed=tuple(self.failures.unnamed()[:HINTS_SHOWN]),
            alone=tuple(self.failures.alone()[:HINTS_SHOWN]),
            waiting=tuple(_waiting(rows)),
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


def row_of(result: Result, final: FinalGrade | None, requests: Sequence[Request]) -> Row:
    """Return a submission's row, with its open regrade requests."""
    sentences = (*([REQUESTED] if requests else []), *_outdated(result))
    return Row(
        submission=result.submission,
        status=result.status,
        score=result.score,
        max_score=result.max_score,
        so_far=so_far(result),
        points={c.criterion.id: c.points for c in result.criteria if not c.is_excused},
        unanswered=unanswered(result),
        reasons=tuple(
            replace(each, text=each.text[:PROSE_LIMIT])
            for each in (*map(Reason, sentences), *_reasons(result))
        ),
        missing=_missing(result),
        final=final,
    )


def _outdated(result: Result) -> Iterator[str]:
    """Yield a sentence for each adjustment that was made when the checks gave other points."""
    for graded in result.criteria:
        change = graded.adjusted
        if change is None or graded.is_excused or change.machine is None or change.seen is None:
            continue
        if change.machine != change.seen:
            yield (
                f"The checks of {graded.criterion.id} gave {number(change.seen)} when somebody "
                f"adjusted it to {number(graded.points or 0.0)}, and give "
                f"{number(change.machine)} now."
            )


def _in_proportion(score: float, most: float, highest: float) -> float:
    """Return a score out of `most` points as one out of `highest`."""
    return score * highest / most if 0 < most < highest else score


def _mean_so_far(rows: Sequence[Row], highest: float) -> float | None:
    """Return the mean of the points that are certain, or None if each row has a score."""
    if all(row.score is not None or row.so_far is None for row in rows):
        return None
    return mean(
        _in_proportion(points, row.max_score, highest)
        for row in rows
        if (points := row.so_far if row.score is None else row.score) is not None
    )


def _missing(result: Result) -> tuple[str, ...]:
    names = result.environment.get("missing")
    return tuple(map(str, names)) if isinstance(names, list | tuple) else ()


def _rubric(counted: Counted) -> list[Criterion]:
    return [criterion for *_, criterion in sorted(counted.rubric.values(), key=lambda r: r[:2])]


def _summary(criterion: Criterion, rows: Sequence[Row]) -> CriterionSummary:
    values = (row.points.get(criterion.id) for row in rows)
    points = [value for value in values if value is not None]
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
        # have two decimals, and 0.6 / 0.2 is less than 3 in binary.
        counts[min(max(int(score / width + ROUNDING), 0), BINS - 1)] += 1
    for index, count in enumerate(counts):
        yield Bin(index * width, (index + 1) * width, count)


def _with_repeated(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Return the rows with a reason for attention if several submissions of a student count."""
    several = dict[str, Reason]()
    for attempts in attempts_by_person([Attempt(row.submission, None) for row in rows]).values():
        names = list(dict.fromkeys(attempt.submission.id for attempt in attempts))
        if len(names) > 1:
            text = f"More than one submission of this student counts: {', '.join(names)}."
            several |= dict.fromkeys(names, Reason(text))
    return tuple(
        replace(row, reasons=(several[row.submission.id], *row.reasons))
        if row.submission.id in several
        else row
        for row in rows
    )


def _waiting(rows: Sequence[Row]) -> Iterator[Waiting]:
    """Group the submissions that need attention; only the first line of a shared reason is shown.

    The lines after it are about one submission, such as how many of its answers are correct.
    """
    groups: dict[tuple[ResultStatus, str], dict[Submission, str]] = defaultdict(dict)
    for row in rows:
        for reason in row.reasons:
            groups[row.status, reason.first_line].setdefault(row.submission, reason.text)
    for (status, first), alike in sorted(
        groups.items(), key=lambda item: URGENCY.index(item[0][0])
    ):
        text = next(iter(alike.values())) if len(alike) == 1 else first
        yield Waiting(status, text, tuple(alike))


def _endings(counted: Counted) -> Iterator[Ending]:
    for word, checks in sorted(counted.checks.items(), key=lambda item: (-item[1], item[0])):
        yield Ending(word, checks, counted.submissions[word])


def _hints(counted: Counted) -> list[CommonHint]:
    hints = [
        CommonHint(hint, counted.rubric[criterion][-1], _by_id(submissions))
        for (criterion, hint), submissions in counted.hints.items()
    ]

    def place(common: CommonHint) -> tuple[object, ...]:
        name = common.criterion.id, common.hint
        lost = round(counted.lost[name], 2)
        return not common.criterion.points, -len(common.submissions), -lost, name

    return sorted(hints, key=place)


def _by_id(submissions: Iterable[Submission]) -> tuple[Submission, ...]:
    return tuple(sorted(submissions, key=lambda submission: submission.id))


def _reasons(result: Result) -> Iterator[Reason]:
    """Yield why staff should look at a submission."""
    if is_without_points(result):
        yield Reason(" ".join((NO_POINTS, *intake_notes(result))))
        return
    if any(c.hint == ON_A_GPU for graded in result.criteria for c in graded.checks):
        yield Reason(NEEDS_GPU)
    if result.status != "graded":
        yield from _reasons_to_wait(result)


def _reasons_to_wait(result: Result) -> Iterator[Reason]:
    if result.faults:
        yield Reason(result.faults[0])
        return
    open_ = [(graded, check) for graded in result.criteria for check in undecided(graded)]
    if not open_ and (notes := intake_notes(result)):
        yield Reason(" ".join(notes))
    # Errors come before checks that need manual grading by design.
    for graded, check in sorted(open_, key=lambda pair: pair[1].status != "error"):
        if graded.criterion.kind == "written" and check.status != "error":
            continue
        title = graded.criterion.title
        end = "" if title.endswith(("?", "!", ".")) else ":"
        text = f"{title}{end} {for_staff(check.message) or check.check.description}"
        yield Reason(text, "" if check.status == "error" else graded.criterion.id)
    if any(
        graded.criterion.kind == "written" and check.status == "needs_review"
        for graded, check in open_
    ):
        yield Reason(ANSWERS)
