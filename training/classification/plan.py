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

import json
from dataclasses import dataclass
from pathlib import Path

from graders.errors import Misuse
from graders.labelled import Kind
from reference.methods import Method
from training.classification.recipes import Encoder
from training.files import write_text

PARTS = ("dev", "test")


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


def claim(plan: Plan, precision: str, *, asked: bool) -> str:
    """Take the folder for this run; returns the precision that the run goes on in.

    Which one is faster is tried out anew each time, so where it was not asked for, a run goes on
    in the one it was begun in. Raises Misuse where the folder holds another run.
    """
    own = {
        "assignment": plan.assignment,
        "encoder": plan.encoder_name,
        "data": plan.data_description,
        "seed": plan.seed,
    }
    file = plan.state("plan.json")
    other = _read(file) if file.is_file() else own | {"precision": precision}
    begun = precision if asked else other.get("precision", "")
    if other != own | {"precision": begun} or begun not in ("bf16", "fp32"):
        raise Misuse(
            f"{plan.out}: the folder holds a run with other settings or data",
            "give another --out, or remove the folder",
        )
    write_text(file, json.dumps(other, indent=1) + "\n")
    return str(begun)


def _read(file: Path) -> dict[str, object]:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}
