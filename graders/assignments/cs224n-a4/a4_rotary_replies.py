"""What came back from the student's rotary functions, read as the hostile data it is."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn

import numpy as np
from a4_layouts import HANDOUT, layout_of
from a4_rotations import Floats, Table

from graders.boundary.student import Student
from graders.checks.compare import CheckFailed, fail, is_close
from graders.checks.inputs import Inputs
from graders.errors import BadReply

# The ways of asking, those first that tell most of what is wrong: as the author's module asks, and
# with tables that are right.
TELLING = ("module given", "module own", "given", "own")
MOST_WAYS, LONGEST_KIND = 20, 300  # characters


@dataclass(frozen=True, slots=True)
class Rotated:
    """One x, what the student made of it, and the arguments as they were afterwards."""

    x: Floats
    result: Any
    x_after: Any
    table_before: Any
    table_after: Any

    def floats(self) -> Floats:
        """The result as float64; a check fails where it is not of x's shape."""
        values = as_floats(self.result)
        if isinstance(self.result, dict) and self.result.get("type") == "NoneType":
            fail("apply_rotary_emb returns None.", hint="Have you implemented it yet?")
        if values is None or values.shape != self.x.shape:
            fail(
                "The rotated tensor does not have the shape of x.",
                hint="Join the pairs again: (B, n_head, T, head size) in and out.",
                expected=f"real numbers of shape {self.x.shape}",
                actual=kind(self.result),
                counterexample={"x": f"shape {self.x.shape}"},
            )
        if not np.isfinite(values).all():
            fail("The rotated tensor contains numbers that are not finite (inf or nan).")
        return values


def as_floats(value: Any) -> Floats | None:
    """A float array as float64, or None when it is anything else."""
    if isinstance(value, np.ndarray) and np.issubdtype(value.dtype, np.floating):
        return value.astype(np.float64)
    return None


def kind(value: Any) -> str:
    """What a value is, in a few words."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} of shape {value.shape}"
    if isinstance(value, list):
        return f"several: {', '.join(kind(each) for each in value[:4])}"[:LONGEST_KIND]
    if isinstance(value, dict) and isinstance(value.get("type"), str):
        return f"a {value['type'][:40]}"
    return "nothing usable"


def tables(student: Student, sizes: Sequence[tuple[int, int]]) -> list[Any]:
    """The student's table of each size (dim, max_positions)."""
    return student.call(
        "rotary_tables", sizes=[list(size) for size in sizes], read=partial(_listed, len(sizes))
    )


def rotations(
    student: Student, xs: Sequence[Floats], lengths: Sequence[int] | None = None
) -> Mapping[str, Sequence[Rotated]]:
    """Each x rotated in turn, with tables of these lengths (those of x where not given).

    Under "own" with the student's tables, under "given" with the handout's values in the layout
    of the student's; under "module own" and "module given" as their module calls the function,
    where that differs from the handout ("module second …" is k, where it takes q and k). A way is
    left out where the student's code raises on it.
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
    """The reply, which must be a list of so many values."""
    if not isinstance(reply, list) or len(reply) != count:
        bad_reply()
    return reply


def one_way_holds(
    replies: Mapping[str, Sequence[Rotated]], claim: Callable[[Sequence[Rotated]], None]
) -> str:
    """Pass when `claim` holds with the student's own tables or with the handout's; say with which.

    So a wrong table costs its own checks and not those of the rotation, and a table of an unusual
    layout is judged by what the student's rotation makes of it.
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
    """Where two arrays of one shape first differ by more than a rotation may."""
    return next(at for at in np.ndindex(a.shape) if not is_close(a[at], b[at], "rotation"))


def normal(inputs: Inputs, purpose: str, *shape: int) -> Floats:
    """Random float32 numbers of size one; equal ones for one purpose and shape."""
    return inputs.generator(purpose, shape).standard_normal(shape).astype(np.float32)


def bad_reply() -> NoReturn:
    """Give up on a reply that is not what the adapters send."""
    raise BadReply("What your code answered could not be read.")
