"""What one run of the classifier is to do, and where its files lie.

OUT/full.safetensors  head.safetensors  prefix.safetensors    what each method trained
    full.dev.predictions ... prefix.test.predictions          a label a line, in the files' order
    sst2.dev.predictions  sst2.test.predictions               those of the method best on dev
    metrics.json  index.html  tensorboard/
    state/plan.json                   what this folder is a run of
          tiny/                       the tiny encoder, where it is one
          full.state  full.best       a training that is not finished, its best epoch so far
          full.json                   what a finished training measured
"""

from dataclasses import dataclass
from pathlib import Path

from graders.data.labelled import Kind
from reference.models.methods import Method
from reference.training.classification.recipes import Encoder
from reference.training.phase import claim
from reference.training.precision import DTYPES


@dataclass(frozen=True, slots=True)
class Plan:
    """One run; `folder` holds the encoder."""

    assignment: str
    kind: Kind
    encoder: Encoder
    folder: Path
    encoder_name: str
    methods: tuple[Method, ...]
    data_description: str
    out: Path
    seed: int

    def trained(self, method: Method) -> Path:
        """The tensors that a method trained."""
        return self.out / f"{method}.safetensors"

    def predictions(self, name: str, part: str) -> Path:
        """The labels that a method, or the chosen one under the task's name, gives a part."""
        return self.out / f"{name}.{part}.predictions"

    def state(self, name: str) -> Path:
        """A file about an unfinished or finished training."""
        return self.out / "state" / name

    def claim(self, precision: str, *, asked: bool) -> str:
        """Take the folder for this run; returns the precision that the run goes on in.

        Which one is faster is tried out anew each time, so where it was not asked for, a run goes
        on in the one it was begun in. Raises UsageError where the folder holds another run.
        """
        own = {
            "assignment": self.assignment,
            "encoder": self.encoder_name,
            "data": self.data_description,
            "seed": self.seed,
        }
        precisions = (precision,) if asked else (precision, *DTYPES)
        return str(claim(self.out, *(own | {"precision": p} for p in precisions))["precision"])
