"""The shapes of scalars, columns, rows and matrices, and the operations and functions on them.

A vector is a column. `I` has the size of its neighbors; until that is known, it is its factor.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from graders.written.formula.tree import PRODUCTS

Array = NDArray[np.float64]
Kind = Literal["scalar", "vector", "row", "matrix", "identity"]
LARGEST = 64


class ShapeError(Exception):
    """Two shapes that don't match; the message is a sentence for the student."""


class Ambiguous(ShapeError):
    """Shapes that match only in one of several readings of the notation."""


@dataclass(frozen=True, slots=True)
class Typed:
    """A value and its kind; everything but scalars and the identity has two dimensions."""

    kind: Kind
    array: Array

    def __str__(self) -> str:
        if self.array.ndim == 0:
            return {"scalar": "a scalar", "identity": "the identity"}[self.kind]
        rows, columns = self.array.shape
        words = {"vector": f"a vector ({rows})", "row": f"a transposed vector ({columns})"}
        return words.get(self.kind, f"a matrix ({rows}×{columns})")


def typed(value: object) -> Typed:
    """Return a numpy scalar, vector or matrix with its kind."""
    array = np.asarray(value, dtype=np.float64)
    if array.ndim > 2 or (array.size and max(array.shape, default=0) > LARGEST):
        raise ValueError(f"a value is a scalar, a vector or a matrix of up to {LARGEST} rows")
    if array.ndim == 0:
        return Typed("scalar", array)
    return Typed("vector", array[:, None]) if array.ndim == 1 else Typed("matrix", array)


def plain(value: Typed, size: int | None) -> Array | np.float64:
    """Return a scalar, a vector, or a matrix to the caller; a row is a matrix with one row."""
    if value.kind == "scalar":
        return np.float64(value.array)
    if value.kind == "vector":
        return value.array[:, 0]
    return sized(value, size).array


def sized(value: Typed, size: int | None) -> Typed:
    """Return the identity as a matrix; anything else unchanged."""
    if value.kind != "identity":
        return value
    if size is None:
        raise Ambiguous("The size of I is not clear here.")
    return Typed("matrix", value.array * np.eye(size))


def add(left: Typed, right: Typed) -> Typed:
    """Add two values of the same shape."""
    if left.kind == right.kind == "identity":
        return Typed("identity", left.array + right.array)
    left, right = beside(left, right), beside(right, left)
    if left.kind == right.kind and left.array.shape == right.array.shape:
        return Typed(left.kind, left.array + right.array)
    if {left.kind, right.kind} == {"row", "vector"}:
        raise Ambiguous("A vector and a transposed vector cannot be added.")
    hint = (
        " Did you mean a multiple of I?" if {left.kind, right.kind} == {"scalar", "matrix"} else ""
    )
    raise ShapeError(f"{left} and {right} cannot be added.{hint}".replace("a", "A", 1))


def beside(value: Typed, other: Typed) -> Typed:
    """Return the identity in the size of the square matrix next to it."""
    rows, columns = other.array.shape if other.array.ndim else (0, 1)
    return sized(value, rows) if rows == columns else value


def multiply(left: Typed, right: Typed, operator: str = "") -> Typed:
    """Multiply two values; between vectors, `·` is the dot product and `⊗` the outer product."""
    if left.array.ndim == 0 or right.array.ndim == 0:
        return scaled(left, right)
    if left.kind == right.kind and left.kind in ("vector", "row"):
        left, right = vectors(left, right, operator)
    elif operator == "⊗":
        raise ShapeError("An outer product ⊗ needs two vectors.")
    if left.array.shape[1] != right.array.shape[0]:
        raise ShapeError(f"{left} cannot be multiplied by {right}.".replace("a", "A", 1))
    product = left.array @ right.array
    if left.kind == "row" and right.kind == "vector":
        return Typed("scalar", product[0, 0])
    rows: Kind = "row" if left.kind == "row" else "matrix"
    return Typed("vector" if right.kind == "vector" else rows, product)


def scaled(left: Typed, right: Typed) -> Typed:
    """Return a product with a scalar or the identity on one side."""
    kinds: tuple[Kind, ...] = tuple(value.kind for value in (left, right) if value.kind != "scalar")
    rest = [kind for kind in kinds if kind != "identity"]
    kind: Kind = rest[0] if rest else kinds[0] if kinds else "scalar"
    return Typed(kind, np.asarray(left.array * right.array))


def vectors(left: Typed, right: Typed, operator: str) -> tuple[Typed, Typed]:
    """Transpose one of two vectors, as the operator requires."""
    if operator not in ("·", "⊗"):
        raise Ambiguous(
            "Two vectors are next to each other; did you mean k_a^T k_b (a scalar)"
            " or k_a k_b^T (a matrix)?"
        )
    return (left, transpose(right)) if operator == "⊗" else (transpose(left), right)


def divide(left: Typed, right: Typed) -> Typed:
    if right.kind != "scalar":
        hint = " Did you mean the inverse, A^{-1}?" if right.kind == "matrix" else ""
        raise ShapeError(f"A denominator must be a scalar, not {right}.{hint}")
    return Typed(left.kind, np.asarray(left.array / right.array))


def transpose(value: Typed) -> Typed:
    turned: dict[Kind, Kind] = {"vector": "row", "row": "vector"}
    return Typed(turned.get(value.kind, value.kind), value.array.T)


def power(base: Typed, exponent: Typed) -> Typed:
    """Return a power of a scalar, or an integer power of a square matrix."""
    if exponent.kind != "scalar":
        raise ShapeError(f"An exponent is a scalar, not {exponent}.")
    if base.array.ndim == 0:
        return Typed(base.kind, np.asarray(np.power(base.array, exponent.array)))
    if base.kind in ("vector", "row"):
        raise Ambiguous("A vector has no powers; did you mean norm(x)^2 or x^T x?")
    whole = float(exponent.array)
    if not whole.is_integer() or abs(whole) > 16:
        raise Ambiguous("Only integer powers of a matrix, up to 16, are supported.")
    if base.array.shape[0] != base.array.shape[1]:
        raise ShapeError(f"Only a square matrix has powers, not {base}.")
    return Typed("matrix", np.linalg.matrix_power(base.array, int(whole)))


def norm(value: Typed) -> Typed:
    """Return the norm of a vector or the absolute value of a scalar."""
    if value.kind not in ("scalar", "vector", "row"):
        raise Ambiguous(f"A norm can only be taken of vectors here, not of {value}.")
    return Typed("scalar", np.asarray(np.sqrt(np.sum(value.array**2))))


def column(value: Typed) -> Typed:
    """Return a vector as a column, whether it was transposed or not."""
    if value.kind not in ("vector", "row"):
        raise ShapeError(f"Two vectors are required, not {value}.")
    return transpose(value) if value.kind == "row" else value


def outer(left: Typed, right: Typed) -> Typed:
    return multiply(column(left), transpose(column(right)))


def dot(left: Typed, right: Typed) -> Typed:
    """Return `a^T b` of two vectors; with a matrix the product, as in `np.dot`."""
    if "matrix" in (left.kind, right.kind) or "identity" in (left.kind, right.kind):
        return multiply(left, right)
    return multiply(transpose(column(left)), column(right))


def inverse(value: Typed) -> Typed:
    """Return the inverse of a square matrix, a scalar or the identity."""
    rows, *columns = value.array.shape or (1, 1)
    if value.kind in ("vector", "row") or [rows] != columns:
        raise ShapeError(f"Only a square matrix has an inverse, not {value}.")
    return power(value, MINUS_ONE)


def pseudo_inverse(value: Typed) -> Typed:
    """Return the Moore-Penrose inverse."""
    if value.array.ndim == 0:
        return inverse(value)
    return Typed(transpose(value).kind, np.asarray(np.linalg.pinv(value.array), dtype=np.float64))


def minus(left: Typed, right: Typed) -> Typed:
    return add(left, multiply(MINUS_ONE, right))


def apply(function: str, arguments: list[Typed]) -> Typed:
    """Return the value of a function or an operator. Raises ShapeError if it has none."""
    if ours := TYPED.get(function):
        return ours(*arguments)
    for argument in arguments:
        if argument.kind != "scalar":
            raise ShapeError(f"`{function}` takes scalars, not {argument}.")
    return Typed("scalar", np.asarray(OF_SCALARS[function](*(value.array for value in arguments))))


MINUS_ONE = typed(-1.0)
OF_SCALARS: dict[str, Callable[..., np.float64]] = {
    **{"sqrt": np.sqrt, "exp": np.exp, "log": np.log, "log2": np.log2, "log10": np.log10},
    **{"min": lambda *numbers: np.min(numbers), "max": lambda *numbers: np.max(numbers)},
}
TYPED: dict[str, Callable[..., Typed]] = {
    **{"norm": norm, "abs": norm, "outer": outer, "dot": dot, "matmul": multiply},
    **{"inv": inverse, "pinv": pseudo_inverse, "order": lambda value: value},
    "eye": lambda _: Typed("identity", np.asarray(1.0)),
    **{"+": add, "-": minus, "neg": partial(multiply, MINUS_ONE), "/": divide, "^": power},
    **{sign: partial(multiply, operator=sign) for sign in PRODUCTS},
    "⊤": transpose,
}
