"""STUDENT side: call the rotary functions as the handout does and as the student's module does.

    direct    apply_rotary_emb(x, table)              the handout's call
    module    attention(h) --> apply_rotary_emb(q, …)  the first call is caught, and x is sent
                                                       through it in place of q

The second way is used only if the student's module calls a function differently from the
handout. Nothing is graded here.
"""

import contextlib
import inspect
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import permutations
from types import ModuleType
from typing import Any

import numpy as np
import torch

from graders.adapting.devices import on_cpu

from ..student_side import modules, student_module
from .student_attention import attentions, plain

PRECOMPUTE, APPLY = "precompute_rotary_emb", "apply_rotary_emb"
# A size that allows the length to identify every axis and every product of two.
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


# ---------------------------------------------------------------- the functions the checks call


@on_cpu()
def rotary_tables(sizes: list[list[int]]) -> list[Any]:
    """Return the student's table for each (dim, max_positions), computed in this order."""
    if _asks_otherwise(student_module("attention")):
        return [plain(_tables_made(dim, 1, positions)[0][2]) for dim, positions in sizes]
    precompute = _function(PRECOMPUTE)
    return [plain(precompute(dim, positions)) for dim, positions in sizes]


@on_cpu()
def rotate(calls: list[dict[str, Any]]) -> dict[str, Any]:
    """Rotate each x in turn, with the student's own tables and then with the given ones.

    A call is {x, table, positions}; table is one array or a list of them. Each is called
    directly, and as the module calls it if that differs. Ways that raise are omitted.
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


@on_cpu()
def rotary_form() -> dict[str, Any]:
    """Return how the student's module calls the functions, if that differs from the handout."""
    form = _form(student_module("attention"))
    return {
        "x": "" if form is None or form.is_the_handout_s else form.says,
        "table": _asks_otherwise(student_module("attention")),
    }


@on_cpu()
def rotate_without_table(x: np.ndarray[Any, Any], positions: int) -> Any:
    """Rotate x with the student's own table, all its numbers set to 0."""
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
    """Return the given table as the student's functions expect it: a tensor, or a tuple of them."""
    if isinstance(table, list):
        return tuple(torch.from_numpy(array).clone() for array in table)
    return torch.from_numpy(table).clone()


def _function(name: str) -> Callable[..., Any]:
    """Return the student's function, even if it is a method of the attention module."""
    attention = student_module("attention")
    module = getattr(attention, "CausalSelfAttention", None)
    inside: Callable[..., Any] | None = getattr(module, name, None)
    if not hasattr(attention, name) and inside is not None:
        return inside
    function: Callable[..., Any] = getattr(attention, name)
    return function


# ---------------------------------------------------------------- as the module calls it


class _Caught(Exception):
    """Raised instead of calling the student's function, with the arguments."""

    def __init__(self, function: Callable[..., Any], args: Any, kwargs: Any) -> None:
        super().__init__("caught")
        self.function, self.args, self.kwargs = function, args, kwargs


@dataclass(frozen=True, slots=True)
class _Form:
    """The module's call of apply_rotary_emb: the arguments that are x, the axes of x and result."""

    places: tuple[int | str, ...]
    axes: Axes
    result: Axes
    arguments: int

    @property
    def is_the_handout_s(self) -> bool:
        """Return whether the call is apply_rotary_emb(x, table), x (B, n_head, T, head size)."""
        return (
            self.places in ((0,), ("x",))
            and self.axes == self.result == HANDOUT
            and self.arguments == 2
        )

    @property
    def says(self) -> str:
        """Describe the call in words."""
        names = {"B": "B", "H": "n_head", "T": "T", "d": "head size", "BH": "B * n_head"}
        shape = ", ".join(names[axis] for axis in self.axes)
        which = "q and k, each" if len(self.places) > 1 else "x"
        count = self.arguments - len(self.places)
        more = {0: "nothing else", 1: "one other argument"}.get(count, f"{count} other arguments")
        return f"{which} of shape ({shape}) and {more}"

    def rotated(
        self, number: int, x: Any, table: Any, positions: int, *, given: bool
    ) -> dict[str, Any]:
        """Rotate x with the module's own call and return result `number`."""
        x = torch.from_numpy(x)
        sizes = dict(zip("BHTd", x.shape, strict=True))
        caught = _catch(sizes, positions, _tensors(table) if given else None)
        arguments = [argument for argument in _arguments(caught) if argument[0] not in self.places]
        tensors = [value for _, value in arguments if isinstance(value, torch.Tensor)]
        before = plain(tensors[0]) if tensors else None
        result, x_after = None, torch.empty_like(x)
        for at in self._slices(sizes):
            part = _arranged(x[at], self.axes)
            output = self._call(caught, part, number)
            result = torch.empty(x.shape, dtype=output.dtype) if result is None else result
            result[at] = _restored(output.detach(), self.result, sizes)
            x_after[at] = _restored(part, self.axes, sizes)
        return {
            "result": plain(result),
            "x_after": plain(x_after),
            "table_before": before,
            "table_after": plain(tensors[0]) if tensors else None,
        }

    def _call(self, caught: _Caught, part: torch.Tensor, number: int) -> torch.Tensor:
        args, kwargs = list(caught.args), dict(caught.kwargs)
        for index, place in enumerate(self.places):
            value = part if index == number else part.clone()
            if isinstance(place, int):
                args[place] = value
            else:
                kwargs[place] = value
        output = caught.function(*args, **kwargs)
        rotated: torch.Tensor = output[number] if isinstance(output, tuple | list) else output
        return rotated

    def _slices(self, sizes: Sizes) -> Iterator[tuple[Any, ...]]:
        """Yield the index in x of each call's input."""
        letters = "".join(self.axes)
        every = [range(sizes[axis]) if axis not in letters else [slice(None)] for axis in "BH"]
        return ((b, h) for b in every[0] for h in every[1])


@cache
def _form(attention: ModuleType) -> _Form | None:
    """Return how the student's module calls apply_rotary_emb; None if it does not or cannot."""
    try:
        caught = _catch(PROBE, BLOCK, None)
        arguments = _arguments(caught)
        axes_at = {place: axes for place, value in arguments if (axes := _axes_of(value, PROBE))}
        places, axes = tuple(axes_at), next(iter(axes_at.values()))
        output = caught.function(*caught.args, **caught.kwargs)
        result = _axes_of(output[0] if isinstance(output, tuple | list) else output, PROBE)
    except Exception:  # noqa: BLE001  other checks report what is wrong with the module
        return None
    return _Form(places, axes, result, len(arguments)) if result is not None else None


def _catch(sizes: Sizes, block_size: int, table: Any) -> _Caught:
    """Return the first call of apply_rotary_emb in a module of this size with the given table."""
    size = {"n_embd": sizes["H"] * sizes["d"], "n_head": sizes["H"], "block_size": block_size}
    hidden = torch.randn(sizes["B"], sizes["T"], size["n_embd"])

    def giving(original: Any) -> Any:
        return lambda *args, **kwargs: table

    def catching(original: Any) -> Any:
        def catch(*args: Any, **kwargs: Any) -> Any:
            raise _Caught(original, args, kwargs)

        return catch

    replacement = contextlib.nullcontext() if table is None else _replaced(PRECOMPUTE, giving)
    with replacement, _replaced(APPLY, catching):
        module = attentions(size, rope=True)[0]
        try:
            module(hidden)
        except _Caught as caught:
            return caught
    raise LookupError("the module does not call apply_rotary_emb")


def _arguments(caught: _Caught) -> list[tuple[int | str, Any]]:
    """Return the arguments of a call, without the object of a method."""
    arguments: list[tuple[int | str, Any]] = [*enumerate(caught.args), *caught.kwargs.items()]
    return [(place, value) for place, value in arguments if not isinstance(value, torch.nn.Module)]


def _axes_of(value: Any, sizes: Sizes) -> Axes | None:
    """Return which axes of queries a tensor has, by their lengths; None if there is no match."""
    if not isinstance(value, torch.Tensor) or not value.is_floating_point():
        return None
    return next((axes for axes in AXES if tuple(value.shape) == _shape(axes, sizes)), None)


def _shape(axes: Axes, sizes: Sizes) -> tuple[int, ...]:
    return tuple(int(np.prod([sizes[letter] for letter in axis])) for axis in axes)


def _arranged(part: torch.Tensor, axes: Axes) -> torch.Tensor:
    """Convert a part of x from the usual order of axes to these axes."""
    letters = "".join(axes)
    present = [letter for letter in "BHTd" if letter in letters]
    moved = part.permute([present.index(letter) for letter in letters])
    sizes = dict(zip(present, part.shape, strict=True))
    return moved.reshape(_shape(axes, sizes)).clone(memory_format=torch.contiguous_format)


def _restored(output: torch.Tensor, axes: Axes, sizes: Sizes) -> torch.Tensor:
    """Convert a tensor with these axes back to the usual order of axes."""
    letters = "".join(axes)
    apart = output.reshape([sizes[letter] for letter in letters])
    return apart.permute([letters.index(letter) for letter in "BHTd" if letter in letters])


# ---------------------------------------------------------------- tables as the module calls


@cache
def _asks_otherwise(attention: ModuleType) -> bool:
    """Return whether the module calls precompute_rotary_emb other than with (dim, positions)."""
    try:
        args, kwargs, _ = _tables_made(PROBE["d"], PROBE["H"], BLOCK)[0]
    except Exception:  # noqa: BLE001  without a module, call the functions as the handout does
        return False
    usual: tuple[set[str], ...] = ({"dim", "max_positions"}, {"max_positions"}, set())
    method = any(isinstance(argument, torch.nn.Module) for argument in args)
    return method or set(kwargs) not in usual or args[:2] == (BLOCK, PROBE["d"]) or len(args) > 2


def _tables_made(dim: int, n_head: int, positions: int) -> list[tuple[Any, Any, Any]]:
    """Return the module's calls of precompute_rotary_emb, each with args, kwargs and its table."""
    calls: list[tuple[Any, Any, Any]] = []

    def recording(original: Callable[..., Any]) -> Callable[..., Any]:
        def record(*args: Any, **kwargs: Any) -> Any:
            calls.append((args, kwargs, original(*args, **kwargs)))
            return calls[-1][2]

        return record

    with _replaced(PRECOMPUTE, recording):
        attentions({"n_embd": n_head * dim, "n_head": n_head, "block_size": positions}, rope=True)
    return calls


# ---------------------------------------------------------------- replacing functions


@contextlib.contextmanager
def _replaced(name: str, make: Callable[[Any], Any]) -> Iterator[None]:
    """Temporarily replace each of the student's functions of this name."""
    holders = list(_holders(name))
    if not holders:
        raise LookupError(name)
    try:
        for holder, original in holders:
            is_static = isinstance(original, staticmethod)
            replacement = make(original.__func__ if is_static else original)
            setattr(holder, name, staticmethod(replacement) if is_static else replacement)
        yield
    finally:
        for holder, original in holders:
            setattr(holder, name, original)


def _holders(name: str) -> Iterator[tuple[Any, Any]]:
    """Yield the student's modules and classes that have a function of this name, with it."""
    folders = (str(modules().main), os.path.dirname(student_module("attention").__file__ or ""))
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if not isinstance(file, str) or not file.startswith(folders):  # fast: most are elsewhere
            continue
        if os.path.dirname(file) in folders:
            kinds = [value for value in vars(module).values() if isinstance(value, type)]
            classes = (kind for kind in kinds if kind.__module__ == module.__name__)
            for holder in (module, *classes):
                if name in vars(holder):
                    yield holder, inspect.getattr_static(holder, name)
