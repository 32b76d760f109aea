"""The plan of one run of the pipeline, and the paths of its files.

OUT/london_baseline_accuracy.txt
    vanilla.model.params              finetuned without pretraining
    vanilla.pretrain.params  vanilla.finetune.params  rope.pretrain.params  rope.finetune.params
    vanilla.nopretrain.dev.predictions  ...  rope.pretrain.test.predictions
    metrics.json  index.html  tensorboard/
    state/plan.json                   the settings of the run in this folder
          <phase>.params              an unfinished phase
          <phase>.json                the measurements of a finished phase
"""

from dataclasses import dataclass
from pathlib import Path

from reference.training.gpt.metrics import Kind
from reference.training.gpt.preset import Preset, Variant
from reference.training.metrics import PARTS
from reference.training.phase import claim


@dataclass(frozen=True, slots=True)
class PhaseSpec:
    """One phase: what it does, and with which model."""

    id: str
    kind: Kind
    variant: Variant
    pretrained: bool = True

    @property
    def reads(self) -> str:
        """The checkpoint from which it starts, or nothing."""
        if self.kind == "evaluate":
            return f"{self.variant}.{'finetune' if self.pretrained else 'model'}.params"
        return f"{self.variant}.pretrain.params" if self._tunes_pretrained else ""

    @property
    def writes(self) -> str:
        """The checkpoint that it writes; nothing for an evaluation."""
        if self.kind == "evaluate":
            return ""
        return f"{self.variant}.{self.kind if self.pretrained else 'model'}.params"

    @property
    def _tunes_pretrained(self) -> bool:
        return self.kind == "finetune" and self.pretrained

    @property
    def model(self) -> str:
        """The evaluated model in the names of prediction files."""
        return f"{self.variant}.{'pretrain' if self.pretrained else 'nopretrain'}"

    def prediction_file(self, part: str) -> str:
        """Return the file to which an evaluation writes its answers for `dev` or `test`."""
        return f"{self.model}.{part}.predictions"

    @property
    def files(self) -> tuple[str, ...]:
        """All files that the phase writes."""
        if self.kind == "evaluate":
            return tuple(self.prediction_file(part) for part in PARTS)
        return (self.writes,)


@dataclass(frozen=True, slots=True)
class Plan:
    """One run of the pipeline: `data` is the folder with the course's files."""

    preset: Preset
    variants: tuple[Variant, ...]
    data: Path
    data_description: str
    out: Path
    seed: int

    @property
    def tracks(self) -> tuple[tuple[PhaseSpec, ...], ...]:
        """Sequences of phases that depend on each other; different tracks are independent."""
        alone = (
            PhaseSpec("vanilla.nopretrain", "finetune", "vanilla", pretrained=False),
            PhaseSpec("vanilla.nopretrain.evaluate", "evaluate", "vanilla", pretrained=False),
        )
        return (alone, *(_track(variant) for variant in self.variants))

    def state(self, name: str) -> Path:
        """Return the file of an unfinished or finished phase."""
        return self.out / "state" / name

    def claim(self) -> None:
        """Claim the folder for this run. Raises UsageError if it contains another one."""
        identity = {"preset": self.preset.name, "data": self.data_description, "seed": self.seed}
        claim(self.out, identity)


def _track(variant: Variant) -> tuple[PhaseSpec, ...]:
    """Return the phases of one variant: pretrain, finetune, evaluate."""
    return (
        PhaseSpec(f"{variant}.pretrain", "pretrain", variant),
        PhaseSpec(f"{variant}.finetune", "finetune", variant),
        PhaseSpec(f"{variant}.evaluate", "evaluate", variant),
    )
