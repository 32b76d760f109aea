"""A running mean of what is trained: steadier than the last step, at the price of a copy.

    mean <- decay * mean + (1 - decay) * weights, after every step   (Polyak and Juditsky 1992)

The weights go on as they were; dev is asked, and the best epoch kept, with the mean in their place.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import torch
from torch import nn


class Averages:
    """The running mean of some parameters; with a decay of 0 it is the parameters themselves."""

    def __init__(self, trained: Mapping[str, nn.Parameter], decay: float) -> None:
        self.decay = decay
        self.trained = dict(trained)
        self.steps = 0
        self.means = {n: p.detach().clone() for n, p in trained.items()} if decay else {}

    @torch.no_grad()
    def update(self) -> None:
        """Take in the weights of one more step; the first ones count as much as later ones."""
        self.steps += 1
        decay = min(self.decay, (self.steps - 1) / self.steps)
        for name, mean in self.means.items():
            mean.lerp_(self.trained[name].detach(), 1 - decay)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """While the block lasts the parameters are their means."""
        own = {name: self.trained[name].detach().clone() for name in self.means}
        self._set(self.means)
        try:
            yield
        finally:
            self._set(own)

    def state(self) -> dict[str, object]:
        """All that going on needs."""
        means = {name: mean.cpu().clone() for name, mean in self.means.items()}
        return {"steps": self.steps, "means": means}

    def load(self, steps: int, means: Mapping[str, torch.Tensor]) -> None:
        """Go on from a saved state."""
        self.steps = steps
        for name, mean in self.means.items():
            mean.copy_(means[name])

    @torch.no_grad()
    def _set(self, values: Mapping[str, torch.Tensor]) -> None:
        for name, value in values.items():
            self.trained[name].copy_(value)
