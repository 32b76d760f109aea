"""Verify key, query and value matrices for the question on four orthogonal vectors.

x_1 = u_d + u_b, x_2 = u_a, x_3 = u_c + u_b; the required outputs are c_1 = u_b - u_c and c_2 = u_b.
The vectors have length beta, which is large: at length 1, the weights of the correct answer are
.58.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from graders.written.formula import Formula, Value
from graders.written.question import Asked, Judgement, Misfit, Unreadable
from graders.written.verifiers.attention.query import softmax
from graders.written.verifiers.formulas import (
    Array,
    find_formulas,
    shape_of,
    value_of,
    with_known_names,
)
from graders.written.verifiers.settings import share
from graders.written.verifiers.values.found import Candidates

VECTORS = ("u_a", "u_b", "u_c", "u_d")
NAMES = (*VECTORS, "beta", "I", "x_1", "x_2", "x_3", "d")
NEAR = 1e-3
PARTS = ("K", "Q", "V")
Matrices = Mapping[str, Array]


@dataclass(frozen=True, slots=True)
class _Setting:
    """One draw of the four vectors, and the inputs made from them."""

    u: Mapping[str, Array]
    beta: float
    scale: float

    @property
    def x(self) -> Array:
        """The three inputs, one per row."""
        u = self.u
        return np.stack([u["u_d"] + u["u_b"], u["u_a"], u["u_c"] + u["u_b"]])

    def named(self) -> dict[str, Value]:
        inputs: dict[str, Value] = {f"x_{number}": row for number, row in enumerate(self.x, 1)}
        return {**self.u, **inputs, "beta": self.beta, "d": float(self.x.shape[1])}

    def expected(self, output: int) -> Array:
        return self.u["u_b"] - self.u["u_c"] if output == 0 else self.u["u_b"]

    def weights(self, matrices: Matrices) -> Array:
        """Return the weights of the three inputs, one row per output."""
        return softmax(self.scale * (self.x @ matrices["Q"].T) @ (matrices["K"] @ self.x.T))

    def near(self, one: Array, other: Array) -> bool:
        """Return whether two vectors are equal within a small fraction of beta."""
        return bool(np.linalg.norm(one - other) <= NEAR * self.beta)


@dataclass(frozen=True, slots=True)
class _Facts:
    """The facts true in every draw: the two values, and for each output its weights and value."""

    values: tuple[bool, bool]
    looks: tuple[bool, bool]
    outputs: tuple[bool, bool]

    @property
    def points(self) -> int:
        """One point each for V x_1, V x_3, c_1 and c_2."""
        if all(self.outputs):
            return 4
        pairs = zip(self.looks, self.outputs, strict=True)
        return sum(self.values) + sum(looks or right for looks, right in pairs)


def key_query_value(answer: Asked) -> Judgement:
    """Grade K, Q and V by the output of attention with them.

    V x_1, V x_3, c_1 and c_2 earn a quarter of the points each. Settings: `scaled` (scores are
    divided by sqrt(d)) and `swapped` (the fraction if only K and Q are exchanged; by default what
    V earns).
    """
    draws = list(_settings(answer))
    read = {
        part: find_formulas(answer.parts[part], NAMES, (part,))
        for part in PARTS
        if part in answer.parts
    }
    formulas, faults = _formulas(read, draws)
    judged = _judged(answer, draws, formulas, faults)
    for candidates in read.values():
        candidates.accept(judged)
    return judged


def _judged(
    answer: Asked, draws: list[_Setting], formulas: dict[str, Formula], faults: tuple[str, ...]
) -> Judgement:
    values = [_matrices(formulas, draw) for draw in draws]
    facts = _facts(values, draws)
    text = "; ".join(f"{part} = {formula.text}" for part, formula in formulas.items())
    if facts.points == 4:
        return Judgement(1.0, actual=text)
    swapped = [{"K": value["Q"], "Q": value["K"], "V": value["V"]} for value in values]
    if set(formulas) == set(PARTS) and _facts(swapped, draws).points == 4:
        hint = "A score is k_i^T q_j: which of the two belongs to the input that attends?"
        earned = share(answer.machine, "swapped", facts.points / 4)
        return Judgement(earned, "K and Q are swapped.", hint, actual=text)
    message, hint = _message(answer, facts), _turned(values, draws) or _hint(values, facts)
    message = "\n".join((message, *faults))
    return Judgement(facts.points / 4, message, hint, actual=text)


def _turned(values: list[Matrices], draws: list[_Setting]) -> str:
    """Return a hint if K or Q is correct only when it is transposed."""
    for part in ("K", "Q"):
        turned = [{**value, part: value[part].T} for value in values]
        if _facts(turned, draws).points == 4:
            return (
                f"`{part}` is transposed. (u v^T) x = u (v^T x): which vector belongs to the "
                "input, and which to the result?"
            )
    return ""


def _formulas(
    read: Mapping[str, Candidates[Formula]], draws: list[_Setting]
) -> tuple[dict[str, Formula], tuple[str, ...]]:
    """Return the formulas that are matrices, and the faults of the others."""
    formulas, faults = {}, []
    for part, answer in read.items():
        try:
            formulas[part] = with_known_names(answer.only(), NAMES)
            _matrix(formulas[part], draws[0])
        except Misfit as error:
            del formulas[part]
            faults.append(f"`{part}`: {error}")
        except Unreadable as error:
            raise Unreadable(f"`{part}`: {error}") from None
    return formulas, tuple(faults)


def _settings(answer: Asked) -> Iterator[_Setting]:
    scaled = bool(answer.machine.settings.get("scaled", False))
    for d, beta in ((4, 30.0), (8, 10.0), (16, 5.0), (16, 30.0)):
        length = 4 * beta if scaled else beta  # a division by sqrt(d) must make no difference
        rows = length * np.linalg.qr(answer.draw.standard_normal((d, d)))[0][:4]
        scale = 1 / np.sqrt(d) if scaled else 1.0
        yield _Setting(dict(zip(VECTORS, rows, strict=True)), length, scale)


def _matrices(formulas: Mapping[str, Formula], setting: _Setting) -> Matrices:
    """Return the matrices of one draw; zero if one is not answered."""
    d = setting.x.shape[1]
    matrices = {part: _matrix(formula, setting) for part, formula in formulas.items()}
    return {part: matrices.get(part, np.zeros((d, d))) for part in PARTS}


def _matrix(formula: Formula, setting: _Setting) -> Array:
    value = value_of(formula, setting.named())
    d = setting.x.shape[1]
    if value.ndim == 0 and formula.names <= {"beta", "d"}:
        value = np.diag(np.repeat(value, d))  # `K = 1` is the identity
    if value.shape != (d, d):
        raise Misfit(
            f"It must be a square matrix, but it is {shape_of(value)}: `u_a u_b^T` is a matrix, "
            "`u_a^T u_b` a number."
        )
    if not np.all(np.isfinite(value)):
        raise Misfit("The result is not finite: it divides by zero or overflows.")
    return value


def _facts(values: Sequence[Matrices], draws: list[_Setting]) -> _Facts:
    facts = [_of(matrices, setting) for matrices, setting in zip(values, draws, strict=True)]
    columns = [all(column) for column in zip(*facts, strict=True)]
    return _Facts((columns[0], columns[1]), (columns[2], columns[3]), (columns[4], columns[5]))


def _of(matrices: Matrices, setting: _Setting) -> tuple[bool, ...]:
    """Return the six facts of one draw."""
    values = setting.x @ matrices["V"].T
    weights = setting.weights(matrices)
    outputs = weights @ values
    return (
        setting.near(values[0], setting.expected(1)),
        setting.near(values[2], setting.expected(0)),
        bool(weights[0, 2] >= 1 - NEAR),
        bool(weights[1, 0] >= 1 - NEAR),
        *(setting.near(outputs[output], setting.expected(output)) for output in (0, 1)),
    )


def _message(answer: Asked, facts: _Facts) -> str:
    missing = [part for part in PARTS if part not in answer.parts]
    outcomes = zip(("V x_1", "V x_3"), facts.values, strict=True)
    wrong = [name for name, right in outcomes if not right]
    pairs = zip(facts.looks, facts.outputs, strict=True)
    wrong += [f"c_{n}" for n, (looks, right) in enumerate(pairs, 1) if not (looks or right)]
    message = f"{', '.join(f'`{part}`' for part in missing)} not answered. " if missing else ""
    return message + (f"Incorrect: {', '.join(wrong)}." if wrong else "")


def _hint(values: list[Matrices], facts: _Facts) -> str:
    """Return a hint on what to check first."""
    if all(np.array_equal(value["Q"], value["V"]) for value in values):
        return "Q is the same as V. What do the inputs look for, and what do they pass on?"
    if not all(facts.values):
        return "What is V times each u, whose length is beta? So what are V x_1 and V x_3?"
    if not any(facts.looks):
        return "Which input should the first output attend to, and which the second?"
    return "Work out the scores of all three inputs, for each output."
