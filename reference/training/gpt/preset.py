"""Sizes and schedules: the course's own, and those for the built-in sample dataset."""

from dataclasses import dataclass
from typing import Literal

from reference.models.gpt import GPTConfig

OptimizerName = Literal["adamw", "muon"]
PresetName = Literal["demo", "cs224n-a4"]
Variant = Literal["vanilla", "rope"]


@dataclass(frozen=True, slots=True)
class Recipe:
    """The hyperparameters of one model in one phase.

    The learning rate warms up over `warmup_tokens`, then follows a cosine down to `floor` of its
    value, which it reaches after about `final_passes` over the pretraining corpus. `matrix_rate` is
    the learning rate of Muon, for hidden matrices; `learning_rate` is AdamW's.
    """

    epochs: int
    batch_size: int
    learning_rate: float
    warmup_tokens: int
    final_passes: float
    floor: float = 0.1
    weight_decay: float = 0.1
    shuffle: bool = False
    optimizer: OptimizerName = "adamw"
    matrix_rate: float = 0.0


@dataclass(frozen=True, slots=True)
class Preset:
    """The size of the models, and the recipes of the three kinds of training."""

    name: PresetName
    n_layer: int
    n_head: int
    n_embd: int
    block_size: int
    dropout: float
    pretrain: Recipe
    finetune: Recipe
    nopretrain: Recipe

    def model(self, characters: int, *, rope: bool, flash: bool) -> GPTConfig:
        """Return the settings of a model for a vocabulary of so many characters."""
        return GPTConfig(
            vocab_size=characters,
            block_size=self.block_size,
            n_layer=self.n_layer,
            n_head=self.n_head,
            n_embd=self.n_embd,
            embd_pdrop=self.dropout,
            attn_pdrop=self.dropout,
            resid_pdrop=self.dropout,
            rope=rope,
            flash=flash,
        )


# The settings in the comments of the course's run.py. Its DataLoader does not shuffle, and its
# warmup is shorter than one batch.
COURSE = Preset(
    name="cs224n-a4",
    n_layer=4,
    n_head=8,
    n_embd=256,
    block_size=128,
    dropout=0.1,
    pretrain=Recipe(650, 128, 6e-3, warmup_tokens=512 * 20, final_passes=650),
    finetune=Recipe(10, 256, 6e-4, warmup_tokens=512 * 20, final_passes=200),
    nopretrain=Recipe(75, 256, 6e-4, warmup_tokens=512 * 20, final_passes=200),
)

# The built-in sample dataset must be learned within a minute on two cores. Three things make that
# possible: Muon for the hidden matrices, finetuning at low rates, which preserves what pretraining
# learned, and names at the start of the line.
DEMO = Preset(
    name="demo",
    n_layer=3,
    n_head=4,
    n_embd=128,
    block_size=128,
    dropout=0.0,
    pretrain=Recipe(
        epochs=75,
        batch_size=32,
        learning_rate=2e-3,
        warmup_tokens=80_000,
        final_passes=75,
        floor=0.05,
        weight_decay=0.0,
        shuffle=True,
        optimizer="muon",
        matrix_rate=0.02,
    ),
    finetune=Recipe(10, 16, 2e-4, 0, final_passes=1000, weight_decay=0.01, shuffle=True),
    nopretrain=Recipe(40, 16, 6e-4, 0, final_passes=1000, weight_decay=0.01, shuffle=True),
)

PRESETS = {preset.name: preset for preset in (DEMO, COURSE)}
