"""Train one model in one phase, going on from the last epoch that was saved.

epoch: order (shuffled or not) -> batches -> step, step, ... -> curve -> save, at times
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from reference.gpt import GPT
from training.examples import Examples
from training.files import load_tensors, save_tensors
from training.graph import CapturedStep
from training.metrics import Point
from training.optimizer import keep_rates_on, make_optimizers
from training.precision import Machine
from training.preset import Recipe
from training.step import Step

GROUP = 16  # rows of similar length that go through the model together, on a CPU
SAVE_SECONDS = 5.0  # between two savings: a killed run repeats no more than that and an epoch
POINTS = 200  # of a learning curve, at most twice as many

Report = Callable[[int, float], None]  # steps made so far, mean loss of the last ones


@dataclass(frozen=True, slots=True)
class Course:
    """The way one phase is trained: recipe, multiplier of each step's learning rate, seed."""

    recipe: Recipe
    multipliers: list[float]
    seed: int
    machine: Machine
    state: Path


@dataclass(slots=True)
class Progress:
    """How far a phase has come; saved with the model."""

    epoch: int = 0
    step: int = 0
    seconds: float = 0.0
    curve: list[Point] = field(default_factory=list)
    losses: list[torch.Tensor] = field(default_factory=list)  # since the curve's last point


class Trainer:
    """One model in one phase."""

    def __init__(self, model: GPT, examples: Examples, course: Course) -> None:
        self.model = model.to(course.machine.device).train()
        self.examples = examples
        self.course = course
        dtype = course.machine.dtype
        self.optimizers = make_optimizers(self.model, course.recipe, dtype)
        self.progress = Progress()
        torch.manual_seed(course.seed)
        if course.state.is_file():
            self._resume(load_tensors(course.state))

    def train(self, report: Report) -> Progress:
        """Make all steps that are left."""
        step = self._step()
        started, saved = time.perf_counter(), time.perf_counter()
        before = self.progress.seconds
        while self.progress.epoch < self.course.recipe.epochs:
            self._epoch(step, report)
            self.progress.epoch += 1
            now = time.perf_counter()
            self.progress.seconds = before + now - started
            if now - saved > SAVE_SECONDS or self.progress.epoch == self.course.recipe.epochs:
                self._save()
                saved = time.perf_counter()
        return self.progress

    def _step(self) -> Step | CapturedStep:
        """The fastest way this machine has to make a step."""
        machine, recipe = self.course.machine, self.course.recipe
        if machine.device.type != "cuda":
            return Step(self.model, self.optimizers, machine, GROUP)
        step = Step(self.model, self.optimizers, machine, 0)
        if recipe.optimizer != "adamw":  # Muon's rate is no tensor: a graph would keep the first
            return step
        return CapturedStep(step, min(recipe.batch_size, len(self.examples)))

    def _epoch(self, step: Step | CapturedStep, report: Report) -> None:
        course, progress = self.course, self.progress
        n, device = len(self.examples), course.machine.device
        order = torch.randperm(n) if course.recipe.shuffle else torch.arange(n)
        every = max(1, len(course.multipliers) // POINTS)
        for batch in self.examples.batches(order.to(device), course.recipe.batch_size):
            rates = self._rates(progress.step)
            progress.losses.append(step(batch, rates))
            progress.step += 1
            if progress.step % every == 0 or progress.step == len(course.multipliers):
                loss = float(torch.stack(progress.losses).mean())
                progress.curve.append(Point(progress.step, loss, rates[0]))
                progress.losses.clear()
                report(progress.step, loss)

    def _rates(self, step: int) -> list[float]:
        recipe, multiplier = self.course.recipe, self.course.multipliers[step]
        base = (recipe.learning_rate, recipe.matrix_rate)[: len(self.optimizers)]
        return [rate * multiplier for rate in base]

    def _save(self) -> None:
        """Write down all that the rest of the phase depends on."""
        progress, cuda = self.progress, self.course.machine.device.type == "cuda"
        state = {
            "model": self.model.state_dict(),
            "optimizers": [optimizer.state_dict() for optimizer in self.optimizers],
            "generator": torch.get_rng_state(),
            "gpu_generator": torch.cuda.get_rng_state() if cuda else None,
            "epoch": progress.epoch,
            "step": progress.step,
            "seconds": progress.seconds,
            "curve": [(point.step, point.loss, point.learning_rate) for point in progress.curve],
            "losses": [float(loss) for loss in progress.losses],
        }
        save_tensors(self.course.state, state)

    def _resume(self, state: dict[str, Any]) -> None:
        self.model.load_state_dict(state["model"])
        for optimizer, saved in zip(self.optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(saved)
            keep_rates_on(optimizer, self.course.machine.device)
        torch.set_rng_state(state["generator"])
        if state["gpu_generator"] is not None:
            torch.cuda.set_rng_state(state["gpu_generator"])
        self.progress = Progress(
            state["epoch"],
            state["step"],
            state["seconds"],
            [Point(*point) for point in state["curve"]],
            [torch.tensor(loss) for loss in state["losses"]],
        )
