"""Find the layout of a student's table, if both functions agree on a layout of their own.

    handout      [t, i] is cos tθ_i, sin tθ_i              (max_positions, dim/2, 2)
    complex      [t, i] is cos tθ_i + i sin tθ_i           (max_positions, dim/2)
    a pair       cos and sin, each                         (max_positions, dim/2), or twice as wide

They agree if the student's rotation gives equation 3 with the handout's values in that layout.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from graders.boundary.student import Student
from graders.boundary.wire import Value
from graders.checks.compare import is_close
from graders.checks.inputs import Inputs
from graders.errors import StudentFault, StudentRaised

from .expected import Floats, Rotation, Table

Size = tuple[int, int]  # dim, max_positions
SIZES: tuple[Size, ...] = ((6, 5), (8, 7))  # all axes differ


@dataclass(frozen=True, slots=True)
class Layout:
    """A way to write down cos and sin, each (max_positions, dim/2), as arrays and back."""

    says: str
    pack: Callable[[Floats, Floats], Any]
    unpack: Callable[[Any], tuple[Floats, Floats]]
    order: str = "cos, sin"
    extra_axes: tuple[int, ...] = ()

    def packed(self, values: Floats) -> Any:
        """Return the handout's table (max_positions, dim/2, 2) in this layout, as float32."""
        cos, sin = values[..., 0], values[..., 1]
        pairs = {"cos, sin": (cos, sin), "sin, cos": (sin, cos), "cos, -sin": (cos, -sin)}
        arrays = self.pack(*pairs[self.order])
        packed = [self._travelling(each) for each in _each(arrays)]
        return packed if isinstance(arrays, list) else packed[0]

    def _travelling(self, array: Any) -> Any:
        kind = np.complex64 if np.iscomplexobj(array) else np.float32
        return np.expand_dims(array, self.extra_axes).astype(kind)

    def unpacked(self, reply: Any, size: Size) -> Floats | None:
        """Return a student's table in the handout's layout, or None if it has another layout."""
        dim, length = size
        if not _is_small(_each(reply), MOST_COPIES * dim * length):
            return None
        try:
            arrays = [np.squeeze(each, self.extra_axes) for each in _each(reply)]
            first, second = self.unpack(arrays if isinstance(reply, list) else arrays[0])
            again = self.pack(first, second)
        except Exception:  # noqa: BLE001  another layout may raise anything here
            return None
        if first.shape != (length, dim // 2) or isinstance(again, list) != isinstance(reply, list):
            return None
        if not all(map(np.array_equal, arrays, _each(again))):
            return None
        if self.order == "sin, cos":
            first, second = second, first
        second = -second if self.order == "cos, -sin" else second
        return np.stack((first, second), axis=-1).astype(np.float64)


def _is_small(arrays: list[Any], most: int) -> bool:
    """Return whether these are few arrays, no larger than a table in any layout."""
    return len(arrays) <= MOST_COPIES and all(
        isinstance(each, np.ndarray) and each.size <= most for each in arrays
    )


def _each(arrays: Any) -> list[Any]:
    return arrays if isinstance(arrays, list) else [arrays]


def _real(array: Any) -> Floats:
    if not np.issubdtype(array.dtype, np.floating):
        raise TypeError
    return np.asarray(array)


def _complex(array: Any) -> Any:
    if not np.iscomplexobj(array):
        raise TypeError
    return array


def _along(axis: int) -> Callable[[Any], tuple[Floats, Floats]]:
    def split(array: Any) -> tuple[Floats, Floats]:
        first, second = np.moveaxis(_real(array), axis, 0)
        return first, second

    return split


def _pair(left: slice) -> Callable[[Any], tuple[Floats, Floats]]:
    """Return a reader for two arrays in which every angle appears twice."""
    return lambda arrays: (_real(arrays[0])[:, left], _real(arrays[1])[:, left])


def _halves(arrays: Any) -> tuple[Floats, Floats]:
    first, second = (_real(each)[:, : each.shape[1] // 2] for each in arrays)
    return first, second


def _twice(array: Floats) -> Floats:
    return np.repeat(array, 2, axis=-1)


def _tiled(array: Floats) -> Floats:
    return np.concatenate((array, array), axis=-1)


HANDOUT = Layout(
    "cos and sin along the last axis", lambda a, b: np.stack((a, b), axis=-1), _along(2)
)
OTHERS: tuple[Layout, ...] = (
    Layout("complex, of shape (max_positions, dim/2)", lambda a, b: a + 1j * b,
           lambda t: (_complex(t).real, _complex(t).imag)),
    Layout("cos and sin along the first axis", lambda a, b: np.stack((a, b)), _along(0)),
    Layout("cos and sin along the second axis", lambda a, b: np.stack((a, b), axis=1), _along(1)),
    Layout("cos and sin joined along the last axis",
           lambda a, b: np.concatenate((a, b), axis=-1),
           lambda t: (_real(t)[:, : t.shape[1] // 2], _real(t)[:, t.shape[1] // 2 :])),
    Layout("cos and sin alternating along the last axis",
           lambda a, b: np.stack((a, b), axis=-1).reshape(len(a), -1),
           lambda t: (_real(t)[:, ::2], _real(t)[:, 1::2])),
    Layout("positions along the second axis",
           lambda a, b: np.stack((a.T, b.T), axis=-1),
           lambda t: (_real(t)[..., 0].T, _real(t)[..., 1].T)),
    Layout("two tensors, cos and sin", lambda a, b: [a, b], lambda t: (_real(t[0]), _real(t[1]))),
    Layout("two tensors, cos and sin, with each angle twice",
           lambda a, b: [_twice(a), _twice(b)], _pair(slice(None, None, 2))),
    Layout("two tensors, cos and sin, each joined with itself",
           lambda a, b: [_tiled(a), _tiled(b)], _halves),
    Layout("cos and sin along the last axis, with each angle twice",
           lambda a, b: np.stack((_twice(a), _twice(b)), axis=-1),
           lambda t: (_real(t)[:, ::2, 0], _real(t)[:, ::2, 1])),
    Layout("cos and sin along the first axis, with each angle twice",
           lambda a, b: np.stack((_twice(a), _twice(b))),
           lambda t: (_real(t)[0][:, ::2], _real(t)[1][:, ::2])),
    Layout("cos and sin along the first axis, each joined with itself",
           lambda a, b: np.stack((_tiled(a), _tiled(b))), lambda t: _halves(list(t))),
    Layout("rotation matrices of shape (max_positions, dim/2, 2, 2)",
           lambda a, b: np.stack((np.stack((a, -b), -1), np.stack((b, a), -1)), -2),
           lambda t: (_real(t)[..., 0, 0], _real(t)[..., 1, 0])),
)  # fmt: skip
ORDERS = ("cos, sin", "sin, cos", "cos, -sin")
EXTRA_AXES: tuple[tuple[int, ...], ...] = ((), (0,), (0, 1), (0, 2), (1,))
MOST_COPIES = 4  # arrays per table, and copies of each number in them
OPAQUE = Layout("an unknown layout", HANDOUT.pack, HANDOUT.unpack)

_KNOWN: WeakKeyDictionary[Student, Layout | None] = WeakKeyDictionary()


def layout_of(student: Student) -> Layout | None:
    """Return the layout of the student's tables that their rotation uses too (cached).

    OPAQUE if the rotation works with the table but the layout is unknown; None if the two
    functions do not agree, and the table is not in the handout's layout.
    """
    if student not in _KNOWN:
        try:
            _KNOWN[student] = _find(student)
        except StudentFault:  # a check reports it
            _KNOWN[student] = HANDOUT
    return _KNOWN[student]


def agrees(student: Student, inputs: Inputs) -> bool:
    """Return whether the rotation gives equation 3 with the student's tables and uses them."""
    for number, (dim, length) in enumerate(SIZES):
        x = inputs.generator("layouts", number).standard_normal((2, 3, length, dim))
        if not _is_rotated(_asked(student, x, HANDOUT), x, "own"):
            return False
    x = x.astype(np.float32)
    try:
        return not student.call(
            "rotate_without_table",
            x=x,
            positions=length,
            read=lambda empty: _is_equation_three(empty, x),
        )
    except StudentFault:
        return True


def _find(student: Student) -> Layout | None:
    sizes: list[Value] = [list(size) for size in SIZES]
    fitting = student.call("rotary_tables", sizes=sizes, read=_fitting)
    x = Inputs().generator("layout").standard_normal((2, 3, SIZES[0][1], SIZES[0][0]))
    usual = HANDOUT in fitting
    for layout in fitting:
        replies = _asked(student, x, layout)
        # With sin for cos in both functions a wrong rotation looks correct: both must be there.
        agreed = layout.order == ORDERS[0] or _is_rotated(replies, x, "own")
        if _is_rotated(replies, x, "given") and agreed:
            return layout
    if agrees(student, Inputs()):
        return OPAQUE
    return HANDOUT if usual else _only_one_that_works(student, fitting, x)


def _fitting(tables: Any) -> list[Layout]:
    """Return the layouts that the tables may have; raise unless there is one table per size."""
    return [layout for layout in _candidates() if _fits(layout, tables)]


def _candidates() -> Iterator[Layout]:
    for order, axes, layout in product(ORDERS, EXTRA_AXES, (HANDOUT, *OTHERS)):
        yield replace(layout, order=order, extra_axes=axes)


def _fits(layout: Layout, tables: list[Any]) -> bool:
    return all(
        layout.unpacked(table, size) is not None for table, size in zip(tables, SIZES, strict=True)
    )


def _only_one_that_works(student: Student, fitting: list[Layout], x: Floats) -> Layout | None:
    """Return the layout of a table whose rotation is also wrong, but raises on other layouts."""
    plain = [layout for layout in fitting if layout.order == ORDERS[0]]
    works = [layout for layout in plain if _answers(student, x, layout)]
    return works[0] if works and not _answers(student, x, HANDOUT) else None


def _answers(student: Student, x: Floats, layout: Layout) -> bool:
    """Return whether the rotation accepts a given table in this layout."""
    return any(way.endswith("given") for way in _asked(student, x, layout))


def _asked(student: Student, x: Floats, layout: Layout) -> Mapping[str, Any]:
    """Return the result for x of each way of calling."""
    length, dim = x.shape[-2:]
    call: Any = {
        "x": x.astype(np.float32),
        "table": layout.packed(Table().values(dim, length)),
        "positions": length,
    }
    try:
        return student.call("rotate", calls=[call], read=_results)
    except StudentRaised:
        return {}


def _results(reply: Any) -> Mapping[str, Any]:
    """Return the single result of each way of calling."""
    return {way: answers[0]["result"] for way, answers in reply.items()}


def _is_rotated(replies: Mapping[str, Any], x: Floats, source: str) -> bool:
    """Return whether a way of calling with this table, own or given, gives equation 3."""
    found = [result for way, result in replies.items() if way.split()[-1:] == [source]]
    return any(_is_equation_three(result, x) for result in found)


def _is_equation_three(result: Any, x: Floats) -> bool:
    return isinstance(result, np.ndarray) and is_close(result, Rotation()(x), "rotation")
