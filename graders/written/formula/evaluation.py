"""Evaluate a formula for given values of its names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import TypeAlias

import numpy as np

from graders.written.formula.errors import FormulaError, Mismatch
from graders.written.formula.parser import Formula
from graders.written.formula.shapes import (
    LARGEST,
    Ambiguous,
    Array,
    ShapeError,
    Typed,
    add,
    apply,
    plain,
    typed,
)
from graders.written.formula.tree import PRODUCTS, Call, Constant, Name, Node, Number, Total, walk

Value: TypeAlias = float | np.float64 | Array
LONGEST_SUM = 100
MOST_STEPS = 20_000
# Steps that each counts at the largest size; BLAS is slow if others use the processor.
COSTS = {**dict.fromkeys((*PRODUCTS, "/"), 20), "^": 800, "inv": 800, "pinv": 5000}
CONSTANTS = {"e": typed(np.e), "pi": typed(np.pi), "I": Typed("identity", np.asarray(1.0))}


def evaluate(
    formula: Formula,
    values: Mapping[str, Value],
    *,
    families: Mapping[str, Sequence[Value]] | None = None,
) -> Array | np.float64:
    """Return a scalar, a vector, or a matrix (a transposed vector is a matrix with one row).

    `families` contains the members of `a_i` under `a`. Overflow is inf, not an error. Raises
    Mismatch if shapes don't match, and FormulaError if a name has no value or two sides of `=`
    differ.
    """
    members = {name.partition("_")[0]: family for name, family in (families or {}).items()}
    try:
        with np.errstate(all="ignore"):
            results = [Evaluation(values, members).whole(tree) for tree in formula.trees]
    except FormulaError as error:
        raise error.within(formula.text) from None
    for tree, result in zip(formula.trees, results, strict=True):
        if not agree(result, results[-1]):
            raise FormulaError("The two sides of `=` are not equal.", tree.at, formula.text)
    return results[-1]


def agree(one: Array | np.float64, other: Array | np.float64) -> bool:
    """Return whether two values are equal up to rounding."""
    if np.shape(one) != np.shape(other):
        return False
    return bool(np.allclose(one, other, rtol=1e-9, atol=1e-12, equal_nan=True))


@dataclass(slots=True)
class Evaluation:
    """The evaluation of one tree, with a limit on its steps."""

    values: Mapping[str, Value]
    families: Mapping[str, Sequence[Value]]
    indices: dict[str, tuple[int, int]] = field(default_factory=dict)  # index: (value, first)
    steps: int = 0

    def whole(self, tree: Node) -> Array | np.float64:
        value = self.of(tree)
        try:
            return plain(value, self.size())
        except ShapeError as error:
            raise FormulaError(str(error), tree.at) from None

    def size(self) -> int | None:
        """Return the number of rows of the question's vectors and matrices, if it is unique."""
        values = [
            *self.values.values(),
            *(value for some in self.families.values() for value in some),
        ]
        sizes = {len(np.asarray(value)) for value in values if np.ndim(value)}
        return sizes.pop() if len(sizes) == 1 else None

    def of(self, node: Node) -> Typed:
        self.spend(1, node)
        try:
            return self.computed(node)
        except Ambiguous as error:
            raise FormulaError(str(error), node.at) from None
        except ShapeError as error:
            raise Mismatch(str(error), node.at) from None
        except np.linalg.LinAlgError:
            raise Mismatch("This matrix has no inverse.", node.at) from None

    def spend(self, steps: int, node: Node) -> None:
        """Count steps. Raises FormulaError if there are too many."""
        self.steps += steps
        if self.steps > MOST_STEPS:
            raise FormulaError("This takes too long to compute.", node.at)

    def computed(self, node: Node) -> Typed:
        match node:
            case Number(text):
                return typed(float(text))
            case Constant(name):
                return CONSTANTS[name]
            case Name():
                return self.named(node)
            case Total():
                return self.total(node)
            case Call():
                return self.called(node)

    def called(self, node: Call) -> Typed:
        arguments = [self.of(argument) for argument in node.arguments]
        matrix = arguments[0] if node.function == "^" else arguments[-1]
        self.spend(COSTS.get(node.function, 0) * matrix.array.size // LARGEST**2, node)
        if node.function == "⊤" and arguments[0].kind == "scalar" and "T" in self.values:
            return apply("^", [*arguments, typed(self.values["T"])])  # T is a number here
        return apply(node.function, arguments)

    def named(self, node: Name) -> Typed:
        """Return the value of a name: an index, a given value, or a member of a family."""
        if node.name in self.indices:
            return typed(float(self.indices[node.name][0]))
        if node.name in self.values:
            return typed(self.values[node.name])
        base, _, below = node.name.partition("_")
        if base not in self.families:
            raise FormulaError(f"The name `{node.name[:40]}` is unknown here.", node.at)
        return typed(self.member(base, below, node))

    def member(self, base: str, below: str, node: Name) -> Value:
        """Return a member of a family: `a_i` under a sum, `a_1`, or `a_m` if m is given."""
        family, place = self.families[base], 0
        if below in self.indices:
            value, first = self.indices[below]
            place = value if first == 0 else value - 1
        elif below.isdigit():
            place = int(below[:6]) - 1
        elif below and np.ndim(last := self.values.get(below, np.zeros(1))) == 0:
            place = int(last) - 1
        else:
            raise FormulaError(f"`{node.name[:40]}` is used outside a sum over it.", node.at)
        if not 0 <= place < len(family):
            raise FormulaError(f"There is no `{base}_{place + 1}` here.", node.at)
        return family[place]

    def total(self, node: Total) -> Typed:
        outside = self.indices.get(node.index)
        first, last = self.bounds(node)
        if not first <= last < first + LONGEST_SUM:
            raise FormulaError(f"A sum can have 1 to {LONGEST_SUM} terms here.", node.at)
        terms = []
        for value in range(first, last + 1):
            self.indices[node.index] = value, first
            terms.append(self.of(node.body))
        self.indices.pop(node.index)
        if outside is not None:
            self.indices[node.index] = outside
        return reduce(add, terms)

    def bounds(self, node: Total) -> tuple[int, int]:
        """Return the bounds of a sum; without known bounds it runs over a whole family."""
        # A bound may be a name without a value: people name the last member as they like.
        known_names = {*self.values, *self.indices}
        is_open = isinstance(node.high, Name) and node.high.name not in known_names
        if node.low is None or node.high is None or is_open:
            return 1, self.members(node)
        return self.whole_number(node.low), self.whole_number(node.high)

    def whole_number(self, node: Node) -> int:
        value = self.of(node)
        if value.kind != "scalar" or not float(value.array).is_integer():
            raise FormulaError("The limits of a sum must be integers.", node.at)
        return int(np.clip(value.array, -(10**6), 10**6))

    def members(self, node: Total) -> int:
        names = (inner.name.partition("_") for inner in walk(node.body) if isinstance(inner, Name))
        bases = {base for base, _, below in names if below == node.index}
        lengths = {len(self.families[base]) for base in bases if base in self.families}
        if len(lengths) != 1:
            raise FormulaError("It is not clear how many terms this sum has.", node.at)
        return lengths.pop()
