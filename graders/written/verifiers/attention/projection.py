"""Verify a matrix that extracts the part in one subspace from the average of two vectors."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from graders.written.formula import Formula, Value
from graders.written.question import Asked, Judgement
from graders.written.verifiers.formulas import (
    Array,
    Families,
    find_formulas,
    shape_of,
    value_of,
    with_known_names,
)
from graders.written.verifiers.settings import share
from graders.written.verifiers.values.found import judge_found

NAMES = ("A", "a_i", "B", "b_i", "I", "m", "p", "d", "h")
WANTED = ("M",)
NEAR = 1e-9


@dataclass(frozen=True, slots=True)
class _Spaces:
    """Orthonormal columns `a` and `b`, and the coefficients of one vector in each span."""

    a: Array  # (d, m)
    b: Array  # (d, p)
    in_a: Array  # (m,)
    in_b: Array  # (p,)

    @property
    def expected(self) -> Array:
        return self.a @ self.in_a

    @property
    def average(self) -> Array:
        return np.asarray((self.expected + self.b @ self.in_b) / 2)

    def named(self) -> dict[str, Value]:
        (d, m), p = self.a.shape, self.b.shape[1]
        sizes = {"m": float(m), "p": float(p), "d": float(d), "h": float(d)}
        return {"A": self.a, "B": self.b, **sizes}

    def families(self) -> Families:
        return {"a_i": list(self.a.T), "b_i": list(self.b.T)}


def projection(answer: Asked) -> Judgement:
    """Grade a matrix M with M (v_a + v_b)/2 = v_a, written with only the basis of v_a's space.

    Settings: `half` (the fraction if the factor 2 is missing), `coordinates` (if M gives the
    coefficients of v_a instead of v_a), `uses_b` (if M needs the other basis).
    """
    spaces = tuple(_spaces(answer.draw))
    formulas = find_formulas(answer.parts[answer.machine.parts[0]], NAMES, WANTED)
    return judge_found(
        formulas, lambda formula: _of(answer, with_known_names(formula, NAMES), spaces)
    )


def _of(answer: Asked, formula: Formula, spaces: tuple[_Spaces, ...]) -> Judgement:
    matrices = [value_of(formula, space.named(), space.families()) for space in spaces]
    judged = _judged(answer, list(zip(matrices, spaces, strict=True)))
    if judged.fraction and not formula.names.isdisjoint({"B", "b_i", "p"}):
        earned = min(judged.fraction, share(answer.machine, "uses_b", 0.75))
        judged = Judgement(earned, "M contains B.", "Write it with only the a_i.")
    return replace(judged, actual=formula.text)


def _spaces(draw: np.random.Generator) -> Iterator[_Spaces]:
    """Yield spaces that leave some dimensions unused, and one pair that uses all of them."""
    for fills in (False, False, False, False, True):
        d = int(draw.integers(6, 21))
        m = int(draw.integers(2, d - 3))
        p = d - m if fills else int(draw.integers(1, d - m - 1))
        basis = np.linalg.qr(draw.standard_normal((d, d)))[0]
        in_a, in_b = draw.standard_normal(m), draw.standard_normal(p)
        yield _Spaces(basis[:, :m], basis[:, m : m + p], in_a, in_b)


def _judged(answer: Asked, pairs: list[tuple[Array, _Spaces]]) -> Judgement:
    """Return the judgement of a matrix by its effect on the average, in every draw."""
    if all(_gives(matrix, spaces, spaces.expected) for matrix, spaces in pairs):
        return Judgement(1.0)
    if all(_gives(matrix, spaces, spaces.expected / 2) for matrix, spaces in pairs):
        hint = "M is multiplied by an average. How much of v_a does that contain?"
        return Judgement(share(answer.machine, "half", 0.5), "M gives half of v_a.", hint)
    if all(_gives(matrix, spaces, spaces.in_a) for matrix, spaces in pairs):
        message = "M gives the coefficients of v_a in its basis, not v_a itself."
        hint = "How do you compute a vector from its coefficients?"
        return Judgement(share(answer.machine, "coordinates", 0.5), message, hint)
    return _wrong(pairs)


def _gives(matrix: Array, spaces: _Spaces, expected: Array) -> bool:
    if matrix.ndim != 2 or matrix.shape != (len(expected), len(spaces.average)):
        return False
    error = np.linalg.norm(matrix @ spaces.average - expected)
    return bool(error <= NEAR * np.linalg.norm(expected))


def _wrong(pairs: list[tuple[Array, _Spaces]]) -> Judgement:
    matrix, spaces = pairs[0]
    d = len(spaces.average)
    if matrix.shape != (d, d):
        message = f"For vectors with {d} rows, M must be a {d}×{d} matrix; this is {{}}."
        hint = "Which product of A and A^T has as many rows and columns as a vector has entries?"
        return Judgement(0.0, message.format(shape_of(matrix)), hint)
    if all(_gives(array, one, one.in_a / 2) for array, one in pairs):
        hint = "How do you compute a vector from its coefficients, and what does averaging change?"
        return Judgement(0.0, "M gives half of the coefficients of v_a.", hint)
    left = np.linalg.norm(matrix @ (spaces.b @ spaces.in_b)) / np.linalg.norm(spaces.in_b)
    if not left <= NEAR:
        hint = "What must M do to every vector in the span of the b_i?"
        return Judgement(0.0, "M does not remove all of v_b.", hint)
    hint = "Write v_a as a combination of the a_i, and work out what M does to it."
    return Judgement(0.0, "M removes v_b, but does not return v_a.", hint)
