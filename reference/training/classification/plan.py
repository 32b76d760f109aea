"""The plan of one run of the classifier, and the paths of its files.

OUT/full.safetensors  head.safetensors  prefix.safetensors    the trained parameters of each method
    full.dev.predictions ... prefix.test.predictions          one label per line, in file order
    sst2.dev.predictions  sst2.test.predictions               those of the best method on dev
    metrics.json  index.html  tensorboard/
    state/plan.json                   the settings of the run in this folder
          tiny/                       the tiny encoder, if it is used
          full.state  full.best       an unfinished training, its best epoch so far
          full.json                   the measurements of a finished training
"""

from dataclasses import dataclass
from pathlib import Path

from graders.data.labelled import Kind
from reference.models.methods import Method
from reference.training.classification.encoders import Encoder
from reference.training.phase import claim
from reference.training.precision import DTYPES


@dataclass(frozen=True, slots=True)
class Plan:
    """One run; `folder` contains the encoder."""

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
        """Return the file of a method's trained tensors."""
        return self.out / f"{method}.safetensors"

    def predictions(self, name: str, part: str) -> Path:
        """Return the file of a method's labels for a part.

        The task's name means the best method.
        """
        return self.out / f"{name}.{part}.predictions"

    def state(self, name: str) -> Path:
        """Return the file of an unfinished or finished training."""
        return self.out / "state" / name

    def claim(self, precision: str, *, requested: bool) -> str:
        """Claim the folder for this run; return the precision in which the run continues.

        Which precision is faster is measured each time; if none was requested, a run continues in
        the one that it started with. Raises UsageError if the folder contains another run.
        """
        identity = {
            "assignment": self.assignment,
            "encoder": self.encoder_name,
            "data": self.data_description,
            "seed": self.seed,
        }
        precisions = (precision,) if requested else (precision, *DTYPES)
        return str(claim(self.out, *(identity | {"precision": p} for p in precisions))["precision"])
