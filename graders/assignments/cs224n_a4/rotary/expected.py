"""The handout's equations 3 and 4 in numpy float64, with a parameter for each way to misread them.

The correct answer is `Table()` and `Rotation()`: every default is the handout's. A known mistake
is the same equation with another setting (mistakes.py), so a wrong answer can be compared with
exactly what that mistake gives.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
Pairing = Literal["neighbours", "halves"]
Layout = Literal["pairs", "cat-reshaped", "stack-reshaped"]
Rows = Literal["first", "last", "second", "reversed"]
# (feature, its partner, -1 for a pair's first feature and +1 for its second, cos, sin) -> the new
# feature. All have the same shape, so products are element-wise.
Formula = Callable[[Floats, Floats, Floats, Floats, Floats], Floats]


def exact(exponents: Floats) -> Floats:
    """Return the exponents unchanged."""
    return exponents


def turn(x: Floats, partner: Floats, sign: Floats, cos: Floats, sin: Floats) -> Floats:
    """Return (a cos - b sin, b cos + a sin) for each pair (a, b)."""
    return x * cos + sign * partner * sin


@dataclass(frozen=True, slots=True)
class Table:
    """The table of cos tθ_i and sin tθ_i, with θ_i = base^(power (i - first_pair)/dim)."""

    base: float = 10_000.0
    power: float = -2.0
    first_pair: float = 1.0
    less_dim: int = 0  # the exponent is divided by dim - less_dim
    divided: bool = True  # False: the exponent is not divided
    rounding: Callable[[Floats], Floats] = exact
    twice: bool = False  # every angle is used for two pairs
    pairs_reversed: bool = False
    first_position: float = 0.0
    positions_reversed: bool = False
    scale: float = 1.0  # a factor on every angle
    columns: tuple[str, str] = ("cos", "sin")
    layout: Layout = "pairs"

    def angles(self, dim: int, max_positions: int) -> Floats:
        """Return the angle of each position and pair, (max_positions, dim/2)."""
        pairs = np.arange(1, dim // 2 + 1, dtype=np.float64)
        if self.twice:
            pairs = (pairs + 1) // 2
        divisor = dim - self.less_dim if self.divided else 1
        exponents = self.rounding(self.power * (pairs - self.first_pair) / divisor)
        theta = self.base**exponents * self.scale
        positions = np.arange(max_positions, dtype=np.float64) + self.first_position
        if self.pairs_reversed:
            theta = theta[::-1]
        if self.positions_reversed:
            positions = positions[::-1]
        return np.outer(positions, theta)

    def values(self, dim: int, max_positions: int) -> Floats:
        """Return the table itself, (max_positions, dim/2, 2)."""
        angles = self.angles(dim, max_positions)
        of = {"cos": np.cos(angles), "sin": np.sin(angles), "-sin": -np.sin(angles)}
        of["angle"] = angles
        first, second = (of[name] for name in self.columns)
        if self.layout == "cat-reshaped":
            return np.concatenate((first, second), axis=-1).reshape(*angles.shape, 2)
        if self.layout == "stack-reshaped":
            return np.stack((first, second)).reshape(*angles.shape, 2)
        return np.stack((first, second), axis=-1)


@dataclass(frozen=True, slots=True)
class Rotation:
    """The rotation of x (B, n_heads, T, head_dim) by a table."""

    table: Table = Table()
    formula: Formula = turn
    pairs: Pairing = "neighbours"  # which two features form a pair
    angles: Pairing = "neighbours"  # which features share an angle
    output: Pairing = "neighbours"  # the places of the two features of a pair
    axis: int = -2  # the axis used as time
    rows: Rows = "first"
    extra_rows: int = 0  # how much longer the table is than x
    overwritten: bool = False  # the second feature is computed from the new first one

    def __call__(self, x: Floats) -> Floats:
        """Return the rotated x, as float64 in x's shape."""
        moved = np.moveaxis(x.astype(np.float64), self.axis, -2)
        cos, sin = self._cos_and_sin(moved.shape[-2], moved.shape[-1])
        sign = np.resize((-1.0, 1.0), moved.shape[-1])
        sign = sign if self.pairs == "neighbours" else np.sort(sign)
        turned = self.formula(moved, _partners(self.pairs, moved), sign, cos, sin)
        if self.overwritten:
            again = self.formula(moved, _partners(self.pairs, turned), sign, cos, sin)
            turned = np.where(sign < 0, turned, again)
        return np.moveaxis(self._reordered(turned), -2, self.axis)

    def _cos_and_sin(self, T: int, dim: int) -> tuple[Floats, Floats]:
        """Return cos and sin for each feature, two arrays (T, dim)."""
        table = self.table.values(dim, T + self.extra_rows + (self.rows == "second"))
        if self.rows == "last":
            table = table[self.extra_rows :]
        elif self.rows == "second":
            table = table[1:]
        elif self.rows == "reversed":
            table = table[T - 1 :: -1]
        cos, sin = (
            np.repeat(entries, 2, axis=-1) if self.angles == "neighbours" else np.tile(entries, 2)
            for entries in (table[:T, :, 0], table[:T, :, 1])
        )
        return cos, sin

    def _reordered(self, turned: Floats) -> Floats:
        if self.output == self.pairs:
            return turned
        if self.output == "halves":
            return np.concatenate((turned[..., ::2], turned[..., 1::2]), axis=-1)
        first, second = np.split(turned, 2, axis=-1)
        return np.stack((first, second), axis=-1).reshape(turned.shape)


def _partners(pairing: Pairing, x: Floats) -> Floats:
    """Return, for each feature, the other one of its pair."""
    if pairing == "neighbours":
        return x.reshape(*x.shape[:-1], -1, 2)[..., ::-1].reshape(x.shape)
    return np.roll(x, x.shape[-1] // 2, axis=-1)


Turn = Callable[[Floats], Floats]  # applied to queries or keys, (B, n_heads, T, head_dim)


@dataclass(frozen=True, slots=True)
class Projections:
    """The four linear layers of an attention module: query, key, value, proj, as (W, b)."""

    layers: Mapping[str, tuple[Floats, Floats]]

    def heads(self, name: str, x: Floats, n_heads: int) -> Floats:
        """Return a projection of x (B, T, C), split among the heads: (B, n_heads, T, head_dim)."""
        return split(self.apply(name, x), n_heads)

    def apply(self, name: str, x: Floats) -> Floats:
        """Return one projection of x."""
        weight, bias = self.layers[name]
        return x @ weight.T.astype(np.float64) + bias


def split(x: Floats, n_heads: int) -> Floats:
    """Split the features among the heads: (B, T, C) to (B, n_heads, T, head_dim)."""
    return x.reshape(*x.shape[:2], n_heads, -1).swapaxes(1, 2)


def attention(
    q: Floats, k: Floats, v: Floats, *, scaled: bool = True, causal: bool = True, axis: int = -1
) -> Floats:
    """Return causal softmax attention, heads joined: (B, n_heads, T, head_dim) to (B, T, C).

    The keywords skip a step, or take the softmax over an axis other than the keys.
    """
    scores = q @ k.swapaxes(-1, -2) / (np.sqrt(q.shape[-1]) if scaled else 1)
    T = q.shape[-2]
    if causal:
        scores = np.where(np.tri(T, dtype=bool), scores, -np.inf)
    weights: Floats = np.exp(scores - scores.max(axis=axis, keepdims=True))
    weights /= weights.sum(axis=axis, keepdims=True)
    return (weights @ v).swapaxes(1, 2).reshape(q.shape[0], T, -1)
