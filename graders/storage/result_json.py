"""Read and write Results as JSON: one document per submission.

    DIR/results/<submission>.json      schema softmark/result/v1
    ├── schema, status, score, max_score, started_at, seconds
    ├── submission    id, student, sha256, submitted_at
    ├── assignment    name, version, title
    ├── criteria[]    id, title, points, max_points, visibility, status, extra_credit, kind,
    │   │             and if a person changed it: adjustment (action, machine_points, of, comment)
    │   └── checks[]  id, description, status, fraction, message, hint, expected, actual,
    │                 counterexample (label -> value, or null), seconds, outcome,
    │                 figures[] (numbers to draw, each with its `kind`), weight, depends_on[]
    └── environment   whatever the pipeline recorded

A Result read back is complete except that the submission's `path` is `.`. Texts are unchanged,
except that an unpaired surrogate, which UTF-8 cannot hold, becomes U+FFFD. Files of earlier
versions lack the last keys of some objects above; those keys get their defaults.
"""

import contextlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError

from graders.errors import StorageError, UserError
from graders.figures import Figure
from graders.model import (
    AdjustAction,
    Adjusted,
    Check,
    CheckResult,
    CheckStatus,
    Criterion,
    CriterionKind,
    CriterionResult,
    Outcome,
    Result,
    ResultStatus,
    Submission,
    Visibility,
)
from graders.storage.files import write_whole
from graders.tables import first_problem

SCHEMA: Literal["softmark/result/v1"] = "softmark/result/v1"
FIGURES = TypeAdapter(list[Annotated[Figure, Field(discriminator="kind")]])
DECLARED = ("id", "description", "weight", "depends_on")  # fields of the check, not of its result
REMEDY = "make room for it and run the same command again"


class _Edge(BaseModel):
    """The base of every part of the file: no unknown keys, no type coercion."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class _Submission(_Edge):
    id: str
    student: str
    sha256: str
    submitted_at: datetime | None = None


class _Assignment(_Edge):
    name: str
    version: int
    title: str = ""


class _Check(_Edge):
    id: str
    description: str
    status: CheckStatus
    fraction: Annotated[float, Field(ge=0, le=1)]
    message: str
    hint: str
    expected: str
    actual: str
    counterexample: dict[str, str] | None
    seconds: float
    outcome: Outcome = ""
    figures: list[dict[str, JsonValue]] = []
    weight: float = 1.0
    depends_on: list[str] = []


class _Adjustment(_Edge):
    action: AdjustAction
    machine_points: float | None
    of: float
    comment: str


class _Criterion(_Edge):
    id: str
    title: str
    points: float | None
    max_points: float
    visibility: Visibility
    status: CheckStatus
    extra_credit: bool = False
    kind: CriterionKind = "code"
    checks: list[_Check]
    adjustment: _Adjustment | None = None


class _Result(_Edge):
    schema_: Annotated[Literal["softmark/result/v1"], Field(alias="schema")]
    submission: _Submission
    assignment: _Assignment
    status: ResultStatus
    score: float | None
    max_score: float
    criteria: list[_Criterion]
    environment: dict[str, JsonValue]
    started_at: datetime
    seconds: float


def result_to_json(result: Result) -> dict[str, JsonValue]:
    """Return the Result as a document of schema softmark/result/v1."""
    document = {
        "schema": SCHEMA,
        "submission": {key: getattr(result.submission, key) for key in _Submission.model_fields},
        "assignment": {
            "name": result.assignment,
            "version": result.version,
            "title": result.title,
        },
        "criteria": [_criterion_to_json(c) for c in result.criteria],
    } | {
        key: getattr(result, key)
        for key in ("status", "score", "max_score", "environment", "started_at", "seconds")
    }
    edge = _Result.model_validate(_plain(document))
    # Only an adjusted criterion has an `adjustment`; all other keys are always set.
    dumped: dict[str, JsonValue] = edge.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return dumped


def result_text(result: Result) -> str:
    """Return the Result as the text of its file."""
    return json.dumps(result_to_json(result), ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def write_result(result: Result, out: Path) -> Path:
    """Write `out/results/<submission>.json` atomically and return its path."""
    path = submission_file(out, "results", result.submission.id, ".json")
    return write_text(path, result_text(result))


def result_from_text(text: str | bytes, source: str) -> Result:
    """Return the Result in a text; raises StorageError, which names the source, if it has none."""
    try:
        return _result(_Result.model_validate_json(text))
    except ValidationError as error:
        problem = first_problem(error)
        raise StorageError(f"{source}: not a {SCHEMA} file: {problem}") from error


def submission_file(out: Path, folder: str, submission_id: str, suffix: str) -> Path:
    """Return the path of a submission's file; raises StorageError if its id isn't a file name."""
    if submission_id in ("", ".", "..") or any(c in submission_id for c in "/\\\0"):
        raise StorageError(f"submission {submission_id!r}: the id is not a file name")
    return out / folder / f"{submission_id}{suffix}"


def write_text(path: Path, text: str) -> Path:
    """Write a UTF-8 file atomically; if that fails, remove the older one, too."""
    try:
        return write_whole(path, text.encode(), remedy=REMEDY)
    except UserError:
        with contextlib.suppress(OSError):  # an older file would be mistaken for this one
            path.unlink(missing_ok=True)
        raise


def _criterion_to_json(graded: CriterionResult) -> dict[str, object]:
    criterion = graded.criterion
    return {
        "id": criterion.id,
        "title": criterion.title,
        "points": graded.points,
        "max_points": criterion.points,
        "visibility": criterion.visibility,
        "status": graded.status,
        "extra_credit": criterion.extra_credit,
        "kind": criterion.kind,
        "checks": [_check_to_json(c) for c in graded.checks],
    } | ({"adjustment": _adjustment_to_json(graded.adjusted)} if graded.adjusted else {})


def _adjustment_to_json(adjusted: Adjusted) -> dict[str, object]:
    points = {"machine_points": adjusted.machine, "of": adjusted.most}
    return {"action": adjusted.action, **points, "comment": adjusted.comment}


def _check_to_json(result: CheckResult) -> dict[str, object]:
    declared = {key: getattr(result.check, key) for key in DECLARED}
    outcome = {key: getattr(result, key) for key in _Check.model_fields if key not in declared}
    shown: dict[str, object] = {"figures": [asdict(figure) for figure in result.figures]}
    return declared | outcome | shown | {"counterexample": dict(result.counterexample) or None}


def _plain(value: object) -> object:
    """Return the same value as dicts, lists and text that UTF-8 can hold."""
    match value:
        case str():
            return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        case Mapping():
            return {_plain(str(key)): _plain(item) for key, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
        case _:
            return value


def _result(edge: _Result) -> Result:
    return Result(
        submission=Submission(
            id=edge.submission.id,
            student=edge.submission.student,
            assignment=edge.assignment.name,
            path=Path(),
            sha256=edge.submission.sha256,
            submitted_at=edge.submission.submitted_at,
        ),
        assignment=edge.assignment.name,
        version=edge.assignment.version,
        title=edge.assignment.title or edge.assignment.name,
        status=edge.status,
        criteria=tuple(_criterion(c) for c in edge.criteria),
        score=edge.score,
        max_score=edge.max_score,
        environment=edge.environment,
        started_at=edge.started_at,
        seconds=edge.seconds,
    )


def _criterion(edge: _Criterion) -> CriterionResult:
    named = (edge.id, edge.title, edge.max_points, edge.visibility)
    criterion = Criterion(*named, kind=edge.kind, extra_credit=edge.extra_credit)
    checks = tuple(_check(c, edge.id) for c in edge.checks)
    return CriterionResult(criterion, edge.status, edge.points, checks, _adjusted(edge.adjustment))


def _adjusted(edge: _Adjustment | None) -> Adjusted | None:
    if edge is None:
        return None
    return Adjusted(edge.action, edge.machine_points, edge.of, edge.comment)


def _check(edge: _Check, criterion: str) -> CheckResult:
    return CheckResult(
        check=Check(edge.id, edge.description, criterion, edge.weight, tuple(edge.depends_on)),
        counterexample=tuple((edge.counterexample or {}).items()),
        figures=tuple(FIGURES.validate_python(edge.figures)),
        **edge.model_dump(exclude={*DECLARED, "counterexample", "figures"}),
    )
