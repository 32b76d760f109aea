"""Fine-tune a classifier with one method, and keep its best epoch on dev.

Training continues with the weights themselves. Dev is evaluated, and the best epoch saved, with
their running mean, which is steadier than the last step:

    mean <- decay * mean + (1 - decay) * weights, after every step   (Polyak and Juditsky 1992)
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch import nn

from reference.training.classification.encoders import Recipe
from reference.training.classification.finetuning import (
    loss_of,
    make_optimizer,
    multiplier,
    set_rate,
    train_step,
)
from reference.training.classification.items import Scores, batch_count, shuffled_batches
from reference.training.classification.metrics import Epoch
from reference.training.files import load_tensors, plain, save_tensors


class Averages:
    """The running mean of some parameters; with a decay of 0, the parameters themselves."""

    def __init__(self, trained: Mapping[str, nn.Parameter], decay: float) -> None:
        self.decay = decay
        self.trained = dict(trained)
        self.steps = 0
        self.means = {n: p.detach().clone() for n, p in trained.items()} if decay else {}

    @torch.no_grad()
    def update(self) -> None:
        """Add the weights of one more step; early steps count as much as later ones."""
        self.steps += 1
        decay = min(self.decay, (self.steps - 1) / self.steps)
        for name, mean in self.means.items():
            mean.lerp_(self.trained[name].detach(), 1 - decay)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Replace the parameters by their means inside the block."""
        originals = {name: self.trained[name].detach().clone() for name in self.means}
        self._set(self.means)
        try:
            yield
        finally:
            self._set(originals)

    def state(self) -> dict[str, object]:
        """Return everything that resuming needs."""
        means = {name: mean.cpu().clone() for name, mean in self.means.items()}
        return {"steps": self.steps, "means": means}

    def load(self, steps: int, means: Mapping[str, torch.Tensor]) -> None:
        """Resume from a saved state."""
        self.steps = steps
        for name, mean in self.means.items():
            mean.copy_(means[name])

    @torch.no_grad()
    def _set(self, values: Mapping[str, torch.Tensor]) -> None:
        for name, value in values.items():
            self.trained[name].copy_(value)


class ClassifierTask:
    """One method on one encoder; `best` contains the epoch that is kept."""

    long_epochs = True

    def __init__(self, scores: Scores, recipe: Recipe, seed: int, best: Path) -> None:
        self.scores = scores
        self.recipe = recipe
        self.seed = seed
        self.best = best
        self.machine = scores.machine
        self.classifier = scores.classifier.to(self.machine.device).train()
        self.optimizer = make_optimizer(self.classifier, recipe)
        self.averages = Averages(self.classifier.trained(), recipe.average)
        self.epochs = recipe.epochs
        self.per_epoch = batch_count(len(scores.parts["train"]), recipe.batch_size)
        self.found: list[Epoch] = []
        self.loss = 0.0  # the sum of the losses in this epoch so far

    def batches(self, epoch: int) -> list[torch.Tensor]:
        """Return the rows of the training items, each once."""
        lengths = self.scores.parts["train"].lengths
        return shuffled_batches(lengths, self.recipe.batch_size, self.seed + epoch + 1)

    def step(self, number: int, batch: torch.Tensor) -> tuple[torch.Tensor, float]:
        """Train on these rows; return the loss (1,) before the step, and the highest rate."""
        steps = self.epochs * self.per_epoch
        set_rate(self.optimizer, multiplier(number + 1, steps, self.recipe.warmup))
        labels = self.scores.labels("train", batch)
        loss = loss_of(self.scores.logits("train", batch), labels, self.recipe.smoothing)
        # In float64, a sum of many losses is exact in any order.
        value = train_step(self.classifier, self.optimizer, loss).double()
        self.averages.update()
        self.loss += float(value)
        return value, max(group["lr"] for group in self.optimizer.param_groups)

    def end_epoch(self) -> None:
        """Evaluate on dev; save the epoch if it is strictly better than all before."""
        labels = self.scores.parts["dev"].labels
        with self.averages.in_place():
            logits = self.scores.all_logits("dev")
            correct = int((logits.argmax(1) == labels).sum())
            if correct > max((epoch.dev_correct for epoch in self.found), default=-1):
                # Written before the state that refers to it: a run killed in between writes it
                # again.
                save_tensors(self.best, plain(self.classifier.trained()))
        loss, dev_loss = self.loss / self.per_epoch, float(loss_of(logits, labels))
        self.found.append(Epoch(len(self.found) + 1, loss, dev_loss, correct, len(labels)))
        self.loss = 0.0

    def load_best(self) -> int:
        """Load the epoch that was kept; return its number."""
        self.classifier.load_trained(load_tensors(self.best))
        return max(self.found, key=lambda epoch: epoch.dev_correct).epoch

    def state(self) -> dict[str, Any]:
        """Return the trained parameters, the optimizer's state, and the results on dev so far."""
        return {
            "trained": plain(self.classifier.trained()),
            "optimizer": self.optimizer.state_dict(),
            "averages": self.averages.state(),
            "found": [asdict(epoch) for epoch in self.found],
            "loss": self.loss,
        }

    def load(self, state: dict[str, Any]) -> None:
        """Resume from a state."""
        self.classifier.load_trained(state["trained"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.averages.load(**state["averages"])
        self.found = [Epoch(**epoch) for epoch in state["found"]]
        self.loss = state["loss"]
