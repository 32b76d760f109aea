"""Verify that a formula equals the key's for all values of its names.

Both are evaluated at random points; they are never compared as text. Two different polynomials of
degree D agree at one point of integers from 2 to 97 with probability at most D/96, and at all
twelve points with (D/96)^12.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from graders.errors import UsageError
from graders.written.formula import Formula, FormulaError, Value, evaluate, parse
from graders.written.formula.tree import PRODUCTS, Call, Constant, Name, Node, Number
from graders.written.question import Asked, Judgement, Misfit, Unreadable
from graders.written.verifiers.formulas import (
    Array,
    find_formulas,
    refuse_pieces,
    shape_of,
    value_of,
    with_known_names,
)
from graders.written.verifiers.parts import judge_parts
from graders.written.verifiers.settings import of_part, required, texts
from graders.written.verifiers.values.found import judge_found
from graders.written.verifiers.values.value import shown

POINTS = 12
TOLERANCE = 1e-9
UNEQUAL = "This is not equal to the expected formula."
Point = Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class _Question:
    """The names of a question, the points at which formulas are evaluated, and what may differ.

    The assignment's own formulas are evaluated at `keys`.
    """

    names: tuple[str, ...]
    points: tuple[Point, ...]
    keys: tuple[Point, ...]
    softmax: bool


def identity(answer: Asked) -> Judgement:
    """Grade formulas that must equal the key's.

    Settings: `names` (name to domain: "size", "real", "positive", "vector", "matrix", or [low,
    high] for integers), `key` (a formula, or a table of part to formula), `also` (formulas that are
    also correct), `aliases` (alternative names), `weights`, `softmax_over` (names over which a
    softmax is taken: a constant added to all scores makes no difference), `side_by_side` (true if
    two adjacent vectors mean their dot product), `entries` (a table of name to size: the name may
    also mean the vector of that many equal entries, as in `‖μ‖²`).
    """
    names = required(answer.machine, "names")
    question = _question(answer, names)
    if entries := answer.machine.settings.get("entries"):
        stacked = _with_entries(answer, names, entries)
        return _judge_by_part(answer, question, partial(_either, question=question, plain=stacked))
    if not answer.machine.settings.get("side_by_side", False):
        return _judge_by_part(answer, question, partial(_judged, question=question))
    plain = _question(answer, dict.fromkeys(names, "real"))

    def judge(answer: Asked, part: str, formula: Formula) -> Judgement:
        if _factors(formula.tree) > 2:
            return _judged(answer, part, formula, question)
        return _either(answer, part, formula, question, plain)

    return _judge_by_part(answer, question, judge)


def _factors(node: Node) -> float:
    """Return the most factors of a product in a sum of products; infinite for anything else."""
    match node:
        case Number() | Constant():
            return 0
        case Name():
            return 1
        case Call("+" | "-" | "neg" | "⊤", arguments):
            return max(map(_factors, arguments))
        case Call(function, arguments) if function in (*PRODUCTS, "dot"):
            return sum(map(_factors, arguments))
    return math.inf


def _judge_by_part(
    answer: Asked, question: _Question, judge: Callable[[Asked, str, Formula], Judgement]
) -> Judgement:
    def of_part_alone(answer: Asked, part: str) -> Judgement:
        formulas = find_formulas(answer.parts[part], question.names)
        return judge_found(
            formulas, lambda formula: judge(answer, part, with_known_names(formula, question.names))
        )

    return judge_parts(answer, of_part_alone)


def _question(answer: Asked, names: Mapping[str, Any]) -> _Question:
    aliases = answer.machine.settings.get("aliases", {})
    softmax = texts(answer.machine.settings.get("softmax_over", ()))
    points = tuple(_points(names, aliases, softmax, answer.draw))
    return _Question((*names, *aliases), points, points, bool(softmax))


def _either(
    answer: Asked, part: str, formula: Formula, question: _Question, plain: _Question
) -> Judgement:
    """Return the judgement with the names as defined or, if that earns nothing, in the other way.

    With numbers instead of vectors, `x y`, and `x y^T` for row vectors, are the intended dot
    product. Nothing incorrect passes, because only sums of products of two names are read in this
    way: with more factors, different formulas are equal for numbers, such as `(x^T y)^2` and
    `‖x‖² ‖y‖²`. With vectors of equal entries instead of numbers, `‖μ‖²` is `h μ²`.
    """
    try:
        judgement = _judged(answer, part, formula, question)
    except (Unreadable, Misfit):
        with suppress(Unreadable, Misfit):
            return _judged(answer, part, formula, plain)
        raise
    with suppress(Unreadable, Misfit):
        instead = _judged(answer, part, formula, plain) if judgement.fraction == 0 else judgement
        return instead if instead.fraction == 1 else judgement
    return judgement


def _with_entries(answer: Asked, names: Mapping[str, Any], entries: Mapping[str, str]) -> _Question:
    """Return the same question with names that mean vectors of equal entries."""
    question = _question(answer, {**names, **{size: [2, 32] for size in entries.values()}})

    def stacked(point: Point) -> Point:
        sizes = {name: int(np.asarray(point[size])) for name, size in entries.items()}
        return {**point, **{name: np.full(sizes[name], point[name]) for name in entries}}

    return replace(question, points=tuple(map(stacked, question.points)))


def _points(
    names: Mapping[str, Any],
    aliases: Mapping[str, str],
    softmax: Sequence[str],
    draw: np.random.Generator,
) -> Iterator[Point]:
    """Yield values for all names; under a softmax, only the names that it runs over change.

    With as many dimensions as vectors, formulas of dot products that are equal here always are.
    """
    size = max(3, len(names)) + int(draw.integers(5))
    first: dict[str, Value] = {name: _drawn(domain, size, draw) for name, domain in names.items()}
    for number in range(POINTS):
        again = (name for name in names if number and (not softmax or name in softmax))
        point = {**first, **{name: _drawn(names[name], size, draw) for name in again}}
        yield {**point, **{alias: point[name] for alias, name in aliases.items()}}


def _drawn(domain: Any, size: int, draw: np.random.Generator) -> Value:
    match domain:
        case "size":
            return float(draw.integers(2, 98))
        case "real":
            return float(draw.uniform(0.5, 3.0) * draw.choice([-1, 1]))
        case "positive":
            return float(draw.uniform(0.25, 3.0))
        case "vector":
            return draw.standard_normal(size)
        case "matrix":
            return draw.standard_normal((size, size))
        case [int(low), int(high)]:
            return float(draw.integers(low, high + 1))
    raise UsageError(
        f"`{domain!r}` is not a domain", "write size, real, positive, vector or [low, high]"
    )


def _judged(answer: Asked, part: str, formula: Formula, question: _Question) -> Judgement:
    values = [value_of(formula, point) for point in question.points]
    also = of_part(answer.machine, "also", part, ())
    keys = (of_part(answer.machine, "key", part), *texts(also))
    same = [key for key in keys if _same(values, key, question)]
    if same:
        refuse_pieces(formula, [parse(str(key), question.names) for key in same])
        return Judgement(1.0, actual=formula.text)
    for mistake in answer.machine.mistakes:
        if mistake.part == part and _same(values, mistake.answer, question):
            return Judgement(mistake.fraction, UNEQUAL, mistake.hint, actual=formula.text)
    expected = _values(keys[0], question)
    if values[0].shape != expected[0].shape:
        message = f"This is {shape_of(values[0])}, but {shape_of(expected[0])} is expected."
        return Judgement(0.0, message, actual=formula.text)
    return _unequal(formula, values, expected, question)


def _same(actual: Sequence[Array], key: str, question: _Question) -> bool:
    """Return whether the values equal those of a key at every point."""
    expected = _values(key, question)
    if any(one.shape != other.shape for one, other in zip(actual, expected, strict=True)):
        return False
    return all(
        _near(one, other) for one, other in zip(*_compared(actual, expected, question), strict=True)
    )


def _compared(
    actual: Sequence[Array], expected: Sequence[Array], question: _Question
) -> tuple[Sequence[Array], Sequence[Array]]:
    """Return what must be equal: the values, or under a softmax their differences to the first."""
    if not question.softmax:
        return actual, expected
    return [value - actual[0] for value in actual], [value - expected[0] for value in expected]


def _near(actual: Array, expected: Array) -> bool:
    if not np.all(np.isfinite(actual)):
        return False
    scale = np.maximum(np.abs(actual), np.abs(expected))
    floor = 1e-12 * max(1.0, float(np.max(scale, initial=0.0)))
    return bool(np.all(np.abs(actual - expected) <= TOLERANCE * scale + floor))


def _values(key: str, question: _Question) -> list[Array]:
    """Return the values of a formula of the assignment, whose faults are reported to staff."""
    try:
        formula = parse(str(key), question.names)
        return [np.asarray(evaluate(formula, point)) for point in question.keys]
    except FormulaError as error:
        raise UsageError(f"the key `{key}` cannot be computed: {error.message}", "fix it") from None


def _unequal(
    formula: Formula, actual: Sequence[Array], expected: Sequence[Array], question: _Question
) -> Judgement:
    """Return the judgement of a formula that equals no known one, with a point that shows it."""
    pairs = zip(*_compared(actual, expected, question), strict=True)
    at = next((n for n, (one, other) in enumerate(pairs) if not _near(one, other)), 0)
    point = question.points[at]
    used = [name for name in point if name in formula.names and np.ndim(point[name]) == 0]
    rows = [(name, f"{point[name]:.6g}") for name in used]
    hint = (
        "" if formula.names else f"Write a formula with {', '.join(question.names)}, not a number."
    )
    scalars = expected[at].ndim == 0 and not question.softmax and rows
    if scalars:
        rows += [("your formula gives", shown(actual[at]))]
    return Judgement(0.0, UNEQUAL, hint, "", formula.text, tuple(rows))
