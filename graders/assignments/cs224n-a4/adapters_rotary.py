"""STUDENT side: call the rotary functions, as the handout does and as their author does.

    direct    apply_rotary_emb(x, table)              the handout's call
    module    attention(h) --> apply_rotary_emb(q, …)  the first call is caught, and x is sent
                                                       through it in place of q

The second way is asked only where the student's module calls a function in another way than the
handout. Nothing is judged here.
"""

import contextlib
import inspect
import sys
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import permutations
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import torch
from adapters_attention import attentions, plain
from adapters_student import modules, student_module

PRECOMPUTE, APPLY = "precompute_rotary_emb", "apply_rotary_emb"
# A size in which every axis, and every product of two, is told by its length.
PROBE = {"B": 2, "H": 3, "T": 5, "d": 14}
BLOCK = 11

Sizes = dict[str, int]
Axes = tuple[str, ...]
HANDOUT: Axes = ("B", "H", "T", "d")
AXES: tuple[Axes, ...] = (
    *((*order, "d") for order in permutations(("B", "H", "T"))),
    *((*order, "d") for order in permutations(("BH", "T"))),
    *((*order, "d") for order in permutations(("B", "T"))),
    *((*order, "d") for order in permutations(("H", "T"))),
    ("T", "d"),
)


# ---------------------------------------------------------------- what the checks ask


def rotary_tables(sizes: list[list[int]]) -> list[Any]:
    """The student's table for each (dim, max_positions), asked for in this order."""
    if _asks_otherwise(student_module("attention")):
        return [plain(_table_of_module(dim, positions)) for dim, positions in sizes]
    precompute = _function(PRECOMPUTE)
    return [plain(precompute(dim, positions)) for dim, positions in sizes]


def rotate(calls: list[dict[str, Any]]) -> dict[str, Any]:
    """Each x rotated in turn, with the student's own tables and then with the given ones.

    A call is {x, table, positions}; table is one array or a list of them. Each way is asked
    directly, and as the module does it where that differs. The ways that raise are left out.
    """
    replies: dict[str, Any] = {}
    form = _form(student_module("attention"))
    ways: dict[str, Callable[..., Any]] = {"": _directly}
    if form is not None and not form.is_the_handout_s:
        for number in range(len(form.places)):  # with q and k together, both are rotated
            ways["module " + "second " * number] = partial(form.rotated, number)
    for name, ask in ways.items():
        for source in ("own", "given"):
            try:
                replies[name + source] = [ask(**call, given=source == "given") for call in calls]
            except Exception as error:  # noqa: BLE001  a table of another layout may raise anything
                problem = error
    if not replies:
        raise problem
    return replies


def rotary_form() -> dict[str, Any]:
    """How the student's module calls the functions, where that differs from the handout."""
    form = _form(student_module("attention"))
    return {
        "x": "" if form is None or form.is_the_handout_s else form.says,
        "table": _asks_otherwise(student_module("attention")),
    }


def rotate_without_table(x: np.ndarray[Any, Any], positions: int) -> Any:
    """What becomes of x when every number of the student's own table is 0."""
    table = _emptied(_function(PRECOMPUTE)(x.shape[-1], positions))
    return plain(_function(APPLY)(torch.from_numpy(x), table))


def _emptied(table: Any) -> Any:
    if isinstance(table, torch.Tensor):
        return torch.zeros_like(table)
    if isinstance(table, dict):
        return {name: _emptied(value) for name, value in table.items()}
    if isinstance(table, list | tuple):
        return type(table)([_emptied(value) for value in table])
    return table


# ---------------------------------------------------------------- directly


def _directly(x: Any, table: Any, positions: int, *, given: bool) -> dict[str, Any]:
    x = torch.from_numpy(x).clone()
    table = _tensors(table) if given else _function(PRECOMPUTE)(x.shape[-1], positions)
    before = plain(table.clone()) if isinstance(table, torch.Tensor) else None
    result = _function(APPLY)(x, table)
    return {
        "result": plain(result),
        "x_after": plain(x),
        "table_before": before,
        "table_after": plain(table) if before is not None else None,
    }


def _tensors(table: Any) -> Any:
    """The given table as the student's functions take it: a tensor, or a tuple of them."""
    if isinstance(table, list):
        return tuple(torch.from_numpy(each).clone() for each in table)
    return torch.from_numpy(table).clone()


def _function(name: str) -> Callable[..., Any]:
    """The student's function, also where it is a method of the attention module."""
    attention = student_module("attention")
    inside = getattr(getattr(attention, "CausalSelfAttention", None), name, None)
    if not hasattr(attention, name) and inside is not None:
        return inside
    return getattr(attention, name)


# ---------------------------------------------------------------- as the module calls it


class _Caught(Exception):
    """Raised in the place of the student's function, with what it was called with."""

    def __init__(self, function: Callable[..., Any], args: list[Any], kwargs: Any) -> None:
        super().__init__("caught")
        self.function, self.args, self.kwargs = function, args, kwargs


@dataclass(frozen=True, slots=True)
class _Form:
    """How a module calls apply_rotary_emb: which arguments are x, and the axes of x and result."""

    places: tuple[int | str, ...]
    axes: Axes
    result: Axes
    arguments: int

    @property
    def is_the_handout_s(self) -> bool:
        """Whether it is apply_rotary_emb(x, table) with x of shape (B, n_head, T, head size)."""
        return (
            self.places in ((0,), ("x",))
            and self.axes == self.result == HANDOUT
            and self.arguments == 2
        )

    @property
    def says(self) -> str:
        """The call in words."""
        names = {"B": "B", "H": "n_head", "T": "T", "d": "head size", "BH": "B * n_head"}
        shape = ", ".join(names[axis] for axis in self.axes)
        which = "q and k, each" if len(self.places) > 1 else "x"
        others = self.arguments - len(self.places)
        more = {0: "nothing else", 1: "one other argument"}.get(others, f"{others} other arguments")
        return f"{which} of shape ({shape}) and {more}"

    def rotated(
        self, number: int, x: Any, table: Any, positions: int, *, given: bool
    ) -> dict[str, Any]:
        """What becomes of x when the module's own call is made with it, in result `number`."""
        x = torch.from_numpy(x)
        sizes = dict(zip("BHTd", x.shape, strict=True))
        caught = _catch(sizes, positions, _tensors(table) if given else None)
        others = [each for each in _arguments(caught) if each[0] not in self.places]
        tensors = [value for _, value in others if isinstance(value, torch.Tensor)]
        before = plain(tensors[0]) if tensors else None
        result, x_after = None, torch.empty_like(x)
        for at in self._slices(sizes):
            part = _arranged(x[at], self.axes)
            came = self._call(caught, part, number)
            result = torch.empty(x.shape, dtype=came.dtype) if result is None else result
            result[at] = _restored(came.detach(), self.result, sizes)
            x_after[at] = _restored(part, self.axes, sizes)
        return {
            "result": plain(result),
            "x_after": plain(x_after),
            "table_before": before,
            "table_after": plain(tensors[0]) if tensors else None,
        }

    def _call(self, caught: _Caught, part: torch.Tensor, number: int) -> torch.Tensor:
        args, kwargs = list(caught.args), dict(caught.kwargs)
        for each, place in enumerate(self.places):
            value = part if each == number else part.clone()
            (args if isinstance(place, int) else kwargs)[place] = value  # type: ignore[index,call-overload]
        came = caught.function(*args, **kwargs)
        return came[number] if isinstance(came, tuple | list) else came

    def _slices(self, sizes: Sizes) -> Iterator[tuple[Any, ...]]:
        """Where to find in x what one call takes."""
        letters = "".join(self.axes)
        every = [range(sizes[axis]) if axis not in letters else [slice(None)] for axis in "BH"]
        return ((b, h) for b in every[0] for h in every[1])


@cache
def _form(attention: ModuleType) -> _Form | None:
    """How the student's module calls apply_rotary_emb; None where it does not, or unusably."""
    try:
        caught = _catch(PROBE, BLOCK, None)
        given = _arguments(caught)
        found = {place: axes for place, value in given if (axes := _axes_of(value, PROBE))}
        places, axes = tuple(found), next(iter(found.values()))
        came = caught.function(*caught.args, **caught.kwargs)
        result = _axes_of(came[0] if isinstance(came, tuple | list) else came, PROBE)
    except Exception:  # noqa: BLE001  other checks say what is wrong with the module
        return None
    return _Form(places, axes, result, len(given)) if result is not None else None


def _catch(sizes: Sizes, block_size: int, table: Any) -> _Caught:
    """The first call of apply_rotary_emb in a module of this size, which has the given table."""
    size = {"n_embd": sizes["H"] * sizes["d"], "n_head": sizes["H"], "block_size": block_size}
    hidden = torch.randn(sizes["B"], sizes["T"], size["n_embd"])
    made = contextlib.nullcontext() if table is None else _replaced(PRECOMPUTE, _giving(table))
    with made, _replaced(APPLY, _catching):
        module = attentions(size, rope=True)[0]
        try:
            module(hidden)
        except _Caught as caught:
            return caught
    raise LookupError("the module does not call apply_rotary_emb")


def _giving(table: Any) -> Callable[[Any], Any]:
    return lambda original: lambda *args, **kwargs: table


def _catching(original: Callable[..., Any]) -> Callable[..., Any]:
    def catch(*args: Any, **kwargs: Any) -> Any:
        raise _Caught(original, list(args), kwargs)

    return catch


def _arguments(caught: _Caught) -> list[tuple[int | str, Any]]:
    """What a call gives, without the object that a method is called on."""
    given: list[tuple[int | str, Any]] = [*enumerate(caught.args), *caught.kwargs.items()]
    return [(place, value) for place, value in given if not isinstance(value, torch.nn.Module)]


def _axes_of(value: Any, sizes: Sizes) -> Axes | None:
    """Which axes of queries a tensor has, told by their lengths; None where it is no such one."""
    if not isinstance(value, torch.Tensor) or not value.is_floating_point():
        return None
    return next((axes for axes in AXES if tuple(value.shape) == _shape(axes, sizes)), None)


def _shape(axes: Axes, sizes: Sizes) -> tuple[int, ...]:
    return tuple(int(np.prod([sizes[letter] for letter in axis])) for axis in axes)


def _arranged(part: torch.Tensor, axes: Axes) -> torch.Tensor:
    """A part of x, its axes in their usual order, as a tensor with these axes."""
    letters = "".join(axes)
    present = [letter for letter in "BHTd" if letter in letters]
    moved = part.permute([present.index(letter) for letter in letters])
    sizes = dict(zip(present, part.shape, strict=True))
    return moved.reshape(_shape(axes, sizes)).clone(memory_format=torch.contiguous_format)


def _restored(came: torch.Tensor, axes: Axes, sizes: Sizes) -> torch.Tensor:
    """A tensor with these axes, with the axes in their usual order."""
    letters = "".join(axes)
    apart = came.reshape([sizes[letter] for letter in letters])
    return apart.permute([letters.index(letter) for letter in "BHTd" if letter in letters])


# ---------------------------------------------------------------- tables as the module asks


@cache
def _asks_otherwise(attention: ModuleType) -> bool:
    """Whether the module calls precompute_rotary_emb in another way than with (dim, positions)."""
    asked: list[tuple[Any, Any]] = []

    def recording(original: Callable[..., Any]) -> Callable[..., Any]:
        def record(*args: Any, **kwargs: Any) -> Any:
            asked.append((args, kwargs))
            return original(*args, **kwargs)

        return record

    size = {"n_embd": PROBE["H"] * PROBE["d"], "n_head": PROBE["H"], "block_size": BLOCK}
    try:
        with _replaced(PRECOMPUTE, recording):
            attentions(size, rope=True)
        args, kwargs = asked[0]
    except Exception:  # noqa: BLE001  no module asks: the functions are asked as the handout does
        return False
    usual = ({"dim", "max_positions"}, {"max_positions"}, set())
    method = any(isinstance(each, torch.nn.Module) for each in args)
    return method or set(kwargs) not in usual or args[:2] == (BLOCK, PROBE["d"]) or len(args) > 2


def _table_of_module(dim: int, positions: int) -> Any:
    """What the module gets from precompute_rotary_emb for a head of this size."""
    made: list[Any] = []

    def keeping(original: Callable[..., Any]) -> Callable[..., Any]:
        def keep(*args: Any, **kwargs: Any) -> Any:
            made.append(original(*args, **kwargs))
            return made[-1]

        return keep

    with _replaced(PRECOMPUTE, keeping):
        attentions({"n_embd": dim, "n_head": 1, "block_size": positions}, rope=True)
    return made[0]


# ---------------------------------------------------------------- a function in its place


@contextlib.contextmanager
def _replaced(name: str, make: Callable[[Any], Any]) -> Iterator[None]:
    """Put another function in the place of each of the student's of this name, for a while."""
    found = list(_holders(name))
    if not found:
        raise LookupError(name)
    try:
        for holder, original in found:
            setattr(holder, name, _like(original, make))
        yield
    finally:
        for holder, original in found:
            setattr(holder, name, original)


def _holders(name: str) -> Iterator[tuple[Any, Any]]:
    """The student's modules and classes that have a function of this name, each with it."""
    folders = {modules().main, Path(student_module("attention").__file__ or "").parent}
    for module in list(sys.modules.values()):
        if isinstance(module, ModuleType) and _lies_in(module, folders):
            for holder in (module, *_classes(module)):
                if name in vars(holder):
                    yield holder, inspect.getattr_static(holder, name)


def _lies_in(module: ModuleType, folders: Container[Path]) -> bool:
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and Path(file).parent in folders


def _classes(module: ModuleType) -> Sequence[type]:
    own = [value for value in vars(module).values() if isinstance(value, type)]
    return [each for each in own if each.__module__ == module.__name__]


def _like(original: Any, make: Callable[[Any], Any]) -> Any:
    """A function made from this one, and a static method from a static method."""
    if isinstance(original, staticmethod):
        return staticmethod(make(original.__func__))
    return make(original)
