"""Train the GPT on the examples of one phase."""

import contextlib
from collections.abc import Iterator
from typing import Any

import torch

from reference.models.gpt import GPT
from reference.training.gpt.batches import Batch, Examples
from reference.training.gpt.optimizers import keep_rates_on, make_optimizers
from reference.training.gpt.preset import Recipe
from reference.training.gpt.step import CapturedStep, Step, recorder_for
from reference.training.precision import Machine

GROUP = 16  # rows of similar length that are processed together, on a CPU
COMPILED_FROM = 5_000  # steps on a GPU; with fewer, compiling takes longer than it saves


class GPTTask:
    """One phase of a GPT; `multipliers` are the fractions of the learning rate by step.

    Orders, corruption and dropout use the same generator, so training resumes at the beginning of
    an epoch.
    """

    long_epochs = False

    def __init__(
        self,
        model: GPT,
        examples: Examples,
        recipe: Recipe,
        multipliers: list[float],
        machine: Machine,
    ) -> None:
        self.model = model.to(machine.device).train()
        self.examples = examples
        self.recipe = recipe
        self.multipliers = multipliers
        self.machine = machine
        self.epochs = recipe.epochs
        self.per_epoch = len(multipliers) // recipe.epochs
        self.optimizers = make_optimizers(self.model, recipe, machine.dtype)
        self.fastest = self._fastest()

    def _fastest(self) -> Step | CapturedStep:
        """Return the fastest step for this machine."""
        recorder = recorder_for(self.machine.device)
        if recorder is None:
            return Step(self.model, self.optimizers, self.machine, GROUP)
        step = Step(self.model, self.optimizers, self.machine, 0)
        if self.recipe.optimizer != "adamw":  # Muon's rate is not a tensor: graphs keep the first
            return step
        if len(self.multipliers) >= COMPILED_FROM:
            compile_blocks(self.model)
        return CapturedStep(step, min(self.recipe.batch_size, len(self.examples)), recorder)

    @property
    def note(self) -> str:
        """Why the steps are slower than this machine allows, or nothing."""
        return self.fastest.note if isinstance(self.fastest, CapturedStep) else ""

    def batches(self, epoch: int) -> Iterator[Batch]:
        """Return the batches of all examples, shuffled or not."""
        n = len(self.examples)
        order = torch.randperm(n) if self.recipe.shuffle else torch.arange(n)
        return self.examples.batches(order.to(self.machine.device), self.recipe.batch_size)

    def step(self, number: int, batch: Batch) -> tuple[torch.Tensor, float]:
        """Train on a batch; return its loss (1,) before the step, and AdamW's learning rate."""
        base = (self.recipe.learning_rate, self.recipe.matrix_rate)[: len(self.optimizers)]
        rates = [rate * self.multipliers[number] for rate in base]
        return self.fastest(batch, rates), rates[0]

    def end_epoch(self) -> None:
        """Do nothing: evaluation is a separate phase."""

    def state(self) -> dict[str, Any]:
        """Return weights and optimizers."""
        optimizers = [optimizer.state_dict() for optimizer in self.optimizers]
        return {"model": self.model.state_dict(), "optimizers": optimizers}

    def load(self, state: dict[str, Any]) -> None:
        """Resume from weights and optimizers on the CPU."""
        self.model.load_state_dict(state["model"])
        for optimizer, saved in zip(self.optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(saved)
            keep_rates_on(optimizer, self.machine.device)


def compile_blocks(model: GPT) -> None:
    """Fuse the operations of each block into few kernels; without a compiler, nothing changes.

    All blocks share one compiled function, so this takes a fraction of compiling the whole model.
    """
    from torch import _dynamo  # takes a second

    _dynamo.config.suppress_errors = True
    for block in model.layers:
        with contextlib.suppress(RuntimeError):  # torch.compile may not support this Python yet
            block.compile()
