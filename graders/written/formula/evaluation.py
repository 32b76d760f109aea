"""What a formula comes to, for given values of its names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import TypeAlias

import numpy as np

from graders.written.formula.errors import FormulaError, Mismatch
from graders.written.formula.functions import apply
from graders.written.formula.parser import Formula
from graders.written.formula.shapes import (
    LARGEST,
    Ambiguous,
    Array,
    ShapeError,
    Typed,
    add,
    divide,
    multiply,
    plain,
    power,
    transpose,
    typed,
)
from graders.written.formula.tree import (
    Added,
    Call,
    Constant,
    Name,
    Negative,
    Node,
    Number,
    Power,
    Product,
    Total,
    Transposed,
    walk,
)

Value: TypeAlias = float | np.float64 | Array
LONGEST_SUM = 100
MOST_STEPS = 20_000
# Steps that one costs at the largest size; BLAS gets slow where others use the processor.
COSTS = {"product": 20, "inv": 800, "pinv": 5000}
CONSTANTS = {"e": np.e, "pi": np.pi}
MINUS_ONE = typed(-1.0)


def evaluate(
    formula: Formula,
    values: Mapping[str, Value],
    *,
    families: Mapping[str, Sequence[Value]] | None = None,
) -> Array | np.float64:
    """A scalar, a vector, or a matrix (a transposed vector is a matrix of one row).

    `families` holds the members of `a_i` under `a`. Overflow is inf, not an error. Raises Mismatch
    where shapes do not go together, FormulaError where a name has no value or two sides of `=`
    differ.
    """
    members = {name.partition("_")[0]: each for name, each in (families or {}).items()}
    try:
        with np.errstate(all="ignore"):
            found = [Evaluation(values, members).whole(tree) for tree in formula.trees]
    except FormulaError as error:
        raise error.within(formula.text) from None
    for tree, each in zip(formula.trees, found, strict=True):
        if not agree(each, found[-1]):
            raise FormulaError("The two sides of `=` are not equal.", tree.at, formula.text)
    return found[-1]


def agree(one: Array | np.float64, other: Array | np.float64) -> bool:
    """Whether two values are the same up to rounding."""
    if np.shape(one) != np.shape(other):
        return False
    return bool(np.allclose(one, other, rtol=1e-9, atol=1e-12, equal_nan=True))


@dataclass(slots=True)
class Evaluation:
    """One walk over a tree, with a bound on its steps."""

    values: Mapping[str, Value]
    families: Mapping[str, Sequence[Value]]
    indices: dict[str, tuple[int, int]] = field(default_factory=dict)  # index: (value, first)
    steps: int = 0

    def whole(self, tree: Node) -> Array | np.float64:
        """The value of a whole tree."""
        found = self.of(tree)
        try:
            return plain(found, self.size())
        except ShapeError as error:
            raise FormulaError(str(error), tree.at) from None

    def size(self) -> int | None:
        """How many rows the vectors and matrices of the question have, if it is one number."""
        given = [*self.values.values(), *(each for some in self.families.values() for each in some)]
        sizes = {len(np.asarray(each)) for each in given if np.ndim(each)}
        return sizes.pop() if len(sizes) == 1 else None

    def of(self, node: Node) -> Typed:
        """The value of one node."""
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
        """Raise once too much was computed."""
        self.steps += steps
        if self.steps > MOST_STEPS:
            raise FormulaError("This takes too long to compute.", node.at)

    def pay(self, work: str, value: Typed, node: Node) -> None:
        """Count work on a matrix, by its size."""
        self.spend(COSTS.get(work, 0) * value.array.size // LARGEST**2, node)

    def computed(self, node: Node) -> Typed:
        """The value of one node from those below it."""
        match node:
            case Number(text):
                return typed(float(text))
            case Constant(name):
                return Typed("identity", np.asarray(1.0)) if name == "I" else typed(CONSTANTS[name])
            case Name():
                return self.named(node)
            case Total():
                return self.total(node)
            case Call(function, arguments):
                given = [self.of(each) for each in arguments]
                self.pay(function, given[0], node)
                return apply(function, given)
            case _:
                return self.combined(node)

    def combined(self, node: Negative | Added | Product | Power | Transposed) -> Typed:
        """The value of an operation."""
        match node:
            case Negative(of):
                return multiply(MINUS_ONE, self.of(of))
            case Added(left, right, minus):
                first, second = self.of(left), self.of(right)
                return add(first, multiply(MINUS_ONE, second) if minus else second)
            case Product(left, right, operator):
                both = self.of(left), self.of(right)
                self.pay("product", both[1], node)
                return divide(*both) if operator == "/" else multiply(*both, operator)
            case Power(base, exponent):
                return self.power(self.of(base), self.of(exponent), node)
            case Transposed(of):
                return self.transposed(self.of(of))

    def power(self, base: Typed, exponent: Typed, node: Node) -> Typed:
        """A power; one of a matrix counts as several steps."""
        self.pay("inv", base, node)
        return power(base, exponent)

    def transposed(self, value: Typed) -> Typed:
        """A transpose; where T is a number, a scalar to the T is a power."""
        if value.kind == "scalar" and "T" in self.values:
            return power(value, typed(self.values["T"]))
        return transpose(value)

    def named(self, node: Name) -> Typed:
        """The value of a name: an index, a value given, or a member of a family."""
        if node.name in self.indices:
            return typed(float(self.indices[node.name][0]))
        if node.name in self.values:
            return typed(self.values[node.name])
        base, _, below = node.name.partition("_")
        if base not in self.families:
            raise FormulaError(f"The name `{node.name[:40]}` is not known here.", node.at)
        return typed(self.member(base, below, node))

    def member(self, base: str, below: str, node: Name) -> Value:
        """A member of a family: `a_i` under a sum, `a_1`, or `a_m` where m is given."""
        family, place = self.families[base], 0
        if below in self.indices:
            value, first = self.indices[below]
            place = value if first == 0 else value - 1
        elif below.isdigit():
            place = int(below[:6]) - 1
        elif below and np.ndim(last := self.values.get(below, np.zeros(1))) == 0:
            place = int(last) - 1
        else:
            raise FormulaError(f"`{node.name[:40]}` stands outside a sum over it.", node.at)
        if not 0 <= place < len(family):
            raise FormulaError(f"There is no `{base}_{place + 1}` here.", node.at)
        return family[place]

    def total(self, node: Total) -> Typed:
        """A sum over its index."""
        outside = self.indices.get(node.index)
        first, last = self.bounds(node)
        if not first <= last < first + LONGEST_SUM:
            raise FormulaError(f"A sum has 1 to {LONGEST_SUM} members here.", node.at)
        terms = []
        for value in range(first, last + 1):
            self.indices[node.index] = value, first
            terms.append(self.of(node.body))
        self.indices.pop(node.index)
        if outside is not None:
            self.indices[node.index] = outside
        return reduce(add, terms)

    def bounds(self, node: Total) -> tuple[int, int]:
        """From where to where a sum runs; without known bounds over a whole family."""
        if node.low is None or node.high is None or self.is_open(node.high):
            return 1, self.members(node)
        return self.whole_number(node.low), self.whole_number(node.high)

    def is_open(self, bound: Node) -> bool:
        """Whether a bound is a name without a value: people call the last member as they like."""
        return isinstance(bound, Name) and bound.name not in {*self.values, *self.indices}

    def whole_number(self, node: Node) -> int:
        """A bound's value."""
        value = self.of(node)
        if value.kind != "scalar" or not float(value.array).is_integer():
            raise FormulaError("A sum runs between whole numbers.", node.at)
        return int(np.clip(value.array, -(10**6), 10**6))

    def members(self, node: Total) -> int:
        """How many members the families under a sum have."""
        names = (each.name.partition("_") for each in walk(node.body) if isinstance(each, Name))
        bases = {base for base, _, below in names if below == node.index}
        lengths = {len(self.families[base]) for base in bases if base in self.families}
        if len(lengths) != 1:
            raise FormulaError("It is not clear how many terms this sum has.", node.at)
        return lengths.pop()
