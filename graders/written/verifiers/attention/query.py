"""A query as a student types it: a formula with a scalar that represents a large number."""

from dataclasses import dataclass

import numpy as np

from graders.written.formula import Formula
from graders.written.judgement import Unreadable
from graders.written.verifiers.attention.lookup import Lookup
from graders.written.verifiers.formulas import Array, shape_of, value_of

SMALL = frozenset({"epsilon", "delta", "eps"})  # these are small if a scale is large
VECTORS = frozenset({"k", "mu", "v", "q"})
MOST_SCALARS = 3
WANTED = ("q", "Q")  # names of the result, as in `q = ...`
# A query is cut to this length: beyond it, rounding (or with means, their scatter) decides.
LONGEST, LONGEST_WITH_MEANS = 1e6, 2e3
UNCHANGED = 1e-11  # relative to its length; new keys change a query a thousand times more


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

    def weights(self, instance: Lookup, size: float, *, factor: float = 1.0) -> Array:
        """Return the weights of all keys for the query."""
        query = self.at(instance, size, factor=factor)
        longest = LONGEST_WITH_MEANS if self.means else LONGEST
        length = float(np.linalg.norm(query))
        return instance.weights(query * min(1.0, longest / length) if length else query)

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
