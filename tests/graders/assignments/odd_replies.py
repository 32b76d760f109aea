"""Replies of unexpected types and shapes, instead of those of the solution.

solution -> Replaying: each request made once, its reply kept as a frame
                | Mutation: one part of one function's replies is replaced
                v
wire -> checks -> a Result, in which nothing may be our own fault
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from graders.boundary import wire
from graders.boundary.student import Student

FAR = 2**63 - 1
DTYPES = [np.dtype(name) for name in sorted(wire.DTYPES | set(wire.COMPLEX))]
SHAPES = (
    (),
    (0,),
    (1,),
    (3,),
    (2, 2),
    (0, 9),
    (3, 2),
    (1, 5, 1),
    (2, 3, 4),
    (1, 2, 3, 4),
    (1,) * 7,
)
ODD_SHAPES = ((1,) * 7, (2**20, 0), (0,) * 5, (1, 10**5), (10**5, 1), (300, 300))
NUMBERS = (0.0, -0.0, 0.5, -7.5, 1e-320, 1e308, -1e308, float("nan"), float("inf"), float("-inf"))
WHOLE = (0, 1, -1, 2, 7, 128, 256, 2**31, FAR, -FAR - 1)
TEXTS = ("", "x", "\x00", "nan", "..", "/", "\n", "\ud800", "é", "type", "<b>")


def _nested(depth: int) -> list[Any]:
    return [_nested(depth - 1)] if depth else []


def _large(kind: str) -> Any:
    large = {"text": "a" * 10**5, "list": [None] * 1000, "lists": [[]] * 50}
    return {**large, "dicts": {"a": [{}] * 100}, "deep": _nested(14)}[kind]


def _arrays() -> st.SearchStrategy[Any]:
    drawn = arrays.arrays(st.sampled_from(DTYPES), arrays.array_shapes(min_dims=0, max_side=4))
    filled = st.builds(
        lambda shape, dtype, fill: np.full(shape, fill).astype(dtype),
        st.sampled_from((*SHAPES, *ODD_SHAPES)),
        st.sampled_from(DTYPES),
        st.sampled_from((0, 1, 5)),
    )
    odd = st.builds(np.full, st.sampled_from(SHAPES), st.sampled_from(NUMBERS))
    return drawn | filled | odd


def _leaves() -> st.SearchStrategy[Any]:
    numbers = st.sampled_from(NUMBERS) | st.floats() | st.sampled_from(WHOLE)
    return st.none() | st.booleans() | numbers | st.sampled_from(TEXTS) | st.text(max_size=5)


def values() -> st.SearchStrategy[Any]:
    """Any value that the wire carries."""
    names = st.sampled_from(("", "type", "value", "kind", "name", "answer")) | st.text(max_size=3)
    nested = st.recursive(
        _leaves() | _arrays(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
        max_leaves=6,
    )
    return nested | st.sampled_from(("text", "list", "lists", "dicts", "deep")).map(_large)


@dataclass(frozen=True)
class Mutation:
    """What becomes of one function's replies: the part at `path` is changed in the way `how`.

    Numbers of the path choose among the children that a value has; the rest of it is ignored.
    """

    path: tuple[int, ...]
    how: str
    value: Any

    def of(self, reply: Any) -> Any:
        """The changed reply, as it comes over the wire; the reply itself where none could come."""
        try:
            return wire.decode(wire.encode(self._changed(reply, self.path)))
        except wire.WireError:
            return reply

    def _changed(self, value: Any, path: tuple[int, ...]) -> Any:
        parts = value if isinstance(value, list | dict) else ()
        if not path or not parts:
            return CHANGES[self.how](value, self.value)
        keys = list(parts) if isinstance(parts, dict) else list(range(len(parts)))
        key = keys[path[0] % len(keys)]
        changed = dict(parts) if isinstance(parts, dict) else list(parts)
        changed[key] = self._changed(parts[key], path[1:])
        return changed


def mutations() -> st.SearchStrategy[Mutation]:
    """Any change of a reply: half of them replace a part by another value."""
    path = st.lists(st.integers(0, 40), max_size=6).map(tuple)
    how = st.just("replaced") | st.sampled_from(sorted(CHANGES))
    return st.builds(Mutation, path, how, values())


def _shortened(value: Any, _: Any) -> Any:
    if isinstance(value, dict):
        return dict(list(value.items())[:-1])
    return value[:-1] if isinstance(value, list | str) or np.ndim(value) else None


def _lengthened(value: Any, other: Any) -> Any:
    if isinstance(value, dict):
        return {**value, "more": other}
    if isinstance(value, list):
        return [*value, other]
    return np.concatenate((value, value)) if np.ndim(value) else [value, other]


def _renamed(value: Any, _: Any) -> Any:
    return (
        {f"{key}x": part for key, part in value.items()} if isinstance(value, dict) else str(value)
    )


def _retyped(value: Any, other: Any) -> Any:
    if isinstance(value, np.ndarray):
        with np.errstate(all="ignore"):
            return value.real.astype(DTYPES[len(str(other)) % len(DTYPES)])
    return {bool: int, int: float, float: str, str: len}.get(type(value), str)(value)


def _reshaped(value: Any, other: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return [value]
    shapes = [(-1,), (1, *value.shape), (*value.shape, 1), value.shape[::-1]]
    return value.reshape(shapes[len(str(other)) % len(shapes)])


def _emptied(value: Any, _: Any) -> Any:
    return value[:0] if np.ndim(value) else type(value)() if value is not None else []


def _filled(value: Any, other: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return other
    numbers = (*NUMBERS, *WHOLE)
    number = numbers[len(str(other)) % len(numbers)]
    with np.errstate(all="ignore"):
        return np.full(value.shape, number).astype(value.dtype)


def _multiplied(value: Any, other: Any) -> Any:
    """Much more of the same: what reads it must stay quick."""
    if isinstance(value, list):
        return (value or [other]) * (3000 // max(1, len(value)))
    if isinstance(value, dict):
        return {**value, **{f"{key}{n}": part for n in range(300) for key, part in value.items()}}
    if np.ndim(value):
        return np.concatenate([value] * min(300, 1 + 10**6 // max(1, value.size)))
    return value * 10**5 if isinstance(value, str) else FAR


CHANGES = {
    "replaced": lambda _, other: other,
    "reversed": lambda value, _: value[::-1] if isinstance(value, list) else np.transpose(value),
    "shortened": _shortened,
    "lengthened": _lengthened,
    "multiplied": _multiplied,
    "renamed": _renamed,
    "retyped": _retyped,
    "reshaped": _reshaped,
    "emptied": _emptied,
    "filled": _filled,
}


class Replaying(Student):
    """A student's process that answers as the solution did, but for one function.

    The frames are those of all processes of this class; where one is missing, the process is asked.
    """

    frames: ClassVar[dict[bytes, bytes]] = {}
    called: ClassVar[list[str]] = []
    mutated: str = ""
    mutation: Mutation | None = None

    def __init__(self, code: Any, side: Any, *values: Any, **named: Any) -> None:
        super().__init__(code, side, *values, **named)
        self._own = f"{side.folder} {side.kind} {code is None}"
        self._is_ours = side.kind == "oracle"  # nothing of a student's is in its process

    def _answer(self, function: str, values: dict[str, Any]) -> Any:
        question = wire.encode({"of": self._own, "asked": function, "values": values})
        if question not in self.frames:
            self.frames[question] = wire.encode(super()._answer(function, values))
        reply = wire.decode(self.frames[question])
        if self._is_ours:
            return reply
        self.called.append(function)
        if function != self.mutated or self.mutation is None:
            return reply
        return self.mutation.of(reply)
