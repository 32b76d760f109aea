"""The central types: what a grade is made of."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Literal

from submissions.submission import Submission

__all__ = [
    "Assignment",
    "Check",
    "CheckResult",
    "CheckStatus",
    "Criterion",
    "CriterionKind",
    "CriterionResult",
    "FileSpec",
    "Finding",
    "Limits",
    "Outcome",
    "Result",
    "ResultStatus",
    "Setting",
    "Submission",
    "Visibility",
]

Visibility = Literal["visible", "hidden", "after_due_date", "after_published"]
CriterionKind = Literal["code", "metric", "written"]
CheckStatus = Literal["passed", "partial", "failed", "skipped", "needs_review", "error"]
ResultStatus = Literal["graded", "needs_review", "rejected", "incomplete"]
Setting = str | int | float | bool


class Outcome(Enum):
    """How a request to the student's process ended; `sandbox_failed` alone is ours."""

    OK = "ok"
    RAISED = "raised"
    EXITED = "exited"
    SIGNALLED = "signalled"
    TIMED_OUT = "timed_out"
    OUT_OF_MEMORY = "out_of_memory"
    SANDBOX_FAILED = "sandbox_failed"


@dataclass(frozen=True, slots=True)
class Limits:
    """What a student's process may use.

    `wall_seconds` bounds one check, `cpu_seconds` one child process; `output_bytes` is what is
    kept of stdout and stderr, and `processes` counts threads too. `gpu` lets it use one GPU.
    """

    wall_seconds: float
    cpu_seconds: int
    memory_bytes: int
    output_bytes: int
    processes: int
    gpu: bool = False


@dataclass(frozen=True, slots=True)
class FileSpec:
    """The file names an assignment looks for in a submission."""

    code: tuple[str, ...]
    artifacts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Criterion:
    """One line of the rubric."""

    id: str
    title: str
    points: float
    visibility: Visibility
    kind: CriterionKind


@dataclass(frozen=True, slots=True)
class Assignment:
    """One folder in `graders/assignments/`, read and checked."""

    name: str
    title: str
    version: int
    due: datetime | None
    rubric: tuple[Criterion, ...]
    files: FileSpec
    limits: Limits
    seed: int
    folder: Path
    settings: Mapping[str, Setting] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Check:
    """One check; its description is the sentence the student reads."""

    id: str
    description: str
    criterion: str
    weight: float = 1.0
    depends_on: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What one check found; `counterexample` is a small table of label and value."""

    check: Check
    status: CheckStatus
    fraction: float
    message: str = ""
    hint: str = ""
    expected: str = ""
    actual: str = ""
    counterexample: tuple[tuple[str, str], ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class CriterionResult:
    """A criterion with its checks; `points` is None when one of them could not be graded."""

    criterion: Criterion
    status: CheckStatus
    points: float | None
    checks: tuple[CheckResult, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """One submission graded; `score` is None unless every point of it was decided."""

    submission: Submission
    assignment: str
    version: int
    title: str
    status: ResultStatus
    criteria: tuple[CriterionResult, ...]
    score: float | None
    max_score: float
    environment: Mapping[str, object]
    started_at: datetime
    seconds: float


@dataclass(frozen=True, slots=True)
class Finding:
    """What `validate` found of one planted example: points lost, and what is not as expected."""

    name: str
    why: str
    lost: Mapping[str, float]
    problems: tuple[str, ...]
