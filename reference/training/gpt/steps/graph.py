"""Capture a training step in a CUDA graph: one launch instead of four hundred.

Before the capture, three steps run eagerly, as torch requires; they train like all others. Then
one step is recorded without being executed, and every further step replays it with the contents
of the fixed tensors: batch, learning rate, loss.
"""

import torch

from reference.training.gpt.batches.batch import Batch
from reference.training.gpt.steps.optimizer import set_rates
from reference.training.gpt.steps.step import Step

EAGER = 3


class CapturedStep:
    """A Step for batches of one shape; smaller ones are padded with rows that don't count."""

    def __init__(self, step: Step, rows: int) -> None:
        self.step = step
        self.rows = rows
        self.made = 0
        self.graph = torch.cuda.CUDAGraph()
        self.stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        self.batch: Batch | None = None
        self.loss = torch.zeros((), device="cuda")

    def __call__(self, batch: Batch, rates: list[float]) -> torch.Tensor:
        """Train with these learning rates; return the loss of the batch before the step."""
        full = batch.padded(self.rows)
        set_rates(self.step.optimizers, rates)
        self.made += 1
        if self.made <= EAGER:
            return self._eager(full)
        if self.batch is None:
            self.batch = Batch(full.x.clone(), full.y.clone(), full.lengths.clone())
            self._capture(self.batch)
        self.batch.x.copy_(full.x)
        self.batch.y.copy_(full.y)
        self.graph.replay()
        return self.loss.clone()

    def _eager(self, batch: Batch) -> torch.Tensor:
        """Run a step on its own stream, where a capture needs the memory to be warmed up."""
        self.stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.stream):
            loss = self.step.train(batch)
        torch.cuda.current_stream().wait_stream(self.stream)
        return loss

    def _capture(self, batch: Batch) -> None:
        """Record a step without executing it."""
        with torch.cuda.graph(self.graph, stream=self.stream):
            self.loss.copy_(self.step.train(batch))
