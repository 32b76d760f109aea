"""Define all tolerances in one table, and comparisons that fail with clear messages."""

from dataclasses import dataclass
from typing import Any, Literal, NoReturn, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graders.errors import SoftmarkError, did_you_mean

LONGEST = 300  # characters of a description
Operation = Literal["exact", "trigonometric", "rotation", "attention", "share", "direction"]


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far a float32 answer may be from the float64 one, and the reason."""

    absolute: float
    relative: float
    reason: str


TOLERANCES: dict[Operation, Tolerance] = {
    "exact": Tolerance(0.0, 0.0, "integers, and values that are only copied"),
    "trigonometric": Tolerance(
        1e-4, 0.0, "cos and sin of angles up to 127 rad in float32: correct tables are off by 4e-6"
    ),
    "rotation": Tolerance(
        1e-4, 1e-4, "a float32 table times values of size one, one product and one sum"
    ),
    "attention": Tolerance(
        1e-4, 1e-3, "four matrix products and a softmax in float32, in any order of summation"
    ),
    "share": Tolerance(1e-4, 0.0, "a share of some items, perhaps rounded to four digits"),
    "direction": Tolerance(
        0.03, 0.0, "a gradient cut to length one: bfloat16 under autocast is off by 0.01"
    ),
}


class Details(TypedDict, total=False):
    """What the student sees besides a check's message; a counterexample has labeled values."""

    hint: str
    expected: str
    actual: str
    counterexample: dict[str, str] | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything that is shown to the student about a check; see Details."""

    message: str
    hint: str = ""
    expected: str = ""
    actual: str = ""
    counterexample: dict[str, str] | None = None

    @property
    def rows(self) -> tuple[tuple[str, str], ...]:
        """The counterexample's labels and values."""
        return tuple((self.counterexample or {}).items())


class CheckFailed(AssertionError):
    """A failed check, with everything that is shown to the student."""

    def __init__(self, message: str, **details: Unpack[Details]) -> None:
        super().__init__(message)
        explanation = Explanation(message, **details)
        self.message, self.hint = message, explanation.hint
        self.expected, self.actual = explanation.expected, explanation.actual
        self.counterexample = explanation.rows

    @property
    def explanation(self) -> Explanation:
        """What is shown, which a check may have changed before it raises the error again."""
        rows = dict(self.counterexample)
        return Explanation(self.message, self.hint, self.expected, self.actual, rows)


class CheckSkipped(SoftmarkError):
    """There is nothing to grade; the message tells the student why."""


def skip(message: str) -> NoReturn:
    """Skip this check, because there is nothing to grade."""
    raise CheckSkipped(message)


def fail(message: str, **details: Unpack[Details]) -> NoReturn:
    """Fail this check with a sentence for the student."""
    raise CheckFailed(message, **details)


def is_close(actual: ArrayLike, expected: ArrayLike, operation: Operation) -> bool:
    """Return whether the shapes agree and every element is within the table's tolerance."""
    a, e = np.asarray(actual), np.asarray(expected)
    if a.shape != e.shape or not np.issubdtype(a.dtype, np.number):
        return False
    if operation not in TOLERANCES:
        raise ValueError(f"no operation `{operation}`{did_you_mean(operation, TOLERANCES)}")
    tolerance = TOLERANCES[operation]
    return bool(
        np.allclose(a, e, rtol=tolerance.relative, atol=tolerance.absolute, equal_nan=False)
    )


def as_floats(value: Any) -> NDArray[np.floating[Any]] | None:
    """Return a float array as float64, or None if it is anything else."""
    if isinstance(value, np.ndarray) and np.issubdtype(value.dtype, np.floating):
        return value.astype(np.float64)
    return None


def describe(value: Any) -> str:
    """Describe a reply in a few words: a type and a shape, never its numbers."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} of shape {value.shape}"
    if isinstance(value, list):
        return f"several: {', '.join(map(describe, value[:4]))}"[:LONGEST]
    if isinstance(value, dict) and isinstance(value.get("type"), str):  # what cannot be sent
        return f"a {value['type'][:40]}"
    return "nothing" if value is None else f"a {type(value).__name__}"


def largest_difference(actual: NDArray[np.generic], expected: NDArray[np.generic]) -> str:
    """Describe where two arrays of equal shape differ most: position, actual, expected."""
    difference = np.abs(actual.astype(np.float64) - expected.astype(np.float64))
    index = np.unravel_index(int(np.argmax(np.nan_to_num(difference, nan=np.inf))), actual.shape)
    at = ", ".join(str(int(i)) for i in index)
    return f"at [{at}] {actual[index]:.6g} instead of {expected[index]:.6g}"
