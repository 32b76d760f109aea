"""The layouts of a table of cos and sin and of a module's projections, and how to read them back.

handout      [t, i] is cos tθ_i, sin tθ_i              (max_positions, dim/2, 2)
complex      [t, i] is cos tθ_i + i sin tθ_i           (max_positions, dim/2)
a pair       cos and sin, each                         (max_positions, dim/2), or twice as wide

In each, sin may come first or be negated, and there may be extra axes of length one.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice, permutations, product
from typing import Any

import numpy as np

from .expected import Floats, Projections

Size = tuple[int, int]  # dim, max_positions
ROLES = ("query", "key", "value", "proj")
# The order of part (0), head (1) and feature (2) in the rows of one matrix for all projections, and
# the square matrices that are used as x @ W (`other`: outside linear layers); the usual ones first.
ORDERS_OF_ROWS = ((0, 1, 2), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0), (0, 2, 1))
TURNED = ("none", "other", "all")
USUAL = 2
MOST_CHOICES = 6  # of biases: one or more of four weights may have them
Layer = tuple[Floats, Floats]  # a matrix whose rows are features, and its bias


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
        packed = [np.expand_dims(array, self.extra_axes) for array in _as_list(arrays)]
        return packed if isinstance(arrays, list) else packed[0]

    def unpacked(self, reply: Any, size: Size) -> Floats | None:
        """Return a student's table in the handout's layout, or None if it has another layout."""
        dim, length = size
        entries = 1.0 + np.arange(length * dim).reshape(length, dim // 2, 2)
        packed = self.packed(entries)  # shows where each entry is, and its sign
        if _form(reply) != _form(packed):
            return None
        where, values = _numbers(packed), _numbers(reply)
        first = np.unique(np.abs(where), return_index=True)[1]
        table: Floats = (values * np.sign(where))[first].reshape(entries.shape)
        return table if np.array_equal(_numbers(self.packed(table)), values) else None


def _as_list(arrays: Any) -> list[Any]:
    return arrays if isinstance(arrays, list) else [arrays]


def _form(arrays: Any) -> list[Any]:
    """Return the shape and kind of each array, and whether they are a list."""
    return [isinstance(arrays, list), *map(_shape_and_kind, _as_list(arrays))]


def _shape_and_kind(array: Any) -> tuple[Any, ...]:
    return (array.shape, array.dtype.kind) if isinstance(array, np.ndarray) else ()


def _numbers(arrays: Any) -> Floats:
    """Return all real numbers in these arrays; a complex number is two."""
    real = [
        np.stack((array.real, array.imag), -1) if np.iscomplexobj(array) else array
        for array in _as_list(arrays)
    ]
    return np.concatenate([array.ravel() for array in real]).astype(np.float64)


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


def readings(
    parameters: Mapping[str, Floats], C: int, n_head: int, *, usual: bool = False
) -> Iterator[Projections]:
    """Yield the ways to find query, key, value and proj among a module's parameters.

    By name if they have the starter's names; otherwise by trying. Projections may be one matrix,
    or one matrix per head, and they may be transposed or have other names. Unless only the `usual`
    ways are wanted, features may belong to heads in any regular order, which only exchanges rows.
    """
    names = {role: f"{role}.weight" for role in ROLES}
    if all(name in parameters and parameters[name].shape == (C, C) for name in names.values()):
        layers = {role: _layer(parameters, name) for role, name in names.items()}
        yield Projections(layers)
        yield from () if usual else _interleaved(layers, n_head)
        return
    most = USUAL if usual else len(ORDERS_OF_ROWS)
    for order, turned in product(ORDERS_OF_ROWS[:most], TURNED[:most]):
        for matrices in _matrices(parameters, C, turned=turned):
            blocks = _blocks(matrices, C, n_head, order)
            if len(blocks) == len(ROLES):
                for roles in permutations(blocks):
                    yield Projections(dict(zip(ROLES, roles, strict=True)))


def _interleaved(layers: Mapping[str, Layer], n_head: int) -> Iterator[Projections]:
    """Yield the layers for heads of every n_head-th feature, which are joined in the same order."""
    rows = np.arange(len(layers["proj"][0])).reshape(-1, n_head).T.ravel()
    heads = {r: (w[rows], b[rows]) for r, (w, b) in layers.items() if r != "proj"}
    weight, bias = layers["proj"]
    yield Projections({**heads, "proj": (weight[:, rows], bias)})


def _layer(parameters: Mapping[str, Floats], name: str) -> tuple[Floats, Floats]:
    return _with_bias(parameters[name], parameters.get(_bias_name(name)))


def _bias_name(weight: str) -> str:
    return f"{weight.removesuffix('weight')}bias"


def _with_bias(rows: Floats, bias: Floats | None) -> Layer:
    """Return the layer; its bias is 0 if there is none of the right length."""
    if bias is None or bias.shape != rows.shape[:1]:
        bias = np.zeros(len(rows))
    return rows, bias


def _matrices(
    parameters: Mapping[str, Floats], C: int, *, turned: str
) -> Iterator[Sequence[Layer]]:
    """Yield all matrices that take C features, in parameter order, with each choice of biases.

    `turned`: which square matrices are used as x @ W.
    """
    weights: dict[str, Sequence[Floats]] = {}
    for name, weight in parameters.items():
        turn = turned == "all" or (turned == "other" and not name.endswith("weight"))
        if matrices := _as_matrices(weight, C, turn=turn):
            weights[name] = matrices
    lengths = {name: sum(map(len, matrices)) for name, matrices in weights.items()}
    for biases in _biases(parameters, lengths, C):
        yield [
            layer
            for name, matrices in weights.items()
            for layer in zip(matrices, np.split(biases[name], len(matrices)), strict=True)
        ]


def _biases(
    parameters: Mapping[str, Floats], lengths: Mapping[str, int], C: int
) -> Iterator[Mapping[str, Floats]]:
    """Yield the bias of each weight, which has this many rows; it is 0 if there is none.

    Outside linear layers, a bias may have any shape, and weights have the biases of their length,
    in order. If there are too few, each choice is yielded, first that of the last weights. Biases
    that are cut in another way than the weights belong to all the others together.
    """
    linear = {name: _bias_name(name) for name in parameters if name.endswith("weight")}
    loose = {
        name: values.ravel()
        for name, values in parameters.items()
        if _is_small(values, C) and name not in {*linear, *linear.values()}
    }
    own = {name: length for name, length in lengths.items() if name not in linear}
    none = {name: np.zeros(length) for name, length in lengths.items()}
    named = {
        name: bias.ravel()
        for name, length in lengths.items()
        if name in linear and (bias := parameters.get(linear[name])) is not None
        if bias.size == length
    }
    pairs = [
        _paired(
            [name for name in own if own[name] == length],
            [name for name, bias in loose.items() if len(bias) == length],
        )
        for length in dict.fromkeys(own.values())
    ]
    for chosen in islice(product(*pairs), MOST_CHOICES):
        bias_of = dict(pair for some in chosen for pair in some)
        rest = {name: length for name, length in own.items() if name not in bias_of}
        unused = [bias for name, bias in loose.items() if name not in bias_of.values()]
        found = none | named | {name: loose[bias] for name, bias in bias_of.items()}
        if rest and unused and sum(map(len, unused)) == sum(rest.values()):
            cuts = np.cumsum([*rest.values()])[:-1]
            found |= zip(rest, np.split(np.concatenate(unused), cuts), strict=True)
        yield found


def _paired(weights: Sequence[str], biases: Sequence[str]) -> Sequence[Sequence[tuple[str, str]]]:
    """Return the ways to give these weights these biases in order, first to the last weights."""
    count = min(len(weights), len(biases))
    if max(len(weights), len(biases)) > len(ROLES):  # too many to try
        return [list(zip(weights[::-1], biases[::-1], strict=False))]
    both = product(combinations(weights[::-1], count), combinations(biases[::-1], count))
    return [list(zip(*names, strict=True)) for names in both]


def _is_small(values: Floats, C: int) -> bool:
    """Return whether a parameter may be biases: all four have C numbers, far fewer than weights."""
    return values.size <= len(ROLES) * C


def _as_matrices(weight: Floats, C: int, *, turn: bool) -> Sequence[Floats]:
    """Return a parameter as matrices of C columns; the first axis of C counts if it has more axes.

    A weight of shape (3, C, n_heads, head size), for example, is three matrices of shape (C, C).
    They are joined, unless they are smaller, such as one per head.
    """
    if C not in weight.shape or _is_small(weight, C):
        return []
    axis = weight.ndim - 2 if weight.shape[-2] == C else weight.shape.index(C)
    if axis == weight.ndim - 1:
        parts = [weight.reshape(-1, C)]
    else:
        parts = list(weight.reshape(-1, C, math.prod(weight.shape[axis + 1 :])))
    square = parts[0].shape == (C, C)
    matrices = [part.T if part.shape[1] != C or (turn and square) else part for part in parts]
    return matrices if len(matrices[0]) % C else [np.concatenate(matrices)]


def _blocks(
    matrices: Sequence[Layer], C: int, n_head: int, order: tuple[int, ...]
) -> Sequence[Layer]:
    """Return the matrices cut into blocks of C rows each: queries, keys, values, proj.

    `order` is the order of part, head and feature in the rows of a larger matrix. Smaller matrices,
    such as one per head and part, are joined to a larger one.
    """
    small = [matrix for matrix in matrices if len(matrix[0]) % C]
    joined = [tuple(map(np.concatenate, zip(*small, strict=True)))] if small else []
    blocks: list[Layer] = []
    for weight, bias in (*matrices, *joined):
        if len(weight) % C:
            continue
        sizes = (len(weight) // C, n_head, C // n_head)
        rows = np.arange(len(weight))
        if sizes[0] > 1:
            shape = [sizes[axis] for axis in order]
            rows = rows.reshape(shape).transpose(np.argsort(order)).ravel()
        blocks += [(weight[part], bias[part]) for part in np.split(rows, len(rows) // C)]
    return blocks
