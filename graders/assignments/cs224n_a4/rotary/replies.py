"""Ask for the student's rotary functions, and read their replies as untrusted data.

Both functions may agree on a layout of their own (layouts.py): the student's rotation must then
give equation 3 with the handout's values in that layout.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from graders.boundary.student import Student
from graders.boundary.wire import Value
from graders.checks.compare import CheckFailed, Operation, as_floats, describe, fail, is_close
from graders.checks.inputs import Inputs
from graders.errors import StudentFault, StudentRaised
from graders.figures import Rotation as Figure

from .expected import Floats, Rotation, Table
from .layouts import CANDIDATES, HANDOUT, OPAQUE, ORDERS, Layout, Size

# The ways of calling, most informative first: as the student's module calls it, and with correct
# tables.
TELLING = ("module given", "module own", "given", "own")
MOST_WAYS = 20
SIZES: tuple[Size, ...] = ((6, 5), (8, 7))  # of tables that show the layout: all axes differ
LONGER: Size = (4, 160)  # more rows than the course's tables


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
                actual=describe(self.result),
                counterexample={"x": f"shape {self.x.shape}"},
            )
        if not np.isfinite(values).all():
            fail("The rotated tensor contains numbers that are not finite (inf or nan).")
        return values


Replies = Mapping[str, Sequence[Rotated]]  # by the way of calling


def tables(student: Student, sizes: Sequence[Size]) -> Mapping[Size, Any]:
    """Return the student's table of each size."""
    pairs: list[Value] = [list(size) for size in sizes]
    return student.call(
        "rotary_tables", sizes=pairs, read=lambda reply: dict(zip(sizes, reply, strict=True))
    )


def rotations(
    student: Student, xs: Sequence[Floats], lengths: Sequence[int] | None = None
) -> Replies:
    """Rotate each x in turn, with tables of these lengths (by default, those of x).

    "own" uses the student's tables, "given" the handout's values in the student's layout. "module
    own" and "module given" call the function as the student's module does, if that differs from
    the handout ("module second …" is k, if it takes q and k). Ways on which the student's code
    raises are omitted.
    """
    lengths = lengths or [x.shape[-2] for x in xs]
    return _rotations(student, xs, lengths, layout_of(student) or HANDOUT)


def _rotations(
    student: Student, xs: Sequence[Floats], lengths: Sequence[int], layout: Layout
) -> Replies:
    calls: list[Any] = [
        {
            "x": x,
            "table": layout.packed(Table().values(x.shape[-1], length).astype(np.float32)),
            "positions": length,
        }
        for x, length in zip(xs, lengths, strict=True)
    ]
    return student.call("rotate", calls=calls, read=partial(_rotated, xs))


def _rotated(xs: Sequence[Floats], reply: Any) -> Replies:
    names = ("result", "x_after", "table_before", "table_after")
    if not 0 < len(reply) <= MOST_WAYS:
        raise ValueError(f"{len(reply)} ways of calling")
    return {
        source: [
            Rotated(x, *(answer[name] for name in names))
            for x, answer in zip(xs, answers, strict=True)
        ]
        for source, answers in reply.items()
    }


def results(replies: Replies) -> Mapping[str, Floats]:
    """Return the result for the first x by each way of calling, if it is real numbers."""
    floats = {way: as_floats(answers[0].result) for way, answers in replies.items()}
    return {way: result for way, result in floats.items() if result is not None}


def one_way_holds(replies: Replies, claim: Callable[[Sequence[Rotated]], None]) -> str:
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
    telling = (problems[source] for source in TELLING if source in problems)
    raise next(telling, None) or next(iter(problems.values()))


def first_difference(a: Floats, b: Floats, kind: Operation = "rotation") -> tuple[int, ...]:
    """Return the first index at which two arrays of equal shape differ beyond the tolerance."""
    return next(at for at in np.ndindex(a.shape) if not is_close(a[at], b[at], kind))


def normal(inputs: Inputs, purpose: str, *shape: int) -> Floats:
    """Return standard normal float32 numbers, equal for equal purpose and shape."""
    return inputs.generator(purpose, shape).standard_normal(shape).astype(np.float32)


# ---------------------------------------------------------------- the layout of tables


def layout_of(student: Student) -> Layout | None:
    """Return the layout of the student's tables that their rotation uses too (cached).

    OPAQUE if the rotation works with the table but the layout is unknown; None if the two
    functions do not agree, and the table is not in the handout's layout.
    """
    try:
        return student.once("layout", lambda: _find(student), (StudentFault,))
    except StudentFault:  # a check reports it
        return HANDOUT


def agrees(student: Student, inputs: Inputs) -> bool:
    """Return whether the rotation gives equation 3 with the student's tables and uses them."""
    for number, (dim, length) in enumerate((LONGER, *SIZES)):
        x = inputs.generator("layouts", number).standard_normal((2, 3, length, dim))
        if not _is_rotated(_replies_in(student, x, HANDOUT), x, "own"):
            return False
    x = x.astype(np.float32)
    try:
        return not student.call(
            "rotate_without_table",
            x=x,
            positions=length,
            read=lambda empty: is_close(empty, Rotation()(x), "rotation"),
        )
    except StudentFault:
        return True


def _find(student: Student) -> Layout | None:
    replies = tables(student, SIZES)
    fitting = [
        layout
        for layout in CANDIDATES
        if all(layout.unpacked(table, size) is not None for size, table in replies.items())
    ]
    x = Inputs().generator("layout").standard_normal((2, 3, SIZES[0][1], SIZES[0][0]))
    for layout in fitting:
        answers = _replies_in(student, x, layout)
        # With sin for cos in both functions a wrong rotation looks correct: both must be there.
        agreed = layout.order == ORDERS[0] or _is_rotated(answers, x, "own")
        if _is_rotated(answers, x, "given") and agreed:
            return layout
    if agrees(student, Inputs()):
        return OPAQUE
    if HANDOUT in fitting:
        return HANDOUT
    # The rotation may be wrong too, but raise on every layout but that of the table.
    plain = [layout for layout in fitting if layout.order == ORDERS[0]]
    works = next((layout for layout in plain if _takes(student, x, layout)), None)
    return None if works is None or _takes(student, x, HANDOUT) else works


def _takes(student: Student, x: Floats, layout: Layout) -> bool:
    """Return whether the rotation accepts a given table in this layout."""
    return any(way.endswith("given") for way in _replies_in(student, x, layout))


def _replies_in(student: Student, x: Floats, layout: Layout) -> Replies:
    try:
        return _rotations(student, [x.astype(np.float32)], [x.shape[-2]], layout)
    except StudentRaised:
        return {}


def _is_rotated(replies: Replies, x: Floats, source: str) -> bool:
    """Return whether a way of calling with this table, own or given, gives equation 3."""
    return any(
        is_close(result, Rotation()(x), "rotation")
        for way, result in results(replies).items()
        if way.split()[-1:] == [source]
    )


# ---------------------------------------------------------------- figures

POSITIONS = 16
# (B, n_heads, T, head size): a vector whose features differ, at every position.
VECTOR = 1 + np.arange(32) * 7 % 11 / 11
ASKED = np.tile(VECTOR, (1, 1, POSITIONS, 1)).astype(np.float32)
SEEN, CLEAR = 0.05, 0.5  # radians: a barely visible and a clearly visible difference


def table_rotation(returned: Mapping[tuple[int, int], Floats]) -> Figure | None:
    """Return the angles of a table's first pair that clearly differs, over the first positions.

    Pairs that turn by more than half a circle are skipped, as they would be hard to read.
    """
    dim, length = max(returned, key=lambda size: size[1])
    if not np.isfinite(returned[dim, length]).all():
        return None
    slow = Table().angles(dim, length)[:POSITIONS].max(axis=0) < np.pi
    right, table = Table().values(dim, length)[:POSITIONS], returned[dim, length][:POSITIONS]
    expected, actual = _angles(right), _angles(table)
    apart = np.where(slow, np.abs(expected - actual).max(axis=0), 0.0)
    if apart.max() < SEEN:
        return None
    pair = int(np.flatnonzero(apart >= min(CLEAR, apart.max()))[0])
    return Figure(
        f"Rotation of pair {pair + 1} of {dim // 2} over positions (without full turns)",
        tuple(expected[:, pair].tolist()),
        tuple(actual[:, pair].tolist()),
    )


def applied_rotation(result: Floats) -> Figure | None:
    """Return the same for the rotated ASKED, or None if it has another shape.

    A rotated pair as a complex number, divided by the input pair, is cos tθ + i sin tθ.
    """
    if result.shape != ASKED.shape or not np.isfinite(result).all():
        return None
    T, dim = ASKED.shape[2:]
    before, after = (array[0, 0, :, ::2] + 1j * array[0, 0, :, 1::2] for array in (ASKED, result))
    turned = after / before
    return table_rotation({(dim, T): np.stack((turned.real, turned.imag), axis=-1)})


def _angles(table: Floats) -> Floats:
    """Return the angle of each entry (cos, sin), (positions, pairs)."""
    angles: Floats = np.unwrap(np.arctan2(table[..., 1], table[..., 0]), axis=0)
    return angles
