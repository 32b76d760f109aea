"""What a run of the pipeline measured, and the file `metrics.json` that holds it.

{"schema": "softmark/pipeline/v1", "preset": "demo", "complete": true, "seed": 0,
 "device": ..., "precision": "bf16", "versions": {...}, "data": ..., "seconds": 71.2,
 "baselines": [Accuracy, ...], "phases": [Phase, ...], "accuracies": [Accuracy, ...]}
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from reference.training.metrics import Accuracy, Point

SCHEMA = "softmark/pipeline/v1"

Kind = Literal["pretrain", "finetune", "evaluate"]


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
