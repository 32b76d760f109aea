"""Grade queries and keys given as numbers by the attention weights that they lead to.

    query   weights = softmax(K q), one row per query
    key     one row of K is the student's, the query is the student's own of an earlier question

The given K is used, never one that a student writes down: only the requested row of a whole matrix
may differ. Weights are compared rather than outputs, because two values can be close together.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from graders.written.formula import Formula, FormulaError, Value, evaluate
from graders.written.question import Asked, Judgement, Machine, Misfit, Unreadable
from graders.written.values.array import LONGEST
from graders.written.values.number import LARGEST
from graders.written.values.words import narrow
from graders.written.verifiers.attention.query import softmax
from graders.written.verifiers.formulas import Array, find_formulas, shape_of
from graders.written.verifiers.settings import missing, required, share
from graders.written.verifiers.values.found import Candidates, judge_found
from graders.written.verifiers.values.value import arrays_in, shown, without_arrays

# The largest difference of a weight. The partial limit includes an answer that rounds when solving
# for weights of one half: .549 and .446, an output within .03.
FULL, PARTIAL = 0.01, 0.055
UNIT = 1e-3  # how far from 1 the length of a unit key may be
UNTOUCHED = 1e-6
LARGEST_SCORE = 60.0
WANTED = ("q", "Q", "query", "Query")  # names of the result, as in `q = ...`
KEYS = ("key", "keys")  # names of a key in addition to `k`
LARGE = (1e3, 1e6)  # the values of a student's own large scalar
MOST_ROWS = 16
Shapes = tuple[tuple[int, ...], ...]
# Matches `3 k` or `k_0 +`.
_OF_KEYS = re.compile(r"[*·×\d]\s?(?:k|K|key)s?(?![a-z])|[kK]_?\{?\d\}?\s?[+*·]")
_ENVIRONMENT = r"(?:[pbvBV]?matrix|array)\*?"
# Matches `[k_0; k_1; k_2]`.
_ROWS = re.compile(
    rf"^[^\[\\]{{0,40}}(?:\[|\\begin\{{{_ENVIRONMENT}\}}(?:\{{[lcr|]{{0,9}}\}})?)(?P<rows>.{{3,2000}}?)"
    rf"(?:\]|\\end\{{{_ENVIRONMENT}\}})[\s.$]*$"
)
TELLING = 0.1  # if no key changes the error by this much, the query shows nothing


@dataclass(frozen=True, slots=True)
class _Change:
    """A key that a student may choose, and the query and weights for which it is chosen."""

    keys: Array  # (n, d)
    row: int
    unit: bool
    query: Array  # (d,)
    target: Array  # (n,)

    def weights(self, key: Array) -> Array:
        """Return all weights with this key in its row."""
        keys = self.keys.copy()
        keys[self.row] = key
        return softmax(keys @ self.query)

    def errors(self) -> Array:
        """Return the errors of all scores that a key can reach."""
        length = float(np.linalg.norm(self.query))
        top = length if self.unit else LARGEST_SCORE * (length > 0)
        scores = np.tile(self.keys @ self.query, (2001, 1))
        scores[:, self.row] = np.linspace(-top, top, 2001)
        return np.asarray(np.max(np.abs(softmax(scores) - self.target), axis=1))


def attention_weights(answer: Asked) -> Judgement:
    """Grade queries, or a key, by the attention weights that they lead to.

    Settings: `K` (the keys), `target` (weights, or one row of weights per query), `full` and
    `partial` (the largest difference of a weight that earns everything, or `partial_share`), `V`
    and `tolerance` (the values, and the largest difference of an output that earns everything).
    For a key also: `row` (which key, from 0), `query` (the question whose answer is the query),
    `reference` (the query if there is no such answer), `unit` (the key has length 1),
    `method_share` (for a key that is as good as this query allows).
    """
    keys = np.asarray(required(answer.machine, "K"), dtype=np.float64)
    if "row" in answer.machine.settings:
        return _key(answer, keys)
    return _queries(answer, keys)


def _queries(answer: Asked, keys: Array) -> Judgement:
    machine = answer.machine
    target = np.atleast_2d(np.asarray(required(machine, "target"), dtype=np.float64))
    shape = (keys.shape[1],) if len(target) == 1 else (len(target), keys.shape[1])
    arrays = _read(answer.parts[machine.parts[0]], (shape,), keys, {})
    return judge_found(
        arrays, lambda array: _of_queries(machine, np.atleast_2d(array), keys, target)
    )


def _of_queries(machine: Machine, queries: Array, keys: Array, target: Array) -> Judgement:
    judgements = [
        _graded(machine, softmax(keys @ q), t) for q, t in zip(queries, target, strict=True)
    ]
    fraction = sum(judgement.fraction for judgement in judgements) / len(judgements)
    worst = min(judgements, key=lambda judgement: judgement.fraction)
    which = "" if len(judgements) == 1 else f"Row {judgements.index(worst)}: "
    message = f"{which}{worst.message}" if fraction < 1 else ""
    return Judgement(fraction, message, worst.hint, worst.expected, worst.actual)


def _graded(machine: Machine, weights: Array, target: Array) -> Judgement:
    """Compare weights with the target, or their output with the target's output."""
    error = float(np.max(np.abs(weights - target)))
    expected, actual = f"weights {shown(target)}", f"weights {shown(weights)}"
    if error <= machine.settings.get("full", FULL) or _same_output(machine, weights, target):
        return Judgement(1.0, "", "", expected, actual)
    near = error <= machine.settings.get("partial", PARTIAL)
    message = f"The weights are off by up to {error:.3f}."
    hint = _hint(weights, target)
    earned = share(machine, "partial_share", 0.5) if near else 0.0
    return Judgement(earned, message, hint, expected, actual)


def _same_output(machine: Machine, weights: Array, target: Array) -> bool:
    """Return whether the output is within the course's tolerance of the target's output."""
    if "V" not in machine.settings:
        return False
    values = np.asarray(machine.settings["V"], dtype=np.float64)
    largest = float(np.max(np.abs((weights - target) @ values)))
    return largest <= float(required(machine, "tolerance"))


def _hint(weights: Array, target: Array) -> str:
    """Return a hint on the scores behind these weights."""
    inside = target > 0
    if np.all(inside):
        return "The scores of all keys must be equal: which query makes them so?"
    if float(np.sum(weights[~inside])) <= FULL:
        return (
            "The scores of the keys that share the weight are not equal. How much do they differ?"
        )
    if float(np.ptp(weights[inside])) <= FULL and np.min(weights[inside]) > np.max(
        weights[~inside]
    ):
        return "The direction is correct: how does its length change the weights?"
    return "Compare the scores (query times key) of the required keys with those of all others."


def _key(answer: Asked, keys: Array) -> Judgement:
    machine = answer.machine
    query, note = _own_query(answer, keys)
    answered = any(
        part != "text" for part in answer.others.get(str(required(machine, "query")), {})
    )
    shapes = ((keys.shape[1],), keys.shape)
    arrays = _read(answer.parts[machine.parts[0]], shapes, keys, {"q": query})
    judged = judge_found(arrays, lambda array: _of_key(machine, array, keys, query))
    if note and answered and judged.fraction < 1:
        raise Unreadable(f"{note} With that query, this key is not correct.")
    return replace(judged, notes=(note,) if note else ())


def _of_key(machine: Machine, array: Array, keys: Array, query: Array) -> Judgement:
    row = int(required(machine, "row"))
    if array.ndim == 2:
        changes = np.delete(array - keys, row, axis=0)
        if np.max(np.abs(changes)) > UNTOUCHED:
            message = f"Keys other than k_{row} were changed."
            return Judgement(0.0, message, f"Only k_{row} may change; keep all others as given.")
        array = array[row]
    target = np.asarray(required(machine, "target"), dtype=np.float64)
    unit = bool(machine.settings.get("unit", False))
    return _chosen(machine, _Change(keys, row, unit, query, target), array)


def _chosen(machine: Machine, change: _Change, key: Array) -> Judgement:
    """Grade the student's key, with credit if the query allows no better one."""
    length = float(np.linalg.norm(key))
    graded = _graded(machine, change.weights(key), change.target)
    if change.unit and abs(length - 1) > UNIT:
        message = f"The key must have length 1, but its length is {length:.4g}."
        again = _graded(machine, change.weights(key / (length or 1)), change.target)
        rounded = abs(length - 1) <= 5 * UNIT  # correct to two decimals
        earned = share(machine, "partial_share", 0.5) * again.fraction if rounded else 0.0
        hint = "Divide it by its length."
        return replace(graded, fraction=earned, message=message, hint=hint)
    if graded.fraction == 1:
        return graded
    errors = change.errors()
    error = float(np.max(np.abs(change.weights(key) - change.target)))
    method = share(machine, "method_share", 0.5)
    telling = np.ptp(errors) >= TELLING
    if telling and error <= np.min(errors) + FULL and method >= graded.fraction:
        hint = "No key does better with your query; check its length and the scores that it gives."
        return replace(graded, fraction=method, hint=hint)
    hint = "With your query, what score must this key have compared with the other keys?"
    return replace(graded, hint=hint)


def _own_query(answer: Asked, keys: Array) -> tuple[Array, str]:
    """Return the student's own query; if it is unreadable, the assignment's, with a note."""
    question = str(required(answer.machine, "query"))
    parts = answer.others.get(question, {})
    for text in (text for part, text in parts.items() if part != "text"):
        with suppress(Misfit, Unreadable):
            return _read(text, ((keys.shape[1],),), keys, {}).only(), ""
    reference = answer.machine.settings.get("reference")
    if reference is None:
        raise missing(answer.machine, "reference")
    note = f"No query could be read in {question}, so a correct one was used."
    return np.asarray(reference, dtype=np.float64), note


def _read(text: str, shapes: Shapes, keys: Array, named: Mapping[str, Value]) -> Candidates[Array]:
    """Return the numbers of an answer, or the values of formulas in the given keys."""
    turned = tuple(shape[::-1] for shape in shapes if len(shape) == 2 and shape[0] != shape[1])
    both = (*shapes, *turned)
    try:
        arrays = arrays_in(text, both)
    except (Misfit, Unreadable) as error:
        computed = _computed(text, both, keys, named) or _stacked(text, both, keys, named)
        if computed is None:
            raise error from None
        arrays = computed
    if not arrays.plain:
        computed, rest = None, without_arrays(text)
        with suppress(Misfit, Unreadable):
            computed = _computed(rest, both, keys, named)
        if computed is not None:
            arrays = _joined(arrays, computed)
        elif _OF_KEYS.search(rest):  # a formula that was not read may be the answer
            arrays = replace(arrays, denied=True)
    values = tuple(value.T if value.shape in turned else value for value in arrays.values)
    return replace(arrays, values=values)


def _joined(one: Candidates[Array], other: Candidates[Array]) -> Candidates[Array]:
    """Join the numbers and formulas of one answer; both are graded."""
    values, shown = (*one.values, *other.values), (*one.shown, *other.shown)
    denied, sure = one.denied or other.denied, one.sure and other.sure
    return Candidates(values, shown, plain=False, denied=denied, sure=sure)


def _computed(
    text: str, shapes: Shapes, keys: Array, named: Mapping[str, Value]
) -> Candidates[Array] | None:
    """Return the values of formulas in `K` and `k_0`, `k_1`, ..., if the text contains any."""
    values = _named(keys, named)
    try:
        formulas = find_formulas(text, (*values, "k_i", "key_i", "keys_i"), WANTED)
    except Unreadable:
        return None
    arrays: list[Array] = []
    for value in formulas.values:
        try:
            computed = _value(value, values, keys, shapes)
        except Misfit:
            if formulas.plain:
                raise
            continue  # among words, a number may refer to something else
        if computed is None:
            return None
        arrays += computed
    if not arrays:
        return None
    free = any(formula.unknown for formula in formulas.values)  # nobody specified its size
    plain, sure = formulas.plain and not free, formulas.sure and not free
    return Candidates(tuple(arrays), formulas.shown, plain=plain, denied=formulas.denied, sure=sure)


def _named(keys: Array, named: Mapping[str, Value]) -> dict[str, Value]:
    """Return the values of a formula's names: the matrix of keys, and each key."""
    rows = {f"{name}_{n}": row for name in ("k", "K", *KEYS) for n, row in enumerate(keys)}
    return {"K": keys, "keys": keys, **rows, **named}


def _value(
    formula: Formula, values: Mapping[str, Value], keys: Array, shapes: Shapes
) -> list[Array] | None:
    """Return the values of a formula: two if it has a large scalar of its own."""
    families = {f"{name}_i": list(keys) for name in ("k", *KEYS)}
    free = sorted(formula.unknown)
    if not formula.names or len(free) > 1 or (free and "_" in free[0]):
        return None
    sizes = LARGE if free else LARGE[:1]
    try:
        points = ({**values, **dict.fromkeys(free, size)} for size in sizes)
        arrays = [np.asarray(evaluate(formula, point, families=families)) for point in points]
    except FormulaError:
        return None
    if free and arrays[0].ndim == 0:
        return None  # such as `array([0]*3)`, whose function is not known
    return [_fitting(array, shapes) for array in arrays]


def _stacked(
    text: str, shapes: Shapes, keys: Array, named: Mapping[str, Value]
) -> Candidates[Array] | None:
    """Return the matrix whose rows are formulas: `[100 k_0; 100 k_1; 100 k_2; 100 k_3]`."""
    body = _ROWS.search(" ".join(narrow(text[:LONGEST]).split()))
    if body is None:
        return None
    rows = [row for row in re.split(r"\\\\|[;,&\n]", body["rows"]) if row.strip()]
    single = ((keys.shape[1],),)
    results = [_computed(row, single, keys, named) for row in rows[:MOST_ROWS]]
    plain = [result.values[0] for result in results if result is not None and result.plain]
    if not plain or len(plain) < len(rows):
        return None
    stacked = np.stack(plain)
    return Candidates((_fitting(stacked, shapes),), (text,))


def _fitting(array: Array, shapes: Shapes) -> Array:
    """Return a computed value if it has one of the shapes and is not too large."""
    if array.ndim == 2 and array.shape[0] == 1:
        array = array[0]
    if array.shape not in shapes:
        sizes = " or ".join("×".join(map(str, shape)) for shape in shapes)
        raise Misfit(f"This is {shape_of(array)}, but {sizes} numbers are expected.")
    if not np.all(np.abs(array) <= LARGEST):
        raise Unreadable("A number is too large; write smaller numbers.")
    return array
