"""One training step: forward, backward, clipping, the optimizers; eagerly, on any device."""

import torch
from torch.nn import functional as F

from reference.models.gpt import GPT, PAD_ID
from reference.training.gpt.batches.batch import Batch
from reference.training.gpt.steps.optimizer import CLIP, set_rates
from reference.training.precision import Machine


class Step:
    """Trains a model, one batch per call."""

    def __init__(
        self, model: GPT, optimizers: list[torch.optim.Optimizer], machine: Machine, group: int
    ) -> None:
        self.model = model
        self.optimizers = optimizers
        self.machine = machine
        self.group = group

    def __call__(self, batch: Batch, rates: list[float]) -> torch.Tensor:
        """Train with these learning rates; return the loss (1,) of the batch before the step."""
        set_rates(self.optimizers, rates)
        return self.train(batch)

    def train(self, batch: Batch) -> torch.Tensor:
        """Compute gradients, clip them, and step.

        Return the mean loss over all targets of the batch.
        """
        for optimizer in self.optimizers:
            optimizer.zero_grad(set_to_none=True)
        total = torch.zeros((), device=batch.x.device)
        count = batch.targets
        for part in batch.groups(self.group) if self.group else [batch]:
            loss = self.summed_loss(part) / count
            loss.backward()  # type: ignore[no-untyped-call]
            total += loss.detach()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), CLIP)
        for optimizer in self.optimizers:
            optimizer.step()
        return total

    def summed_loss(self, batch: Batch) -> torch.Tensor:
        """Return the sum of the cross-entropy over all targets, without PADs."""
        machine = self.machine
        enabled = machine.dtype != torch.float32
        # The cache of cast weights is off, because inside a captured step it would keep the first
        # ones.
        with torch.autocast(
            machine.device.type, dtype=machine.dtype, enabled=enabled, cache_enabled=False
        ):
            logits, _ = self.model(batch.x)  # (B, T, vocab_size)
        flat = logits.float().flatten(0, 1)
        return F.cross_entropy(flat, batch.y.flatten(), ignore_index=PAD_ID, reduction="sum")
