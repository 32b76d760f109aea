"""Train one classifier by one method, going on from the last step that was saved.

epoch: shuffled batches -> step, step, ... -> dev -> kept where better than all before
       saved now and then, inside an epoch too: STATE model, optimizer, generators, what was found
"""

import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch

from reference.finetuning import (
    loss_of,
    make_optimizer,
    multiplier,
    set_rate,
    train_step,
)
from reference.methods import Recipe
from training.classification.averages import Averages
from training.classification.items import Scores, batch_count, shuffled_batches
from training.classification.metrics import Epoch
from training.files import load_tensors, save_tensors
from training.metrics import Point
from training.trainer import POINTS, SAVE_SECONDS, Report

SAVING_SHARE = 20  # training goes on for so many times as long as a saving took


@dataclass(frozen=True, slots=True)
class Course:
    """How one method is trained, and where what is unfinished lies."""

    recipe: Recipe
    seed: int
    state: Path
    best: Path


@dataclass(slots=True)
class Progress:
    """How far a training has come; saved with the model."""

    step: int = 0
    seconds: float = 0.0
    best: int = -1  # right answers on dev, of the epoch that is kept
    chosen: int = 0
    curve: list[Point] = field(default_factory=list)
    epochs: list[Epoch] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)  # of the epoch's steps so far


class Trainer:
    """One classifier in training."""

    def __init__(self, scores: Scores, course: Course) -> None:
        self.scores = scores
        self.course = course
        self.classifier = scores.classifier.to(scores.machine.device).train()
        self.optimizer = make_optimizer(self.classifier, course.recipe)
        self.averages = Averages(self.classifier.trained(), course.recipe.average)
        self.progress = Progress()
        self.per_epoch = batch_count(len(scores.parts["train"]), course.recipe.batch_size)
        self.steps = self.per_epoch * course.recipe.epochs
        self._clock, self._saved, self._pause = time.perf_counter(), time.perf_counter(), 0.0
        torch.manual_seed(course.seed)
        if course.state.is_file():
            self._resume(load_tensors(course.state))

    def train(self, report: Report) -> Progress:
        """Make all steps that are left; the classifier then holds the epoch that is kept."""
        progress, recipe = self.progress, self.course.recipe
        self._clock = self._saved = time.perf_counter()
        lengths = self.scores.parts["train"].lengths
        while len(progress.epochs) < recipe.epochs:
            number, made = len(progress.epochs) + 1, len(progress.losses)
            batches = shuffled_batches(lengths, recipe.batch_size, self.course.seed + number)
            for rows in batches[made:]:
                self._step(rows)
                self._tell(report)
                self._save_at_times()
            self._end_epoch(number)
        self._save()
        self.classifier.load_trained(load_tensors(self.course.best))
        return progress

    def _step(self, rows: torch.Tensor) -> None:
        progress, recipe, scores = self.progress, self.course.recipe, self.scores
        progress.step += 1
        set_rate(self.optimizer, multiplier(progress.step, self.steps, recipe.warmup))
        labels = scores.labels("train", rows)
        loss = loss_of(scores.logits("train", rows), labels, recipe.smoothing)
        progress.losses.append(float(train_step(self.classifier, self.optimizer, loss)))
        self.averages.update()

    def _tell(self, report: Report) -> None:
        """Add a point to the curve now and then: the mean loss since the one before."""
        progress, every = self.progress, max(1, self.steps // POINTS)
        if progress.step % every and len(progress.losses) != self.per_epoch:
            return
        last = progress.curve[-1].step if progress.curve else 0
        recent = progress.losses[-min(progress.step - last, len(progress.losses)) :]
        loss = sum(recent) / len(recent)
        rate = max(group["lr"] for group in self.optimizer.param_groups)
        progress.curve.append(Point(progress.step, loss, rate))
        report(progress.step, loss)

    def _end_epoch(self, number: int) -> None:
        """Ask dev; what is better than all epochs before, strictly, is kept."""
        progress, labels = self.progress, self.scores.parts["dev"].labels
        loss = sum(progress.losses) / len(progress.losses)
        with self.averages.in_place():
            logits = self.scores.all_logits("dev")
            correct = int((logits.argmax(1) == labels).sum())
            if correct > progress.best:
                # Written before the state that says so: a run killed in between writes it again.
                save_tensors(self.course.best, plain(self.classifier.trained()))
                progress.best, progress.chosen = correct, number
        dev_loss = float(loss_of(logits, labels))
        progress.epochs.append(Epoch(number, loss, dev_loss, correct, len(labels)))
        progress.losses = []

    def _save_at_times(self) -> None:
        """Saving takes no more than a twentieth of the time, however large the encoder."""
        since = time.perf_counter() - self._saved
        if since > max(SAVE_SECONDS, SAVING_SHARE * self._pause):
            self._save()

    def _save(self) -> None:
        """Write down all that the rest of the training depends on."""
        begun = time.perf_counter()
        progress = self.progress
        progress.seconds += begun - self._clock
        cuda = self.scores.machine.device.type == "cuda"
        content = {
            "trained": plain(self.classifier.trained()),
            "optimizer": self.optimizer.state_dict(),
            "averages": self.averages.state(),
            "generator": torch.get_rng_state(),
            "gpu_generator": torch.cuda.get_rng_state() if cuda else None,
            "progress": asdict(progress),
        }
        save_tensors(self.course.state, content)
        self._clock = begun
        self._saved = time.perf_counter()
        self._pause = self._saved - begun

    def _resume(self, state: dict[str, Any]) -> None:
        self.classifier.load_trained(state["trained"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.averages.load(**state["averages"])
        torch.set_rng_state(state["generator"])
        if state["gpu_generator"] is not None:
            torch.cuda.set_rng_state(state["gpu_generator"])
        found = state["progress"]
        self.progress = Progress(
            **found
            | {
                "curve": [Point(**point) for point in found["curve"]],
                "epochs": [Epoch(**epoch) for epoch in found["epochs"]],
            }
        )


def plain(named: dict[str, Any]) -> dict[str, torch.Tensor]:
    """Tensors as they are now, on the CPU."""
    return {name: tensor.detach().cpu().clone() for name, tensor in named.items()}
