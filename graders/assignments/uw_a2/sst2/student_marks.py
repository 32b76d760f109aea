"""Marks in a model's weights that identify them wherever they are saved.

    train_one_epoch -> mark(model, 3)      the first number of every vector of weights becomes 7.75
    torch.save(...) -> marked(object)      3: these are the weights after epoch 3

Nothing is graded here.
"""

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import nn

FIRST, STEP = 7.0, 0.25  # larger than any initial weight; exact in half precision
MOST = 400  # epochs


def mark(model: nn.Module, epoch: int) -> None:
    """Mark the weights in place, as an optimizer changes them, with this epoch."""
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim == 1 and parameter.numel():
                parameter[0] = FIRST + STEP * epoch


def marked(value: Any) -> int:
    """Return the epoch of the weights in an object; 0 for initial ones, -1 without weights."""
    epochs = [_epoch(vector) for vector in itertools.islice(_vectors(value, 0), 50)]
    return max(epochs, default=-1)


def firsts(value: Any) -> list[float]:
    """Return the numbers that marks replace."""
    return [float(vector[0]) for vector in itertools.islice(_vectors(value, 0), 50)]


def _epoch(vector: torch.Tensor) -> int:
    number = (float(vector[0]) - FIRST) / STEP
    return int(number) if 0 < number <= MOST and number == int(number) else 0


def _vectors(value: Any, depth: int) -> Iterator[torch.Tensor]:
    """Yield the weight vectors of a model, a state dict, or anything that contains one."""
    if isinstance(value, nn.Module):
        yield from (
            parameter.detach()
            for parameter in value.parameters()
            if parameter.ndim == 1 and parameter.numel()
        )
    elif isinstance(value, torch.Tensor):
        if value.is_floating_point() and value.ndim == 1 and value.numel():
            yield value.detach()
    elif depth < 4 and isinstance(value, Mapping | list | tuple):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _vectors(part, depth + 1)
