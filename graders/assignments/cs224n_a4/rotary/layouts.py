"""The layouts in which a table of cos and sin can be written, and how to read them back.

handout      [t, i] is cos tθ_i, sin tθ_i              (max_positions, dim/2, 2)
complex      [t, i] is cos tθ_i + i sin tθ_i           (max_positions, dim/2)
a pair       cos and sin, each                         (max_positions, dim/2), or twice as wide

In each, sin may come first or be negated, and there may be extra axes of length one.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from .expected import Floats

Size = tuple[int, int]  # dim, max_positions


@dataclass(frozen=True, slots=True)
class Layout:
    """A way to write down cos and sin, each (max_positions, dim/2), as an array or several."""

    says: str
    pack: Callable[[Floats, Floats], Any]
    order: str = "cos, sin"
    extra_axes: tuple[int, ...] = ()

    def packed(self, values: Floats) -> Any:
        """Return the handout's table (max_positions, dim/2, 2) in this layout."""
        cos, sin = values[..., 0], values[..., 1]
        pairs = {"cos, sin": (cos, sin), "sin, cos": (sin, cos), "cos, -sin": (cos, -sin)}
        arrays = self.pack(*pairs[self.order])
        packed = [np.expand_dims(each, self.extra_axes) for each in _each(arrays)]
        return packed if isinstance(arrays, list) else packed[0]

    def unpacked(self, reply: Any, size: Size) -> Floats | None:
        """Return a student's table in the handout's layout, or None if it has another layout."""
        dim, length = size
        entries = 1.0 + np.arange(length * dim).reshape(length, dim // 2, 2)
        packed = self.packed(entries)  # shows where each entry is, and its sign
        if _form(reply) != _form(packed):
            return None
        where, given = _numbers(packed), _numbers(reply)
        first = np.unique(np.abs(where), return_index=True)[1]
        table: Floats = (given * np.sign(where))[first].reshape(entries.shape)
        return table if np.array_equal(_numbers(self.packed(table)), given) else None


def _each(arrays: Any) -> list[Any]:
    return arrays if isinstance(arrays, list) else [arrays]


def _form(arrays: Any) -> list[Any]:
    """Return the shape and kind of each array, and whether they are a list."""
    return [isinstance(arrays, list), *map(_shape_and_kind, _each(arrays))]


def _shape_and_kind(array: Any) -> tuple[Any, ...]:
    return (array.shape, array.dtype.kind) if isinstance(array, np.ndarray) else ()


def _numbers(arrays: Any) -> Floats:
    """Return all real numbers in these arrays; a complex number is two."""
    real = [
        np.stack((each.real, each.imag), -1) if np.iscomplexobj(each) else each
        for each in _each(arrays)
    ]
    return np.concatenate([each.ravel() for each in real]).astype(np.float64)


def _twice(array: Floats) -> Floats:
    return np.repeat(array, 2, axis=-1)


def _tiled(array: Floats) -> Floats:
    return np.concatenate((array, array), axis=-1)


HANDOUT = Layout("cos and sin along the last axis", lambda a, b: np.stack((a, b), axis=-1))
OTHERS: tuple[Layout, ...] = (
    Layout("complex, of shape (max_positions, dim/2)", lambda a, b: a + 1j * b),
    Layout("cos and sin along the first axis", lambda a, b: np.stack((a, b))),
    Layout("cos and sin along the second axis", lambda a, b: np.stack((a, b), axis=1)),
    Layout("cos and sin joined along the last axis", lambda a, b: np.concatenate((a, b), axis=-1)),
    Layout(
        "cos and sin alternating along the last axis",
        lambda a, b: np.stack((a, b), axis=-1).reshape(len(a), -1),
    ),
    Layout("positions along the second axis", lambda a, b: np.stack((a.T, b.T), axis=-1)),
    Layout("two tensors, cos and sin", lambda a, b: [a, b]),
    Layout("two tensors, cos and sin, with each angle twice", lambda a, b: [_twice(a), _twice(b)]),
    Layout(
        "two tensors, cos and sin, each joined with itself", lambda a, b: [_tiled(a), _tiled(b)]
    ),
    Layout(
        "cos and sin along the last axis, with each angle twice",
        lambda a, b: np.stack((_twice(a), _twice(b)), axis=-1),
    ),
    Layout(
        "cos and sin along the first axis, with each angle twice",
        lambda a, b: np.stack((_twice(a), _twice(b))),
    ),
    Layout(
        "cos and sin along the first axis, each joined with itself",
        lambda a, b: np.stack((_tiled(a), _tiled(b))),
    ),
    Layout(
        "rotation matrices of shape (max_positions, dim/2, 2, 2)",
        lambda a, b: np.stack((np.stack((a, -b), -1), np.stack((b, a), -1)), -2),
    ),
)
ORDERS = ("cos, sin", "sin, cos", "cos, -sin")
EXTRA_AXES: tuple[tuple[int, ...], ...] = ((), (0,), (0, 1), (0, 2), (1,))
CANDIDATES = tuple(
    replace(layout, order=order, extra_axes=axes)
    for order, axes, layout in product(ORDERS, EXTRA_AXES, (HANDOUT, *OTHERS))
)
OPAQUE = Layout("an unknown layout", HANDOUT.pack)
