"""What a run of the pipeline measured, and the file `metrics.json` that holds it.

{"schema": "softmark/pipeline/v1", "preset": "demo", "complete": true, "seed": 0,
 "device": ..., "precision": "bf16", "versions": {...}, "data": ..., "seconds": 71.2,
 "baselines": [Accuracy, ...], "phases": [Phase, ...], "accuracies": [Accuracy, ...]}
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from graders.errors import Misuse

SCHEMA = "softmark/pipeline/v1"
FILE = "metrics.json"

Kind = Literal["pretrain", "finetune", "evaluate"]


@dataclass(frozen=True, slots=True)
class Accuracy:
    """k of n right, with the 95 % Wilson interval; shares lie between 0 and 1."""

    model: str  # "london", "majority", "vanilla.nopretrain", "vanilla.pretrain", "rope.pretrain"
    part: str  # "dev" or "test"
    correct: int
    n: int
    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Point:
    """One point of a learning curve: the mean loss since the point before."""

    step: int
    loss: float
    learning_rate: float


@dataclass(frozen=True, slots=True)
class Phase:
    """One phase of the pipeline as it was run; positions are those of x, PADs included."""

    id: str  # "vanilla.pretrain", "rope.finetune", "vanilla.nopretrain", "rope.evaluate" ...
    variant: str
    kind: Kind
    epochs: int
    steps: int
    tokens: int
    seconds: float
    tokens_per_second: float
    curve: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Metrics:
    """All that `metrics.json` holds."""

    preset: str
    complete: bool
    seed: int
    device: str
    precision: str
    versions: Mapping[str, str]
    data: str
    seconds: float
    baselines: tuple[Accuracy, ...]
    phases: tuple[Phase, ...]
    accuracies: tuple[Accuracy, ...]


_METRICS = TypeAdapter(Metrics)
_PHASE = TypeAdapter(Phase)


def to_json(metrics: Metrics) -> str:
    """The text of `metrics.json`."""
    content = {"schema": SCHEMA} | _METRICS.dump_python(metrics, mode="json")
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def read_metrics(path: Path) -> Metrics:
    """The metrics in a file; raises ValueError where it holds none of this schema."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(content, dict) or content.pop("schema", "") != SCHEMA:
            raise ValueError(f"{path}: this is no {SCHEMA}")
        return _METRICS.validate_python(content, strict=False)
    except (ValidationError, json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: damaged ({type(error).__name__})") from error


def phase_to_json(phase: Phase) -> str:
    """A finished phase, for a later run that finds it."""
    return _PHASE.dump_json(phase, indent=1).decode() + "\n"


def phase_from_json(path: Path) -> Phase:
    """The phase that an earlier run finished; raises Misuse where the file is damaged."""
    try:
        return _PHASE.validate_json(path.read_bytes())
    except ValidationError as error:
        raise Misuse(
            f"{path}: the file is damaged", "remove it, and its phase is run again"
        ) from error
