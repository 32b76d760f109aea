"""The functions of a formula, from typed values to a typed value."""

from collections.abc import Callable

import numpy as np

from graders.written.formula.shapes import (
    Ambiguous,
    ShapeError,
    Typed,
    multiply,
    power,
    square,
    transpose,
)

MINUS_ONE = Typed("scalar", np.float64(-1))  # type: ignore[arg-type]
OF_SCALARS: dict[str, Callable[..., np.float64]] = {
    **{"sqrt": np.sqrt, "exp": np.exp, "log": np.log, "log2": np.log2, "log10": np.log10},
    **{"min": lambda *each: np.min(each), "max": lambda *each: np.max(each)},
}


def apply(function: str, arguments: list[Typed]) -> Typed:
    """Return the function's value. Raises ShapeError if it has none."""
    if ours := TYPED.get(function):
        return ours(*arguments)
    for each in arguments:
        if each.kind != "scalar":
            raise ShapeError(f"`{function}` takes scalars, not {each}.")
    return Typed("scalar", np.asarray(OF_SCALARS[function](*(each.array for each in arguments))))


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
    """Return the outer product `a b^T`."""
    return multiply(column(left), transpose(column(right)))


def dot(left: Typed, right: Typed) -> Typed:
    """Return `a^T b` of two vectors; with a matrix the product, as in `np.dot`."""
    if "matrix" in (left.kind, right.kind) or "identity" in (left.kind, right.kind):
        return multiply(left, right)
    return multiply(transpose(column(left)), column(right))


def inverse(value: Typed) -> Typed:
    """Return the inverse of a matrix or a scalar."""
    return power(square(value), MINUS_ONE)


def pseudo_inverse(value: Typed) -> Typed:
    """Return the Moore-Penrose inverse."""
    if value.array.ndim == 0:
        return inverse(value)
    return Typed(transpose(value).kind, np.asarray(np.linalg.pinv(value.array), dtype=np.float64))


TYPED: dict[str, Callable[..., Typed]] = {
    **{"norm": norm, "abs": norm, "outer": outer, "dot": dot, "matmul": multiply},
    **{"inv": inverse, "pinv": pseudo_inverse, "order": lambda value: value},
    "eye": lambda _: Typed("identity", np.asarray(1.0)),
}
