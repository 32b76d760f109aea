"""Read the replies of the student's rotary functions as untrusted data."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn

import numpy as np

from graders.boundary.student import Student
from graders.checks.compare import CheckFailed, fail, is_close
from graders.checks.inputs import Inputs
from graders.errors import BadReply
from graders.figures import Rotation

from .expected import Floats, Table
from .layouts import HANDOUT, layout_of

# The ways of calling, most informative first: as the student's module calls it, and with correct
# tables.
TELLING = ("module given", "module own", "given", "own")
MOST_WAYS, LONGEST_KIND = 20, 300  # characters


@dataclass(frozen=True, slots=True)
class Rotated:
    """One x, the student's result, and the arguments after the call."""

    x: Floats
    result: Any
    x_after: Any
    table_before: Any
    table_after: Any

    def floats(self) -> Floats:
        """Return the result as float64; fail if it does not have x's shape."""
        values = as_floats(self.result)
        if isinstance(self.result, dict) and self.result.get("type") == "NoneType":
            fail("apply_rotary_emb returns None.", hint="Have you implemented it yet?")
        if values is None or values.shape != self.x.shape:
            fail(
                "The rotated tensor does not have the shape of x.",
                hint="Join the pairs again. Input and output have shape (B, n_head, T, head size).",
                expected=f"real numbers of shape {self.x.shape}",
                actual=kind(self.result),
                counterexample={"x": f"shape {self.x.shape}"},
            )
        if not np.isfinite(values).all():
            fail("The rotated tensor contains numbers that are not finite (inf or nan).")
        return values


def as_floats(value: Any) -> Floats | None:
    """Return a float array as float64, or None if it is anything else."""
    if isinstance(value, np.ndarray) and np.issubdtype(value.dtype, np.floating):
        return value.astype(np.float64)
    return None


def kind(value: Any) -> str:
    """Describe a value in a few words."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} of shape {value.shape}"
    if isinstance(value, list):
        return f"several: {', '.join(kind(each) for each in value[:4])}"[:LONGEST_KIND]
    if isinstance(value, dict) and isinstance(value.get("type"), str):
        return f"a {value['type'][:40]}"
    return "nothing usable"


def tables(student: Student, sizes: Sequence[tuple[int, int]]) -> list[Any]:
    """Return the student's table of each size (dim, max_positions)."""
    return student.call(
        "rotary_tables", sizes=[list(size) for size in sizes], read=partial(_listed, len(sizes))
    )


def rotations(
    student: Student, xs: Sequence[Floats], lengths: Sequence[int] | None = None
) -> Mapping[str, Sequence[Rotated]]:
    """Rotate each x in turn, with tables of these lengths (by default, those of x).

    "own" uses the student's tables, "given" the handout's values in the student's layout. "module
    own" and "module given" call the function as the student's module does, if that differs from
    the handout ("module second …" is k, if it takes q and k). Ways on which the student's code
    raises are omitted.
    """
    layout = layout_of(student) or HANDOUT
    calls: list[Any] = [
        {
            "x": x,
            "table": layout.packed(Table().values(x.shape[-1], length)),
            "positions": length,
        }
        for x, length in zip(xs, lengths or [x.shape[-2] for x in xs], strict=True)
    ]
    return student.call("rotate", calls=calls, read=partial(_rotated, xs))


def _rotated(xs: Sequence[Floats], reply: Any) -> Mapping[str, Sequence[Rotated]]:
    names = ("result", "x_after", "table_before", "table_after")
    if not isinstance(reply, dict) or not 0 < len(reply) <= MOST_WAYS:
        bad_reply()
    return {
        source: [
            Rotated(x, *(each[name] for name in names))
            for x, each in zip(xs, _listed(len(xs), answers), strict=True)
        ]
        for source, answers in reply.items()
    }


def _listed(count: int, reply: Any) -> list[Any]:
    """Return the reply, which must be a list of `count` values."""
    if not isinstance(reply, list) or len(reply) != count:
        bad_reply()
    return reply


def one_way_holds(
    replies: Mapping[str, Sequence[Rotated]], claim: Callable[[Sequence[Rotated]], None]
) -> str:
    """Pass if `claim` is true with the student's own tables or the handout's; return which.

    So a wrong table fails its own checks but not those of the rotation, and a table of an unusual
    layout is judged by the student's rotation with it.
    """
    problems: dict[str, CheckFailed] = {}
    for source, answers in replies.items():
        try:
            claim(answers)
        except CheckFailed as problem:
            problems[source] = problem
        else:
            return source
    told = (problems[source] for source in TELLING if source in problems)
    raise next(told, None) or next(iter(problems.values()))


def first_difference(a: Floats, b: Floats) -> tuple[int, ...]:
    """Return the first index at which two arrays of equal shape differ beyond the tolerance."""
    return next(at for at in np.ndindex(a.shape) if not is_close(a[at], b[at], "rotation"))


def normal(inputs: Inputs, purpose: str, *shape: int) -> Floats:
    """Return standard normal float32 numbers, equal for equal purpose and shape."""
    return inputs.generator(purpose, shape).standard_normal(shape).astype(np.float32)


def bad_reply() -> NoReturn:
    """Give up on a reply that is not what the student side sends."""
    raise BadReply("Your code's return value could not be read.")


POSITIONS = 16
# (B, n_heads, T, head size): a vector whose features differ, at every position.
VECTOR = 1 + np.arange(32) * 7 % 11 / 11
ASKED = np.tile(VECTOR, (1, 1, POSITIONS, 1)).astype(np.float32)
SEEN, CLEAR = 0.05, 0.5  # radians: a barely visible and a clearly visible difference


def table_rotation(came: Mapping[tuple[int, int], Floats]) -> Rotation | None:
    """Return the angles of a table's first pair that clearly differs, over the first positions.

    Pairs that turn by more than half a circle are skipped, as they would be hard to read.
    """
    dim, length = max(came, key=lambda size: size[1])
    if not np.isfinite(came[dim, length]).all():
        return None
    slow = Table().angles(dim, length)[:POSITIONS].max(axis=0) < np.pi
    right, table = Table().values(dim, length)[:POSITIONS], came[dim, length][:POSITIONS]
    expected, actual = _angles(right), _angles(table)
    apart = np.where(slow, np.abs(expected - actual).max(axis=0), 0.0)
    if apart.max() < SEEN:
        return None
    pair = int(np.flatnonzero(apart >= min(CLEAR, apart.max()))[0])
    return Rotation(
        f"Rotation of pair {pair + 1} of {dim // 2} over positions (without full turns)",
        tuple(expected[:, pair].tolist()),
        tuple(actual[:, pair].tolist()),
    )


def applied_rotation(result: Floats) -> Rotation | None:
    """Return the same for the rotated ASKED, or None if it has another shape.

    A rotated pair as a complex number, divided by the input pair, is cos tθ + i sin tθ.
    """
    if result.shape != ASKED.shape or not np.isfinite(result).all():
        return None
    T, dim = ASKED.shape[2:]
    asked, came = (each[0, 0, :, ::2] + 1j * each[0, 0, :, 1::2] for each in (ASKED, result))
    turned = came / asked
    return table_rotation({(dim, T): np.stack((turned.real, turned.imag), axis=-1)})


def _angles(table: Floats) -> Floats:
    """Return the angle of each entry (cos, sin), (positions, pairs)."""
    angles: Floats = np.unwrap(np.arctan2(table[..., 1], table[..., 0]), axis=0)
    return angles
