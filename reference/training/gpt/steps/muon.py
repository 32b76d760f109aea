"""Muon: momentum whose matrices are orthogonalized before they are applied.

Jordan et al. 2024, "Muon: An optimizer for hidden layers in neural networks".
torch.optim.Muon always computes in bfloat16; on a CPU without bfloat16 instructions, that takes
longer than the whole model, so the precision is a parameter here.
"""

from collections import defaultdict
from collections.abc import Iterable

import torch

# The quintic's coefficients from the paper: they move singular values in (0, 1] close to one in
# five rounds.
A, B, C = 3.4445, -4.7750, 2.0315
ROUNDS = 5


class Muon(torch.optim.Optimizer):
    """Nesterov momentum, orthogonalized; only for matrices (rows, columns)."""

    def __init__(
        self,
        matrices: Iterable[torch.nn.Parameter],
        lr: float,
        *,
        momentum: float = 0.95,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        super().__init__(matrices, {"lr": lr, "momentum": momentum})
        self._dtype = dtype

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]
        """Do one step; matrices of the same shape are orthogonalized together."""
        for group in self.param_groups:
            by_shape: dict[torch.Size, list[torch.Tensor]] = defaultdict(list)
            for matrix in group["params"]:
                if matrix.grad is not None:
                    by_shape[matrix.shape].append(matrix)
            for matrices in by_shape.values():
                self._step(matrices, group["lr"], group["momentum"])

    def _step(self, matrices: list[torch.Tensor], lr: float, momentum: float) -> None:
        """Update matrices of the same shape."""
        grads = [matrix.grad for matrix in matrices if matrix.grad is not None]
        buffers = [self._buffer(matrix) for matrix in matrices]
        torch._foreach_lerp_(buffers, grads, 1 - momentum)
        ahead = torch._foreach_lerp(grads, buffers, momentum)  # Nesterov
        updates = orthogonalize(torch.stack(list(ahead)).to(self._dtype))  # (K, rows, columns)
        rows, columns = matrices[0].shape
        # A tall matrix's update is scaled so that it changes the outputs as much as a square one's.
        scale = -lr * max(1, rows / columns) ** 0.5
        torch._foreach_add_(matrices, list(updates.to(matrices[0].dtype).unbind()), alpha=scale)

    def _buffer(self, matrix: torch.Tensor) -> torch.Tensor:
        state = self.state[matrix]
        if "momentum" not in state:
            state["momentum"] = torch.zeros_like(matrix)
        buffer: torch.Tensor = state["momentum"]
        return buffer


def orthogonalize(matrices: torch.Tensor) -> torch.Tensor:
    """Return approximately UVᵀ for each matrix USVᵀ of (K, rows, columns).

    A Newton-Schulz iteration, which needs only products; it uses the smaller side. The singular
    values of the result are close to one.
    """
    tall = matrices.shape[-2] > matrices.shape[-1]
    x: torch.Tensor = matrices.mT if tall else matrices
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)  # singular values of at most one
    for _ in range(ROUNDS):
        gram = x @ x.mT
        x = A * x + (B * gram + C * gram @ gram) @ x
    return x.mT if tall else x
