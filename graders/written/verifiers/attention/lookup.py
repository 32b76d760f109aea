"""Keys, values and weights: the attention with which a query is tested.

Keys are orthonormal, or scatter slightly around orthonormal means. There are always at least three:
with two, every query that treats both equally would pass.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from graders.written.formula import Value
from graders.written.verifiers.formulas import Array, Families

ALPHA = 1e-16  # the variance of a key around its mean
SPELLED = {"k": ("k", "K")}  # a capital letter is accepted, too
SIZES = ("d", "h", "d_k", "d_h")


@dataclass(frozen=True, slots=True)
class Lookup:
    """One draw of everything that a query may use; `a` and `b` are row indices."""

    means: Array  # (n, d)
    keys: Array  # (n, d)
    values: Array  # (n, d)
    a: int
    b: int
    scale: float

    def weights(self, query: Array) -> Array:
        """Return the weight of each key for a query."""
        scores = self.scale * (self.keys @ query)
        powers = np.exp(scores - np.max(scores))
        return np.asarray(powers / np.sum(powers))

    def named(self, *, means: bool) -> dict[str, Value]:
        """Return the values of a question's names."""
        n, d = self.keys.shape
        named: dict[str, Value] = {"n": float(n), **dict.fromkeys(SIZES, float(d))}
        for base, rows in self._rows(means=means).items():
            for spelled in SPELLED.get(base, (base,)):
                named |= {f"{spelled}_a": rows[self.a], f"{spelled}_b": rows[self.b]}
        return named | ({"alpha": ALPHA} if means else {})

    def families(self, *, means: bool) -> Families:
        """Return the members over which a sum runs."""
        return {f"{base}_i": list(rows) for base, rows in self._rows(means=means).items()}

    def _rows(self, *, means: bool) -> Mapping[str, Array]:
        rows = {"k": self.keys, "v": self.values}
        return {**rows, "mu": self.means} if means else rows

    def with_values(self, draw: np.random.Generator) -> "Lookup":
        """Return the same lookup with other values."""
        return replace(self, values=draw.normal(0, 10, self.values.shape))

    def with_keys(self, draw: np.random.Generator) -> "Lookup":
        """Return the same lookup with other keys around the same means."""
        noise = np.sqrt(ALPHA) * draw.standard_normal(self.means.shape)
        return replace(self, keys=self.means + noise)

    def stretched(self, draw: np.random.Generator) -> "Lookup":
        """Return the same lookup with a random length of the key of `a`, N(1, 1/2) if positive."""
        length = -1.0
        while length <= 0:  # 7.9% of the draws are negative
            length = draw.normal(1, np.sqrt(0.5))
        keys = self.with_keys(draw).keys.copy()
        keys[self.a] = length * self.means[self.a]
        return replace(self, keys=keys)


def lookups(draw: np.random.Generator, *, means: bool, scaled: bool) -> Iterator[Lookup]:
    """Yield draws of several sizes, from the smallest to 16 keys."""
    for n in (3, 16, int(draw.integers(4, 8)), int(draw.integers(8, 16))):
        d = n if n == 3 else int(draw.integers(n + 1, 33))
        rows = np.linalg.qr(draw.standard_normal((d, d)))[0][:n]
        a, b = (int(each) for each in draw.choice(n, 2, replace=False))
        scale = 1 / np.sqrt(d) if scaled else 1.0
        lookup = Lookup(rows, rows, np.zeros((n, d)), a, b, scale).with_values(draw)
        yield lookup.with_keys(draw) if means else lookup


def names(*, means: bool) -> tuple[str, ...]:
    """Return the names that a query may use."""
    vectors = ["k", "v", "mu"] if means else ["k", "v"]
    indexed = (f"{base}_{below}" for base in vectors for below in "abi")
    capital = (f"{each}_{below}" for each in SPELLED["k"][1:] for below in "ab")
    return (*indexed, *capital, "beta", "n", *SIZES, *(["alpha"] if means else []))
