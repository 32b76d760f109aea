"""The examples of one step, and their groups of similar length.

Trailing PADs are neither read (attention is causal) nor trained on (the loss ignores them), so
leaving them out makes no difference. A batch trimmed to its longest example is still half PADs;
rows sorted by length and split into groups are not:

    |########      |         |########|
    |##############|   ->    |######  |
    |######        |             |##############|
    |############  |             |############  |
"""

from collections.abc import Iterator
from dataclasses import dataclass

import torch

from reference.models.gpt import PAD_ID


@dataclass(frozen=True, slots=True)
class Batch:
    """x and y (B, T), and how many columns of each row are followed by a target: (B,)."""

    x: torch.Tensor
    y: torch.Tensor
    lengths: torch.Tensor

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, rows: slice | torch.Tensor) -> "Batch":
        return Batch(self.x[rows], self.y[rows], self.lengths[rows])

    @property
    def targets(self) -> torch.Tensor:
        """The number of characters over which the loss is averaged."""
        return (self.y != PAD_ID).sum()

    def groups(self, size: int) -> Iterator["Batch"]:
        """Yield the rows in groups of about this size, each trimmed to its own longest row."""
        by_length = self[self.lengths.argsort(descending=True)]
        for start in range(0, len(self), size):
            group = by_length[start : start + size]
            width = max(1, int(group.lengths[0]))
            yield Batch(group.x[:, :width], group.y[:, :width], group.lengths)

    def padded(self, rows: int) -> "Batch":
        """Return the batch with added rows of PADs, which the loss ignores.

        This gives a CUDA graph a fixed shape.
        """
        more = rows - len(self)
        pad = torch.nn.functional.pad
        return Batch(
            pad(self.x, (0, 0, 0, more), value=PAD_ID),
            pad(self.y, (0, 0, 0, more), value=PAD_ID),
            pad(self.lengths, (0, more)),
        )


def target_lengths(y: torch.Tensor) -> torch.Tensor:
    """Return the number of columns up to the last target of each row of y (B, T)."""
    column = torch.arange(1, y.shape[1] + 1, device=y.device)
    lengths: torch.Tensor = ((y != PAD_ID) * column).amax(1)
    return lengths
