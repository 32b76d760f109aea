"""A student's page: `DIR/reports/<submission>.html`.

If the page would be too large for an email, its texts are shortened.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from graders.course.release import PLAIN, CourseRules
from graders.model import (
    CheckResult,
    CheckStatus,
    CriterionResult,
    Result,
    ResultStatus,
    Submission,
)
from graders.scoring import maximum
from graders.storage.result_json import submission_file, write_text
from reports.page import render
from reports.student.grade import AboutGrade, about_grade
from reports.student.opened import mark_of
from reports.student.requests import AboutRequests, about_requests, comments_on
from reports.student.sections import Section, SharedMessage, sections, shared_messages
from reports.student.withheld import is_shown, unquoted
from reports.words import CHECK_WORDS, STATUS_SENTENCES, intake_notes

# Listed explicitly, because other fields (such as our own errors) may quote a hidden check.
ENVIRONMENT = {
    "isolation": "Sandbox",
    "device": "Device",
    "seeds": "Seeds",
    "data": "Data",
    "python": "Python",
    "platform": "Platform",
    "versions": "Versions",
    "student_process": "Versions used by your code",
}
TEMPLATE = "student.html.jinja"
LARGEST = 900_000  # bytes of a page


@dataclass(frozen=True, slots=True)
class Room:
    """The limits in characters for a sentence, and for a value, whose spaces are made visible."""

    words: int
    values: int


ONE, ALL = Room(300, 60), Room(30_000, 6_000)  # for one check, and for all checks together


@dataclass(frozen=True, slots=True)
class Withheld:
    """The only data shown on hidden criteria: their number and maximum points."""

    count: int
    points: float


@dataclass(frozen=True, slots=True)
class StudentView:
    """Everything that the template gets; of hidden criteria only their number and points."""

    submission: Submission
    title: str
    version: int
    status: ResultStatus
    sentence: str
    score: float | None
    max_score: float
    grade: AboutGrade | None
    criteria: tuple[CriterionResult, ...]
    sections: tuple[Section, ...]
    shared_messages: tuple[SharedMessage, ...]
    tally: tuple[tuple[str, CheckStatus, int], ...]
    withheld: Withheld
    notes: tuple[str, ...]
    environment: tuple[tuple[str, str], ...]
    started_at: datetime
    seconds: float
    requests: AboutRequests
    comments: tuple[str, ...] = ()
    shortened: bool = False

    @property
    def losing(self) -> tuple[Section, ...]:
        """The criteria that lost points, in the order of the page: those of their own first."""
        losing = (part for part in self.sections if part.anchor and part.has_lost_points)
        return tuple(sorted(losing, key=lambda part: not part.is_separate))


def write_student_page(result: Result, out: Path, rules: CourseRules = PLAIN) -> Path:
    """Write `out/reports/<submission>.html` and return its path."""
    path = submission_file(out, "reports", result.submission.id, ".html")
    text = render(TEMPLATE, student_view(result, rules))
    if len(text.encode()) > LARGEST:
        view = student_view(shortened(result), rules)
        text = render(TEMPLATE, replace(view, shortened=True))
    return write_text(path, text + mark_of(result, rules))


def student_view(result: Result, rules: CourseRules = PLAIN) -> StudentView:
    """What the student may see now; hidden criteria count neither in score nor in maximum."""
    seen = [graded for graded in result.criteria if is_shown(graded.criterion, rules.opened)]
    hidden = [graded for graded in result.criteria if not is_shown(graded.criterion, rules.opened)]
    shown = unquoted(seen, hidden)
    withheld = [graded.declared.points for graded in hidden]
    shared = shared_messages(shown)
    return StudentView(
        submission=result.submission,
        title=result.title,
        version=result.version,
        status=result.status,
        sentence=STATUS_SENTENCES[result.status],
        score=_visible_score(result, shown) if withheld else result.score,
        max_score=maximum(c.criterion for c in shown) if withheld else result.max_score,
        grade=about_grade(result, rules),
        criteria=shown,
        sections=sections(result, shown, shared),
        shared_messages=shared,
        tally=_tally(shown),
        withheld=Withheld(len(withheld), sum(withheld)),
        notes=intake_notes(result),
        environment=_environment(result.environment),
        started_at=result.started_at,
        seconds=result.seconds,
        requests=about_requests(result, rules),
        comments=comments_on(result, rules),
    )


def _visible_score(result: Result, shown: Sequence[CriterionResult]) -> float | None:
    points = [c.points for c in shown if c.points is not None]
    return None if result.score is None or len(points) < len(shown) else sum(points)


def _tally(shown: Sequence[CriterionResult]) -> tuple[tuple[str, CheckStatus, int], ...]:
    """Count the criteria with points by status, best first."""
    counts = Counter(graded.status for graded in shown if graded.criterion.points)
    return tuple((CHECK_WORDS[word], word, counts[word]) for word in CHECK_WORDS if counts[word])


def _environment(environment: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (name, _words(environment[key])) for key, name in ENVIRONMENT.items() if key in environment
    )


def _words(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_words(item)}" for key, item in value.items())
    return str(value)


def shortened(result: Result) -> Result:
    """Return the Result without figures and examples; the more checks, the shorter the texts."""
    checks = sum(len(graded.checks) for graded in result.criteria) or 1
    room = Room(min(ONE.words, ALL.words // checks), min(ONE.values, ALL.values // checks))
    return replace(
        result,
        criteria=tuple(_shortened_criterion(criterion, room) for criterion in result.criteria),
    )


def _shortened_criterion(graded: CriterionResult, room: Room) -> CriterionResult:
    return replace(graded, checks=tuple(_shortened_check(check, room) for check in graded.checks))


def _shortened_check(check: CheckResult, room: Room) -> CheckResult:
    return replace(
        check,
        message=_cut(check.message, room.words),
        hint=_cut(check.hint, room.words),
        expected=_cut(check.expected, room.values),
        actual=_cut(check.actual, room.values),
        counterexample=(),
        figures=(),
    )


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]} …"
