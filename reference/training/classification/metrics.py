"""The metrics of a classifier run, and the file `metrics.json` that contains them.

{"schema": "softmark/classifier/v1", "assignment": "uw-a2", "kind": "sst2", "complete": true,
 "encoder": {...}, "data": ..., "device": ..., "precision": ..., "seed": 0, "versions": {...},
 "seconds": ..., "majority": [Accuracy, ...], "trainings": [Training, ...],
 "evaluations": [Evaluation, ...], "comparisons": [Comparison, ...], "chosen": "full"}
"""

from collections.abc import Mapping
from dataclasses import dataclass

from graders.data.labelled import Kind
from reference.models.methods import Method
from reference.training.metrics import Accuracy, Point

SCHEMA = "softmark/classifier/v1"


@dataclass(frozen=True, slots=True)
class EncoderSize:
    """The encoder below the classifiers: its name, its width d, its number of parameters."""

    name: str
    d: int
    parameters: int


@dataclass(frozen=True, slots=True)
class Epoch:
    """One epoch: the mean loss of its steps, and the results on dev after it."""

    epoch: int
    loss: float
    dev_loss: float
    dev_correct: int
    dev_n: int

    @property
    def dev_share(self) -> float:
        """The accuracy on dev, between 0 and 1."""
        return self.dev_correct / self.dev_n


@dataclass(frozen=True, slots=True)
class Training:
    """The training of one method.

    `chosen` is the saved epoch, the first with the best dev score.
    """

    method: Method
    trained: int  # number of parameters
    steps: int
    seconds: float
    curve: tuple[Point, ...]
    epochs: tuple[Epoch, ...]
    chosen: int


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One classifier's predictions on one part; `positive` counts the items it labels 1."""

    accuracy: Accuracy
    positive: int

    @property
    def constant(self) -> bool:
        """Return whether it labels all items equally.

        Then nothing was learned, whatever the accuracy.
        """
        return self.positive in (0, self.accuracy.n)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two classifiers on the same items.

    The counts of items that only one classifies correctly, and McNemar's exact p.
    """

    first: Method
    second: Method
    part: str
    only_first: int
    only_second: int
    p: float


@dataclass(frozen=True, slots=True)
class ClassifierMetrics:
    """The contents of `metrics.json`; `chosen` is the method with the best dev accuracy."""

    assignment: str
    kind: Kind
    complete: bool
    encoder: EncoderSize
    data: str
    device: str
    precision: str
    seed: int
    versions: Mapping[str, str]
    seconds: float
    majority: tuple[Accuracy, ...]
    trainings: tuple[Training, ...]
    evaluations: tuple[Evaluation, ...]
    comparisons: tuple[Comparison, ...]
    chosen: Method | None
