"""The optimizers of the two presets, and their learning rates.

AdamW has the course's parameter groups and learning rates: a linear warmup, then a cosine, both
counted in tokens. Muon is momentum whose matrices are orthogonalized before they are applied:
Jordan et al. 2024, "Muon: An optimizer for hidden layers in neural networks".
torch.optim.Muon always computes in bfloat16; on a CPU without bfloat16 instructions, that takes
longer than the whole model, so the precision is a parameter here.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator

import torch
from torch import nn

from reference.models.gpt import GPT
from reference.training.gpt.preset import Recipe

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


BETAS = (0.9, 0.95)
CLIP = 1.0


def make_optimizers(
    model: GPT, recipe: Recipe, matrix_dtype: torch.dtype
) -> list[torch.optim.Optimizer]:
    """Return the optimizers: AdamW, and Muon for the hidden matrices if the recipe says so."""
    if recipe.optimizer == "adamw":
        return [adamw(model, recipe, set())]
    matrices = [p for p in model.blocks.parameters() if p.ndim == 2]
    muon = Muon(matrices, recipe.matrix_rate, dtype=matrix_dtype)
    return [adamw(model, recipe, set(matrices)), muon]


def adamw(model: GPT, recipe: Recipe, others: set[nn.Parameter]) -> torch.optim.AdamW:
    """Return AdamW for all parameters except `others`, with weight decay for all but biases."""
    decayed, free = parameter_groups(model)
    groups = [
        {"params": [p for p in decayed if p not in others], "weight_decay": recipe.weight_decay},
        {"params": [p for p in free if p not in others], "weight_decay": 0.0},
    ]
    on_gpu = free[0].is_cuda
    # On a GPU the rate is a tensor: a captured step reads its current value.
    lr = torch.tensor(recipe.learning_rate, device=free[0].device) if on_gpu else None
    rate = recipe.learning_rate if lr is None else lr
    return torch.optim.AdamW(
        [group for group in groups if group["params"]],
        lr=rate,
        betas=BETAS,
        fused=True,
        capturable=on_gpu,
    )


def parameter_groups(model: GPT) -> tuple[list[nn.Parameter], list[nn.Parameter]]:
    """Return the parameters with weight decay, and the biases, which have none.

    minGPT's first version, on which the course's trainer is based, excludes names with `bias` or
    `LayerNorm.weight`; here, no name contains the second. It matters at the course's learning rate
    of 6e-3 (docs/performance.md).
    """
    named = list(model.named_parameters())
    decayed = [p for name, p in named if not name.endswith("bias")]
    return decayed, [p for name, p in named if name.endswith("bias")]


def set_rates(optimizers: list[torch.optim.Optimizer], rates: list[float]) -> None:
    """Set each optimizer's learning rate, in place if it is a tensor."""
    for optimizer, rate in zip(optimizers, rates, strict=True):
        for group in optimizer.param_groups:
            if isinstance(group["lr"], torch.Tensor):
                group["lr"].fill_(rate)
            else:
                group["lr"] = rate


def keep_rates_on(optimizer: torch.optim.Optimizer, device: torch.device) -> None:
    """Move rates that are tensors from the CPU, where a file is loaded, back to the device.

    Otherwise, a captured step would keep the value from its recording.
    """
    for group in optimizer.param_groups:
        if isinstance(group["lr"], torch.Tensor):
            group["lr"] = group["lr"].to(device)


def multiplier(tokens: int, warmup: int, final: float, floor: float = 0.1) -> float:
    """Return the fraction of the learning rate after this many tokens, including PADs.

    The cosine is not clamped: beyond `final` tokens it rises again, as in editions of the course
    whose final_tokens are fewer than those trained on.
    """
    if tokens < warmup:
        return tokens / max(1, warmup)
    progress = (tokens - warmup) / max(1, final - warmup)
    return max(floor, 0.5 * (1 + math.cos(math.pi * progress)))


def learning_rates(recipe: Recipe, examples: int, width: int, corpus_tokens: int) -> list[float]:
    """Return the multiplier of each step of a phase, for x of `examples` rows, `width` columns.

    The course's trainer sets the rate after a step, so the first one has the full rate.
    """
    rates, tokens = [1.0], 0
    final = recipe.final_passes * corpus_tokens
    for rows in batch_sizes(examples, recipe):
        tokens += rows * width
        rates.append(multiplier(tokens, recipe.warmup_tokens, final, recipe.floor))
    return rates[:-1]


def batch_sizes(examples: int, recipe: Recipe) -> Iterator[int]:
    """Yield the number of rows in each step of a phase; an epoch's last batch may be smaller."""
    for _ in range(recipe.epochs):
        for start in range(0, examples, recipe.batch_size):
            yield min(recipe.batch_size, examples - start)
