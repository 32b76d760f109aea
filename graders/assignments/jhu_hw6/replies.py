"""Validate the replies of the student's process as untrusted data."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from graders.errors import BadReply

Floats = NDArray[np.floating[Any]]


def mapping(value: Any, *keys: str) -> Mapping[str, Any]:
    """Return a dict that has these keys."""
    if not isinstance(value, dict) or not set(keys) <= set(value):
        raise BadReply
    return value


def sequence(value: Any, kind: type = object) -> Sequence[Any]:
    """Return a list whose values are all of one type."""
    if not isinstance(value, list) or not all(isinstance(item, kind) for item in value):
        raise BadReply
    return value


def number(value: Any) -> float | None:
    """Return a real number, or None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value)


def is_whole(value: Any) -> TypeGuard[NDArray[Any]]:
    """Return whether it is an array of integers or booleans."""
    return isinstance(value, np.ndarray) and value.dtype.kind in "iub"


def floats(value: Any) -> Floats | None:
    """Return an array of finite real numbers as float64, or None for anything else."""
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "fiu":
        return None
    as_float = value.astype(np.float64)
    return as_float if np.isfinite(as_float).all() else None


def arrays(value: Any, shapes: Mapping[str, tuple[int, ...]]) -> Mapping[str, Floats]:
    """Return a dict of arrays with these shapes; missing ones are omitted."""
    if not isinstance(value, dict):
        raise BadReply
    result: dict[str, Floats] = {}
    for name in set(value) & set(shapes):
        if not isinstance(value[name], np.ndarray) or value[name].shape != shapes[name]:
            raise BadReply
        result[name] = value[name].astype(np.float64)
    return result
