"""The optimizers of the two presets, with the course's parameter groups."""

import torch
from torch import nn

from reference.models.gpt import GPT
from reference.training.gpt.preset import Recipe
from reference.training.gpt.steps.muon import Muon

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
    """Return AdamW for all parameters except `others`, with weight decay only for linear weights.

    These are minGPT's groups: biases, layer norms, embeddings and positions have no weight decay.
    """
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
    """Return the weights with weight decay, and the parameters without."""
    linear = {m.weight for m in model.modules() if isinstance(m, nn.Linear)}
    decayed = [p for p in model.parameters() if p in linear]
    return decayed, [p for p in model.parameters() if p not in linear]


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
