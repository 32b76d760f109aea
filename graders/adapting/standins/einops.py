"""The part of einops that attention code uses, if the package is not installed."""

import math
import re
from typing import Any

import torch

WORD = re.compile(r"\(|\)|\.\.\.|\w+")
REST = "..."
Groups = list[list[str]]


class EinopsError(RuntimeError):
    """Raised if a pattern does not fit its tensor, as in einops."""


def rearrange(tensor: Any, pattern: str, **sizes: int) -> Any:
    """Return the tensor with its axes split, moved and joined."""
    if isinstance(tensor, list | tuple):
        tensor = torch.stack(list(tensor))
    left, right = _sides(pattern, tensor.ndim)
    if sorted(_names(left)) != sorted(_names(right)):
        raise EinopsError(f"both sides of `{pattern}` need the same axes")
    return _joined(_split(tensor, left, sizes), _names(left), right)


def repeat(tensor: Any, pattern: str, **sizes: int) -> Any:
    """Return the tensor repeated along new axes."""
    left, right = _sides(pattern, tensor.ndim)
    names, split = _names(left), _split(tensor, left, sizes)
    for name in (axis for axis in _names(right) if axis not in names):
        split = split.unsqueeze(0).expand(sizes[name], *split.shape)
        names = [name, *names]
    return _joined(split, names, right)


def reduce(tensor: Any, pattern: str, how: str, **sizes: int) -> Any:
    """Return the tensor reduced over the axes that are missing on the right."""
    left, right = _sides(pattern, tensor.ndim)
    names, split = _names(left), _split(tensor, left, sizes)
    gone = [i for i, name in enumerate(names) if name not in _names(right)]
    remaining = [name for name in names if name in _names(right)]
    done = {"max": torch.amax, "min": torch.amin}.get(how) or getattr(torch, how)
    return _joined(done(split, dim=gone) if gone else split, remaining, right)


def einsum(*values: Any) -> Any:
    """Return products summed over the axes missing on the right; the pattern comes last."""
    *tensors, pattern = values
    letters: dict[str, str] = {}
    for name in re.findall(r"\w+", pattern):
        letters.setdefault(name, chr(ord("a") + len(letters)))
    short = re.sub(r"\w+", lambda match: letters[match[0]], pattern)
    return torch.einsum(short.replace(" ", ""), *tensors)


def _sides(pattern: str, dimensions: int) -> tuple[Groups, Groups]:
    """Return the groups of axes on both sides; `...` stands for all unnamed axes."""
    left, right = (_groups(side) for side in pattern.split("->"))
    missing = dimensions - sum(group != [REST] for group in left)
    rest = [f"{REST}{i}" for i in range(missing)]
    return _filled(left, rest), _filled(right, rest)


def _names(groups: Groups) -> list[str]:
    return [name for group in groups for name in group]


def _groups(side: str) -> Groups:
    groups: Groups = []
    inside = False
    for word in WORD.findall(side):
        if word in "()":
            inside = word == "("
            groups += [[]] if inside else []
        elif inside:
            groups[-1] += [] if word == "1" else [word]
        else:
            groups.append([] if word == "1" else [word])
    return groups


def _filled(groups: Groups, rest: list[str]) -> Groups:
    filled: Groups = []
    for group in groups:
        if group == [REST]:
            filled += [[axis] for axis in rest]
        else:
            filled.append([e for axis in group for e in (rest if axis == REST else [axis])])
    return filled


def _split(tensor: Any, groups: Groups, sizes: dict[str, int]) -> Any:
    """Return the tensor with one axis per name; fill `sizes`."""
    if tensor.ndim != len(groups):
        raise EinopsError(f"{len(groups)} axes are named, the tensor has {tensor.ndim}")
    for group, size in zip(groups, tensor.shape, strict=True):
        open_names = [name for name in group if name not in sizes]
        product = math.prod(sizes[name] for name in group if name in sizes)
        if len(open_names) > 1 or size % product or (not open_names and product != size):
            raise EinopsError(f"an axis of {size} does not split into {group} with {sizes}")
        sizes |= dict.fromkeys(open_names, size // product)
    return tensor.reshape([sizes[name] for group in groups for name in group])


def _joined(tensor: Any, names: list[str], groups: Groups) -> Any:
    """Return the axes in the order of the groups, one axis per group."""
    order = [names.index(name) for group in groups for name in group]
    moved = tensor.permute(order)
    sizes = dict(zip(_names(groups), moved.shape, strict=True))
    return moved.reshape([math.prod(sizes[name] for name in group) for group in groups])
