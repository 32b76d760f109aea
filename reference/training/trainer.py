"""Train any task, resuming from the last saved step.

    epoch: batches -> step, step, ... -> a point of the curve, at times -> the epoch's end
    saved at times: the progress, the generators, and what the task depends on

A training that is killed at any point resumes with exactly the same numbers.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import torch

from reference.training.files import load_tensors, save_tensors
from reference.training.metrics import Point
from reference.training.precision import Machine

SAVE_SECONDS = 5.0  # between two saves of long epochs: all that a killed run repeats
SAVING_SHARE = 20  # training continues for this many times as long as a save took
POINTS = 200  # of a learning curve; at most twice as many

Report = Callable[[int, int, float | None], None]  # steps done, total steps, mean loss
Batch = TypeVar("Batch")


class Task(Protocol[Batch]):
    """A model and its training data: everything that the loop below does not know.

    Long epochs are also saved inside, so their batches must depend only on the epoch's number, and
    each ends with a point of the curve. Other tasks may use torch's generator for their batches.
    """

    machine: Machine
    epochs: int
    per_epoch: int  # steps
    long_epochs: bool

    def batches(self, epoch: int) -> Iterable[Batch]:
        """Return the batches of epoch 0, 1, ..."""
        ...

    def step(self, number: int, batch: Batch) -> tuple[torch.Tensor, float]:
        """Do step 0, 1, ... of all; return its loss (1,) before, and its learning rate."""
        ...

    def end_epoch(self) -> None:
        """Do what is due between two epochs."""
        ...

    def state(self) -> dict[str, Any]:
        """Return everything that resuming depends on: weights, optimizers and more."""
        ...

    def load(self, state: dict[str, Any]) -> None:
        """Resume from a state on the CPU."""
        ...


@dataclass(slots=True)
class Progress:
    """The progress of a training."""

    epoch: int = 0
    step: int = 0
    seconds: float = 0.0
    curve: list[Point] = field(default_factory=list)
    losses: list[torch.Tensor] = field(default_factory=list)  # since the curve's last point


class Trainer(Generic[Batch]):
    """One training; `file` contains its state until it is finished."""

    def __init__(self, task: Task[Batch], seed: int, file: Path) -> None:
        self.task = task
        self.file = file
        self.steps = task.epochs * task.per_epoch
        self.progress = Progress()
        torch.manual_seed(seed)
        if file.is_file():
            self._resume(load_tensors(file))

    def train(self, report: Report) -> Progress:
        """Do all remaining steps."""
        task, progress = self.task, self.progress
        report(progress.step, self.steps, None)
        self._clock = self._saved = time.perf_counter()
        while progress.epoch < task.epochs:
            done = progress.step - progress.epoch * task.per_epoch
            for batch in islice(task.batches(progress.epoch), done, None):
                self._step(batch, report)
                if task.long_epochs and self._pays_to_save():
                    self._save()
            task.end_epoch()
            progress.epoch += 1
            if progress.epoch == task.epochs or self._pays_to_save():
                self._save()
        return progress

    def _step(self, batch: Batch, report: Report) -> None:
        """Do a step; now and then, add the mean loss since the last point to the curve."""
        task, progress = self.task, self.progress
        loss, rate = task.step(progress.step, batch)
        progress.losses.append(loss)
        progress.step += 1
        ends = task.per_epoch if task.long_epochs else self.steps
        if progress.step % ends == 0 or progress.step % max(1, self.steps // POINTS) == 0:
            mean = float(torch.stack(progress.losses).mean())
            progress.curve.append(Point(progress.step, mean, rate))
            progress.losses.clear()
            report(progress.step, self.steps, mean)

    def _pays_to_save(self) -> bool:
        """Return whether to save now; saving takes at most a twentieth of the time."""
        pause = self._saved - self._clock
        return time.perf_counter() - self._saved > max(SAVE_SECONDS, SAVING_SHARE * pause)

    def _save(self) -> None:
        """Save everything that the rest of the training depends on."""
        begun = time.perf_counter()
        self.progress.seconds += begun - self._clock
        cuda = self.task.machine.device.type == "cuda"
        state = {
            "task": self.task.state(),
            "progress": asdict(self.progress),
            "generator": torch.get_rng_state(),
            "gpu_generator": torch.cuda.get_rng_state() if cuda else None,
        }
        save_tensors(self.file, state)
        self._clock, self._saved = begun, time.perf_counter()

    def _resume(self, state: dict[str, Any]) -> None:
        self.task.load(state["task"])
        progress, device = state["progress"], self.task.machine.device
        curve = [Point(**point) for point in progress["curve"]]
        losses = [loss.to(device) for loss in progress["losses"]]
        self.progress = Progress(**progress | {"curve": curve, "losses": losses})
        torch.set_rng_state(state["generator"])
        if state["gpu_generator"] is not None:
            torch.cuda.set_rng_state(state["gpu_generator"])
