"""A query as a student types it, and the attention with which it is tested.

Keys are orthonormal, or scatter slightly around orthonormal means. There are always at least three:
with two, every query that treats both equally would pass.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from graders.written.formula import Formula, Value
from graders.written.question import Unreadable
from graders.written.reading.plain import LARGE
from graders.written.verifiers.formulas import (
    Array,
    Families,
    find_formulas,
    shape_of,
    value_of,
)
from graders.written.verifiers.values.found import Candidates

ALPHA = 1e-16  # the variance of a key around its mean
SPELLED = {"k": ("k", "K")}  # a capital letter is accepted, too
SIZES = ("d", "h", "d_k", "d_h")
SMALL = frozenset({"epsilon", "delta", "eps"})  # these are small if a scale is large
VECTORS = frozenset({"k", "mu", "v", "q"})
MOST_SCALARS = 3
WANTED = ("q", "Q")  # names of the result, as in `q = ...`
_EXPECTED = re.compile(  # `E[k_a]` is the mean of a key
    r"(?:\\(?:mathbb|operatorname|mathrm)\s?\{\s?E\s?\}|\\mathbb\s?E|\bE|𝔼)\s?(?:\\left\s?)?[\[({]\s?"
    r"k_\{?([ab])\}?\s?(?:\\right\s?)?[\])}]"
)
# A query is cut to this length: beyond it, rounding (or with means, their scatter) decides.
LONGEST, LONGEST_WITH_MEANS = 1e6, 2e3
UNCHANGED = 1e-11  # relative to its length; new keys change a query a thousand times more


def softmax(scores: Array) -> Array:
    """Return the softmax over the last axis."""
    powers = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return np.asarray(powers / np.sum(powers, axis=-1, keepdims=True))


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
        return softmax(self.scale * (self.keys @ query))

    def named(self, *, means: bool) -> dict[str, Value]:
        n, d = self.keys.shape
        named: dict[str, Value] = {"n": float(n), **dict.fromkeys(SIZES, float(d))}
        for base, rows in self._rows(means=means).items():
            for spelled in SPELLED.get(base, (base,)):
                named |= {f"{spelled}_a": rows[self.a], f"{spelled}_b": rows[self.b]}
        return named | ({"alpha": ALPHA} if means else {})

    def families(self, *, means: bool) -> Families:
        return {f"{base}_i": list(rows) for base, rows in self._rows(means=means).items()}

    def _rows(self, *, means: bool) -> Mapping[str, Array]:
        rows = {"k": self.keys, "v": self.values}
        return {**rows, "mu": self.means} if means else rows

    def with_values(self, draw: np.random.Generator) -> "Lookup":
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
        a, b = (int(index) for index in draw.choice(n, 2, replace=False))
        scale = 1 / np.sqrt(d) if scaled else 1.0
        lookup = Lookup(rows, rows, np.zeros((n, d)), a, b, scale).with_values(draw)
        yield lookup.with_keys(draw) if means else lookup


def names(*, means: bool) -> tuple[str, ...]:
    """Return the names that a query may use."""
    vectors = ["k", "v", "mu"] if means else ["k", "v"]
    indexed = (f"{base}_{below}" for base in vectors for below in "abi")
    capital = (f"{letter}_{below}" for letter in SPELLED["k"][1:] for below in "ab")
    return (*indexed, *capital, "beta", "n", *SIZES, *(["alpha"] if means else []))


class NoQuery(Exception):
    """The formula has a value, but not a vector; message and hint are for the student."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Query:
    """A formula, its free scalars, and whether the question defines means."""

    formula: Formula
    scalars: tuple[str, ...]
    means: bool

    def at(self, instance: Lookup, size: float, *, factor: float = 1.0) -> Array:
        """Return the query with free scalars of about `size`.

        Several scalars are never equal: `alpha k_a + beta k_b` is not an average.
        """
        named = instance.named(means=self.means)
        for number, name in enumerate(self.scalars):
            large = size * (1 + 0.37 * number)
            named[name] = 1 / large if name in SMALL else large
        value = value_of(self.formula, named, instance.families(means=self.means))
        return np.asarray(factor * self._vector(value, instance))

    def is_finite(self, instance: Lookup, size: float) -> bool:
        """Return whether nothing overflows at this size."""
        try:
            self.at(instance, size)
        except NoQuery:
            return False
        return True

    def weights(
        self, instance: Lookup, size: float, *, factor: float = 1.0, cut: bool | None = None
    ) -> Array:
        """Return the weights of all keys for the query.

        A query that sets its own length by the variance of the keys is not cut.
        """
        query = self.at(instance, size, factor=factor)
        if cut is None:
            cut = "alpha" not in self.formula.names
        longest = LONGEST_WITH_MEANS if self.means else LONGEST
        length = float(np.linalg.norm(query))
        return instance.weights(query * min(1.0, longest / length) if cut and length else query)

    def _vector(self, value: Array, instance: Lookup) -> Array:
        d = instance.keys.shape[1]
        if value.shape not in ((d,), (1, d)):
            message = f"A query is a vector of the same length as a key; this is {shape_of(value)}."
            raise NoQuery(message, self._shape_hint())
        if not np.all(np.isfinite(value)):
            raise NoQuery("The result is not finite: it divides by zero or overflows.")
        return value.reshape(d)

    def _shape_hint(self) -> str:
        if self.formula.names.isdisjoint({"k_a", "k_b", "mu_a", "mu_b"}):
            return "Build it from the vectors that the question gives for a and b."
        return "Check what each product is: `k_a^T k_b` is a number, `k_a + k_b` a vector."

    def same_with(self, one: Lookup, other: Lookup) -> bool:
        """Return whether the query is the same for two instances."""
        before, after = self.at(one, 7.0), self.at(other, 7.0)
        rounding = UNCHANGED * (1 + np.linalg.norm(before))
        return bool(np.max(np.abs(before - after)) <= rounding)


def queries_in(text: str, *, means: bool, beside: str = "") -> Candidates[Formula]:
    """Return the formulas of queries in a text. Raises Unreadable if there are none.

    A letter that the text, or the text `beside` it, calls large is a constant and not a size.
    """
    text = _EXPECTED.sub(r"mu_\1", text) if means else text
    constants = {match["name"] or match["after"] for match in LARGE.finditer(f"{text}\n{beside}")}
    known_names = [name for name in names(means=means) if name not in constants]
    return find_formulas(text, known_names, WANTED, free="beta")


def query_of(formula: Formula, *, means: bool) -> Query:
    """Return a formula as a query. Raises Unreadable if its names are not those of the question."""
    unknown = sorted(formula.unknown)
    for name in unknown:
        base, _, below = name.partition("_")
        if base in VECTORS or below in ("a", "b", "i", "j") or len(unknown) > MOST_SCALARS:
            vectors = "`k_a`, `k_b`" + (", `mu_a`, `mu_b`" if means else "")
            raise Unreadable(
                f"`{name[:20]}` is unknown here; write the query with {vectors} and one large "
                "scalar such as `beta`."
            )
    beta = ("beta",) if "beta" in formula.names else ()
    return Query(formula, (*beta, *unknown), means)
