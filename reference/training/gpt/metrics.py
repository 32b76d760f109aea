"""The metrics of a pipeline run, and the file `metrics.json` that contains them.

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
    """The measurements of one phase; token counts are columns of x, including PADs."""

    id: str  # "vanilla.pretrain", "rope.finetune", "vanilla.nopretrain", "rope.evaluate" ...
    variant: str
    kind: Kind
    epochs: int
    steps: int
    tokens: int
    seconds: float
    tokens_per_second: float
    curve: tuple[Point, ...]
    note: str = ""  # why it took longer than this machine allows


@dataclass(frozen=True, slots=True)
class Metrics:
    """The contents of `metrics.json`."""

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
