"""The metrics that runs of every task measure, and the file `metrics.json` that contains them."""

import json
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from graders.statistics import wilson
from reference.training.files import write_text

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

FILE = "metrics.json"
PARTS = ("dev", "test")


@dataclass(frozen=True, slots=True)
class Accuracy:
    """k of n right, with the 95% Wilson interval; shares lie between 0 and 1."""

    model: str  # "london", "majority", "vanilla.nopretrain", "rope.pretrain", "full", "head" ...
    part: str  # "dev" or "test"
    correct: int
    n: int
    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Point:
    """One point of a learning curve: the mean loss since the previous point."""

    step: int
    loss: float
    learning_rate: float


def write_metrics(out: Path, schema: str, metrics: "DataclassInstance") -> None:
    """Write `metrics.json` with this schema."""
    content = {"schema": schema} | asdict(metrics)
    write_text(out / FILE, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def versions(*libraries: str) -> dict[str, str]:
    """Return the versions of Python, of these libraries and of Softmark."""
    names = (*libraries, "softmark")
    return {"python": platform.python_version()} | {name: version(name) for name in names}


def accuracy(
    model: str, part: str, predictions: Sequence[object], gold: Sequence[object]
) -> Accuracy:
    """Compare line by line; if one prediction fills two lines, all later ones are incorrect."""
    correct = sum(one == right for one, right in zip(predictions, gold, strict=False))
    low, high = wilson(correct, len(gold))
    return Accuracy(model, part, correct, len(gold), correct / len(gold), low, high)
