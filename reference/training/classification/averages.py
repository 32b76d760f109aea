"""A running mean of the trained parameters: steadier than the last step, but needs a copy.

    mean <- decay * mean + (1 - decay) * weights, after every step   (Polyak and Juditsky 1992)

Training continues with the weights themselves; dev is evaluated, and the best epoch saved, with the
mean.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import torch
from torch import nn


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
        own = {name: self.trained[name].detach().clone() for name in self.means}
        self._set(self.means)
        try:
            yield
        finally:
            self._set(own)

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
