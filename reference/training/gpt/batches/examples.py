"""The training examples of a phase, one epoch at a time."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import torch

from reference.training.gpt.batches.batch import Batch, target_lengths
from reference.training.gpt.batches.corpus import Corpus, corrupt

AHEAD = 1024  # documents corrupted at once: fewer need more calls, more exceed the cache


class Examples(Protocol):
    """The training examples of a phase."""

    def __len__(self) -> int: ...

    def batches(self, order: torch.Tensor, size: int) -> Iterator[Batch]:
        """Yield the batches of one epoch, in this order."""
        ...


@dataclass(frozen=True, slots=True)
class CorruptedDocuments:
    """The corpus, corrupted again in each epoch."""

    corpus: Corpus

    def __len__(self) -> int:
        return len(self.corpus)

    def batches(self, order: torch.Tensor, size: int) -> Iterator[Batch]:
        """Yield the batches of one epoch; several batches are drawn at once."""
        ahead = max(1, AHEAD // size) * size
        for rows in torch.split(order, ahead):
            sequences, lengths = corrupt(self.corpus, rows)
            drawn = Batch(sequences[:, :-1], sequences[:, 1:], lengths - 1)
            for start in range(0, len(rows), size):
                yield drawn[start : start + size]


@dataclass(frozen=True, slots=True)
class Questions:
    """The finetuning examples, the same in each epoch."""

    x: torch.Tensor
    y: torch.Tensor

    def __len__(self) -> int:
        return len(self.x)

    def batches(self, order: torch.Tensor, size: int) -> Iterator[Batch]:
        """Yield the batches of one epoch."""
        whole = Batch(self.x, self.y, target_lengths(self.y))
        for rows in torch.split(order, size):
            yield whole[rows]
