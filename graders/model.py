"""Define the central types of grading."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Literal

from graders.figures import Figure
from graders.grading_policy import GradingPolicy
from submissions.submission import Submission

__all__ = [
    "SHOWN_LATER",
    "AdjustAction",
    "Adjusted",
    "Assignment",
    "Check",
    "CheckChange",
    "CheckResult",
    "CheckStatus",
    "Criterion",
    "CriterionKind",
    "CriterionResult",
    "DataKind",
    "Difference",
    "Figure",
    "FileSpec",
    "Finding",
    "Generation",
    "Limits",
    "Outcome",
    "Regraded",
    "Result",
    "ResultStatus",
    "Setting",
    "Submission",
    "Visibility",
]

Visibility = Literal["visible", "hidden", "after_due_date", "after_published"]
DataKind = Literal["birthplaces", "sst2", "boolq", "files"]
CriterionKind = Literal["code", "metric", "written"]
CheckStatus = Literal["passed", "partial", "failed", "skipped", "needs_review", "error"]
ResultStatus = Literal["graded", "needs_review", "rejected", "incomplete"]
# How a check ended, beyond its status: why the student's process gave no answer, or `blocked`:
# skipped because of another check. Empty if there is no more to say than the status.
Outcome = Literal[
    "",
    "raised",
    "exited",
    "signalled",
    "timed_out",
    "out_of_memory",
    "bad_reply",
    "blocked",
]
# What staff can do with a criterion by hand; `undo` brings the machine's points back.
AdjustAction = Literal["points", "waive", "excuse", "undo"]
Setting = str | int | float | bool
UNANSWERED = "Not answered."  # the message of a written part without an answer
REVIEW, MACHINE = "/review", "/machine"  # end the ids of checks of written answers
# All that a check may say about a hidden check that it depends on.
SHOWN_LATER = "Skipped because it depends on something that is shown later."


TOTAL_SECONDS = 240.0  # for all checks of one submission; a correct one needs 1 to 5


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a student's process.

    `wall_seconds` limits one check, `cpu_seconds` one child process, and `total_seconds` the time
    that all checks of a submission together wait for its processes. `output_bytes` is how much of
    stdout and stderr is kept, and `processes` counts threads, too. `gpu` lets it use one GPU, of
    which a cluster gives it the share `gpus`.
    """

    wall_seconds: float
    cpu_seconds: int
    memory_bytes: int
    output_bytes: int
    processes: int
    gpu: bool = False
    gpus: float = 1.0
    total_seconds: float = TOTAL_SECONDS


@dataclass(frozen=True, slots=True)
class FileSpec:
    """The file names an assignment looks for in a submission.

    `optional` are artifacts that may be missing, `names` the functions and classes that checks
    look for: a student's own check reports which are missing. With `whole`, the student's process
    sees all code of the upload, not only the folder that contains the `code` files. `public` are
    files of the assignment that students get with the checks.
    """

    code: tuple[str, ...]
    artifacts: tuple[str, ...]
    optional: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    whole: bool = False
    public: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Criterion:
    """One line of the rubric; extra credit adds to the score, but not to the maximum."""

    id: str
    title: str
    points: float
    visibility: Visibility
    kind: CriterionKind
    extra_credit: bool = False

    @property
    def maximum(self) -> float:
        """The points that it adds to the maximum: none if it is extra credit."""
        return 0.0 if self.extra_credit else self.points


@dataclass(frozen=True, slots=True)
class DataFile:
    """The declared shape of a data file: rows, tab-separated columns, sha256 of its content.

    0 and "" are not compared. The hash is of the content with LF line ends, without trailing ones.
    """

    rows: int = 0
    columns: int = 0
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class Assignment:
    """One folder in `graders/assignments/`, read and checked.

    `preload` are installed modules that every process needs; a warm process has already imported
    them. `data` is the kind of the course's files and `data_files` declares each of them; `suite`
    is the folder of a unittest suite.
    """

    name: str
    title: str
    version: int
    due: datetime | None
    rubric: tuple[Criterion, ...]
    files: FileSpec
    limits: Limits
    seed: int
    folder: Path
    preload: tuple[str, ...] = ()
    data: DataKind = "birthplaces"
    data_files: Mapping[str, DataFile] = field(default_factory=dict)
    settings: Mapping[str, Setting] = field(default_factory=dict)
    suite: str = ""
    grading: GradingPolicy = field(default_factory=GradingPolicy)


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
    """The result of one check; `counterexample` is a small table of labels and values.

    `figures` are shown whatever the verdict. `mistake` is the ID of the known mistake that the
    hint names; it is not written to any file.
    """

    check: Check
    status: CheckStatus
    fraction: float
    message: str = ""
    hint: str = ""
    expected: str = ""
    actual: str = ""
    counterexample: tuple[tuple[str, str], ...] = ()
    seconds: float = 0.0
    outcome: Outcome = ""
    figures: tuple[Figure, ...] = ()
    mistake: str = field(default="", compare=False)

    @property
    def id(self) -> str:
        """The ID of the check."""
        return self.check.id

    @property
    def weight(self) -> float:
        """The check's share of its criterion, relative to the other checks."""
        return self.check.weight


@dataclass(frozen=True, slots=True)
class Adjusted:
    """How a person changed a criterion: `machine` and `most` are its points without that.

    `reviewer` and `seen`, the machine's points then, are for staff: no file that a student may get
    has them.
    """

    action: AdjustAction
    machine: float | None
    most: float
    comment: str
    reviewer: str = field(default="", compare=False)
    seen: float | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class CriterionResult:
    """A criterion with its checks; `points` is None if one of them is undecided.

    If a person excused the student from it, `criterion` has 0 points: it is in no total.
    """

    criterion: Criterion
    status: CheckStatus
    points: float | None
    checks: tuple[CheckResult, ...]
    adjusted: Adjusted | None = None

    @property
    def is_excused(self) -> bool:
        """Whether a person excused the student from this criterion."""
        return self.adjusted is not None and self.adjusted.action == "excuse"

    @property
    def machine(self) -> float | None:
        """The points without a person's adjustment."""
        return self.adjusted.machine if self.adjusted else self.points

    @property
    def declared(self) -> Criterion:
        """The criterion as the rubric declares it, also if it is excused."""
        points = self.adjusted.most if self.adjusted else self.criterion.points
        return replace(self.criterion, points=points)


@dataclass(frozen=True, slots=True)
class Result:
    """One graded submission; `score` is None while any points are undecided."""

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

    @property
    def faults(self) -> tuple[str, ...]:
        """What failed in Softmark itself during the grading, one sentence each."""
        told = self.environment.get("faults")
        return tuple(map(str, told)) if isinstance(told, list) else ()


@dataclass(frozen=True, slots=True)
class Finding:
    """What `validate` found for one planted example: points lost, and what is unexpected.

    `verdicts` has the status, fraction, outcome and hint of each check.
    """

    name: str
    why: str
    lost: Mapping[str, float]
    problems: tuple[str, ...]
    verdicts: Mapping[str, Mapping[str, str | float]] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Generation:
    """All Results that were made with the same checks; `published` is 0 for a draft."""

    number: int
    assignment: str
    version: int
    checks: str
    made_at: str
    published: int
    submissions: int


@dataclass(frozen=True, slots=True)
class CheckChange:
    """A check whose verdict differs between two generations, and its current message."""

    criterion: str
    check: str
    before: str
    after: str
    why: str


@dataclass(frozen=True, slots=True)
class Difference:
    """A submission whose score, status or verdicts differ between two generations.

    `adjusted` has a sentence for each criterion whose points differ under a person's adjustment.
    """

    submission: str
    before: float | None
    after: float | None
    status: ResultStatus
    changes: tuple[CheckChange, ...]
    adjusted: tuple[str, ...] = ()

    @property
    def gain(self) -> float:
        """The change in points; 0 if either score is missing."""
        if self.before is None or self.after is None:
            return 0.0
        return round(self.after - self.before, 2)


@dataclass(frozen=True, slots=True)
class Regraded:
    """A draft compared with the published generation: what was graded, and what differs.

    `graded` are the submissions of which something had to be graded, `touched` names what.
    `max_before` and `max_after` are the highest maxima of the two.
    """

    title: str
    before: int
    after: int
    submissions: int
    graded: tuple[str, ...]
    touched: tuple[str, ...]
    differences: tuple[Difference, ...]
    max_before: float = 0.0
    max_after: float = 0.0

    @property
    def gaining(self) -> int:
        """How many submissions have a higher score now."""
        return sum(difference.gain > 0 for difference in self.differences)

    @property
    def losing(self) -> int:
        """How many submissions have a lower score now."""
        return sum(difference.gain < 0 for difference in self.differences)

    @property
    def lost(self) -> tuple[Difference, ...]:
        """The submissions that had a score and could not be graded now."""
        return tuple(
            difference
            for difference in self.differences
            if difference.before is not None and difference.status in ("incomplete", "rejected")
        )
