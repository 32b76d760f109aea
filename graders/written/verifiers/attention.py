"""Queries and keys as numbers, judged by the weights that they bring about.

    query   weights = softmax(K q), one row a query
    key     one row of K is the student's, the query is the student's own of an earlier question

The given K counts, never one that a student writes down: of a whole matrix only the row asked for
may differ. Weights are compared, not outputs, for two values can lie close together.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from graders.written.formula import FormulaError, Value, evaluate, parse
from graders.written.judgement import Asked, Judgement, Unreadable
from graders.written.question import Machine
from graders.written.reading.array import read_array
from graders.written.reading.number import LARGEST
from graders.written.verifiers.formulas import Array, shape_of
from graders.written.verifiers.settings import missing, required, share
from graders.written.verifiers.value import shown

# In the largest difference of a weight. The partial one holds an answer that solves for weights of
# one half by rounding: .549 and .446, an output within .03.
FULL, PARTIAL = 0.01, 0.055
UNIT = 1e-3  # how far from 1 the length of a unit key may be
UNTOUCHED = 1e-6
LARGEST_SCORE = 60.0
TELLING = 0.1  # a query under which keys change no error by this much shows nothing


@dataclass(frozen=True, slots=True)
class _Change:
    """A key that a student may choose, and the query and weights it is chosen for."""

    keys: Array  # (n, d)
    row: int
    unit: bool
    query: Array  # (d,)
    target: Array  # (n,)

    def weights(self, key: Array) -> Array:
        """All weights with this key in its row."""
        keys = self.keys.copy()
        keys[self.row] = key
        return softmax(keys @ self.query)

    def errors(self) -> Array:
        """How far from the target every score that a key can reach would lead."""
        length = float(np.linalg.norm(self.query))
        top = length if self.unit else LARGEST_SCORE * (length > 0)
        scores = np.tile(self.keys @ self.query, (2001, 1))
        scores[:, self.row] = np.linspace(-top, top, 2001)
        powers = np.exp(scores - np.max(scores, axis=1, keepdims=True))
        weights = powers / np.sum(powers, axis=1, keepdims=True)
        return np.asarray(np.max(np.abs(weights - self.target), axis=1))


def attention_weights(asked: Asked) -> Judgement:
    """Judge queries, or a key, by the attention weights that they lead to.

    Settings: `K` (the keys), `target` (weights, or a row of weights a query), `full` and `partial`
    (the largest difference of a weight that earns all, or `partial_share`). For a key as well:
    `row` (which key, from 0), `query` (the question whose answer is the query), `reference` (the
    query where there is no such answer), `unit` (the key has length 1), `method_share` (for a
    key that is as good as this query allows).
    """
    keys = np.asarray(required(asked.machine, "K"), dtype=np.float64)
    if "row" in asked.machine.settings:
        return _key(asked, keys)
    return _queries(asked, keys)


def _queries(asked: Asked, keys: Array) -> Judgement:
    machine = asked.machine
    target = np.atleast_2d(np.asarray(required(machine, "target"), dtype=np.float64))
    shape = (keys.shape[1],) if len(target) == 1 else (len(target), keys.shape[1])
    queries = np.atleast_2d(_read(asked.parts[machine.parts[0]], (shape,), keys, {}))
    found = [_graded(machine, softmax(keys @ q), t) for q, t in zip(queries, target, strict=True)]
    fraction = sum(each.fraction for each in found) / len(found)
    worst = min(found, key=lambda each: each.fraction)
    which = "" if len(found) == 1 else f"Row {found.index(worst)}: "
    message = f"{which}{worst.message}" if fraction < 1 else ""
    return Judgement(fraction, message, worst.hint, worst.expected, worst.actual)


def _graded(machine: Machine, weights: Array, target: Array) -> Judgement:
    """Weights against the target."""
    error = float(np.max(np.abs(weights - target)))
    expected, actual = f"weights {shown(target)}", f"weights {shown(weights)}"
    if error <= machine.settings.get("full", FULL):
        return Judgement(1.0, "", "", expected, actual)
    near = error <= machine.settings.get("partial", PARTIAL)
    message = f"The weights are off by up to {error:.3f}."
    hint = _hint(weights, target)
    earned = share(machine, "partial_share", 0.5) if near else 0.0
    return Judgement(earned, message, hint, expected, actual)


def _hint(weights: Array, target: Array) -> str:
    """What is wrong with the scores behind these weights."""
    inside = target > 0
    if np.all(inside):
        return "The scores of all keys must be equal: which query makes them so?"
    if float(np.sum(weights[~inside])) <= FULL:
        return "The scores of the keys that share the weight are not equal: by how much?"
    if float(np.ptp(weights[inside])) <= FULL and np.min(weights[inside]) > np.max(
        weights[~inside]
    ):
        return "The direction is right: how does its length change the weights?"
    return "Compare the scores, query times key, of the keys that are wanted with all others."


def _key(asked: Asked, keys: Array) -> Judgement:
    machine, row = asked.machine, int(required(asked.machine, "row"))
    query, note = _own_query(asked, keys)
    shapes = ((keys.shape[1],), keys.shape)
    given = _read(asked.parts[machine.parts[0]], shapes, keys, {"q": query})
    if given.ndim == 2:
        others = np.delete(given - keys, row, axis=0)
        if np.max(np.abs(others)) > UNTOUCHED:
            message = f"Other keys than k_{row} are changed."
            return Judgement(0.0, message, f"Only k_{row} may change: keep all others as given.")
        given = given[row]
    target = np.asarray(required(machine, "target"), dtype=np.float64)
    unit = bool(machine.settings.get("unit", False))
    judged = _chosen(machine, _Change(keys, row, unit, query, target), given)
    return Judgement(
        judged.fraction, judged.message, judged.hint, judged.expected, judged.actual, notes=note
    )


def _chosen(machine: Machine, change: _Change, key: Array) -> Judgement:
    """The key a student chose, with credit for one that its query does not allow to be better."""
    length = float(np.linalg.norm(key))
    graded = _graded(machine, change.weights(key), change.target)
    if change.unit and abs(length - 1) > UNIT:
        message = f"The key must have length 1; this has {length:.4g}."
        again = _graded(machine, change.weights(key / (length or 1)), change.target)
        rounded = abs(length - 1) <= 5 * UNIT  # two decimals
        earned = share(machine, "partial_share", 0.5) * again.fraction if rounded else 0.0
        return Judgement(earned, message, "Divide by the length.", graded.expected, graded.actual)
    if graded.fraction == 1:
        return graded
    errors = change.errors()
    error = float(np.max(np.abs(change.weights(key) - change.target)))
    method = share(machine, "method_share", 0.5)
    telling = np.ptp(errors) >= TELLING
    if telling and error <= np.min(errors) + FULL and method >= graded.fraction:
        hint = "With your query no key does better: look at its length and at the scores it gives."
        return Judgement(method, graded.message, hint, graded.expected, graded.actual)
    hint = "What score must this key have, next to those of the others, under your query?"
    return Judgement(graded.fraction, graded.message, hint, graded.expected, graded.actual)


def _own_query(asked: Asked, keys: Array) -> tuple[Array, tuple[str, ...]]:
    """The student's own query, or the assignment's where there is none that can be read."""
    question = str(required(asked.machine, "query"))
    for text in asked.others.get(question, {}).values():
        try:
            return _read(text, ((keys.shape[1],),), keys, {}), ()
        except Unreadable:
            continue
    reference = asked.machine.settings.get("reference")
    if reference is None:
        raise missing(asked.machine, "reference")
    note = f"There is no query to read in {question}, so one that is right there was taken."
    return np.asarray(reference, dtype=np.float64), (note,)


def _read(
    text: str, shapes: tuple[tuple[int, ...], ...], keys: Array, named: Mapping[str, Value]
) -> Array:
    """The numbers of an answer, or what a formula in the given keys comes to."""
    turned = tuple(shape[::-1] for shape in shapes if len(shape) == 2 and shape[0] != shape[1])
    try:
        found = read_array(text, (*shapes, *turned))
    except Unreadable as error:
        if (computed := _computed(text, keys, named)) is None:
            raise error from None
        found = _fitting(computed, (*shapes, *turned))
    return found.T if found.shape in turned else found


def _computed(text: str, keys: Array, named: Mapping[str, Value]) -> Array | None:
    """The value of a formula in `K` and `k_0`, `k_1`, ..., where the text is one."""
    values = {"K": keys, **{f"k_{number}": key for number, key in enumerate(keys)}, **named}
    try:
        formula = parse(text, values)
        return np.asarray(evaluate(formula, values)) if formula.names else None
    except FormulaError:
        return None


def _fitting(found: Array, shapes: tuple[tuple[int, ...], ...]) -> Array:
    """A computed value, where it has one of the shapes and is not too large."""
    if found.ndim == 2 and found.shape[0] == 1:
        found = found[0]
    if found.shape not in shapes:
        wanted = " or ".join("×".join(map(str, shape)) for shape in shapes)
        raise Unreadable(f"This is {shape_of(found)}, but {wanted} numbers are asked for.")
    if not np.all(np.abs(found) <= LARGEST):
        raise Unreadable("A number is larger than 1,000,000: write smaller numbers.")
    return found


def softmax(scores: Array) -> Array:
    """The weights of scores."""
    powers = np.exp(scores - np.max(scores))
    return np.asarray(powers / np.sum(powers))
