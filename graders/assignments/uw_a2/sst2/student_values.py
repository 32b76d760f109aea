"""Convert values of the student's classifier so that they can be sent, in the student's child.

Nothing is graded here.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import torch

MOST = 4  # inspected entries of a tuple or dict of numbers


def number(value: Any, depth: int = 0) -> dict[str, Any]:
    """Return what a function returned: one number, or several by name or place."""
    if isinstance(value, torch.Tensor):
        if value.numel() == 1 and not value.is_complex():
            return {"type": "tensor", "value": float(value.detach())}
    elif isinstance(value, np.ndarray | np.generic):
        if value.size == 1 and np.issubdtype(value.dtype, np.number):
            return {"type": "numpy", "value": float(value.reshape(()).real)}
    elif isinstance(value, int | float):
        return {"type": type(value).__name__, "value": float(value)}
    elif isinstance(value, dict | list | tuple) and depth == 0:
        several = value.items() if isinstance(value, dict) else enumerate(value)
        parts = {str(name): number(part, 1) for name, part in list(several)[:MOST]}
        return {"type": type(value).__name__, "parts": parts}
    return {"type": type(value).__name__}


def plain(value: Any) -> Any:
    """Return a tensor or array unchanged; other values by the name of their type."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    return value if isinstance(value, np.ndarray) else {"type": type(value).__name__}


def entries(encoding: Any) -> dict[str, Any]:
    """Return the tensors of an encoding, by name."""
    tensors = dict(encoding.items()) if hasattr(encoding, "items") else vars_of(encoding)
    return {str(name): plain(value) for name, value in list(tensors.items())[:8]}


def item(value: Any) -> dict[str, Any]:
    """Return text and label of one item of a dataset, and the type of the item."""
    leaves, named = list(_leaves(value, 0)), vars_of(value)
    texts = [leaf for leaf in leaves if isinstance(leaf, str)]
    labels = [label for leaf in leaves if (label := _label(leaf)) is not None]
    if isinstance(named.get("text"), str):
        texts = [named["text"]]
    if "label" in named and (label := _label(named["label"])) is not None:
        labels = [label]
    return {
        "type": type(value).__name__,
        "text": texts[0] if len(texts) == 1 else None,
        "label": labels[0] if len(labels) == 1 else None,
    }


def _leaves(value: Any, depth: int) -> Iterator[Any]:
    """Yield the parts of an item."""
    if isinstance(value, str | int | float | torch.Tensor | np.generic) or depth > 2:
        yield value
        return
    parts = value if isinstance(value, list | tuple) else vars_of(value).values()
    for part in list(parts)[:16]:
        yield from _leaves(part, depth + 1)


def vars_of(value: Any) -> Mapping[str, Any]:
    """Return the named parts of an object: dict, dataclass, or class with attributes or slots."""
    if isinstance(value, Mapping):
        return value
    slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    names = [*getattr(value, "__dict__", {}), *slots]
    return {name: getattr(value, name) for name in names if hasattr(value, name)}


def _label(value: Any) -> int | None:
    if isinstance(value, torch.Tensor):
        return int(value) if value.numel() == 1 else None
    return int(value) if isinstance(value, int | np.integer) else None
