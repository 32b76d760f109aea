"""A student's page: `DIR/reports/<submission>.html`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from graders.model import Criterion, CriterionResult, Result, ResultStatus, Submission
from graders.store import submission_file, write_text
from reports.page import render
from reports.words import STATUS_SENTENCES, intake_notes

# Named one by one: what else a run records (our faults, say) may quote a hidden check.
ENVIRONMENT = (
    "isolation",
    "device",
    "seeds",
    "data",
    "python",
    "platform",
    "versions",
    "student_process",
)


@dataclass(frozen=True, slots=True)
class StudentView:
    """All that the template gets to see: nothing of a hidden criterion but its rubric line."""

    submission: Submission
    title: str
    version: int
    status: ResultStatus
    sentence: str
    score: float | None
    max_score: float
    criteria: tuple[CriterionResult, ...]
    withheld: tuple[Criterion, ...]
    notes: tuple[str, ...]
    environment: tuple[tuple[str, str], ...]
    started_at: datetime
    seconds: float


def write_student_page(result: Result, out: Path) -> Path:
    """Write `out/reports/<submission>.html` and return its path."""
    path = submission_file(out, "reports", result.submission.id, ".html")
    return write_text(path, render("student.html.jinja", student_view(result)))


def student_view(result: Result) -> StudentView:
    """What the student may see now; hidden criteria count neither in score nor in maximum."""
    shown = tuple(c for c in result.criteria if c.criterion.visibility == "visible")
    withheld = tuple(c.criterion for c in result.criteria if c.criterion.visibility != "visible")
    whole = not withheld
    return StudentView(
        submission=result.submission,
        title=result.title,
        version=result.version,
        status=result.status,
        sentence=STATUS_SENTENCES[result.status],
        score=result.score if whole else _visible_score(result, shown),
        max_score=result.max_score if whole else sum(c.criterion.points for c in shown),
        criteria=shown,
        withheld=withheld,
        notes=intake_notes(result),
        environment=_environment(result.environment),
        started_at=result.started_at,
        seconds=result.seconds,
    )


def _visible_score(result: Result, shown: Sequence[CriterionResult]) -> float | None:
    points = [c.points for c in shown if c.points is not None]
    return None if result.score is None or len(points) < len(shown) else sum(points)


def _environment(environment: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    return tuple((key, _words(environment[key])) for key in ENVIRONMENT if key in environment)


def _words(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_words(item)}" for key, item in value.items())
    return str(value)
