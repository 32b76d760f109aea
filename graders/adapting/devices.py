"""Give student code the CPU when it requests a GPU, because the sandbox may not have one.

Using `.to("cuda")` is not a mistake: starters do it, and so does code that was trained on a GPU.
`torch.cuda.is_available()` is unchanged.
"""

import contextlib
import warnings
from abc import ABCMeta
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from types import ModuleType
from typing import Any

import torch
from torch import Tensor, _streambase
from torch import device as Device
from torch.overrides import TorchFunctionMode

OTHERS = ("cuda", "mps", "xpu", "hip")
CPU = torch.device("cpu")


@contextlib.contextmanager
def on_cpu() -> Iterator[None]:
    """Replace GPUs by the CPU in this block; everything is restored afterwards."""
    replaced = [*_silenced(), *_wrapped()]
    before = [getattr(owner, name) for owner, name, _ in replaced]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # autocast and the scaler warn that there is no GPU
        try:
            for owner, name, instead in replaced:
                setattr(owner, name, instead)
            with _OnCpu():
                yield
        finally:
            for (owner, name, _), value in zip(replaced, before, strict=True):
                setattr(owner, name, value)


class _OnCpu(TorchFunctionMode):
    """Replace the devices in every call of torch."""

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Call `func` with the CPU in place of a GPU."""
        # Looked up on each call: checks patch these, and torch then passes the patched function.
        if func is Tensor.cuda or func is Tensor.pin_memory:
            return args[0]
        if func is Tensor.to and len(args) > 1:
            args = (args[0], place(args[1]), *args[2:])
        for argument in args:  # a plain loop, because student code makes millions of these calls
            if type(argument) is Device:
                args = tuple(map(_on_cpu, args))
                break
        if not kwargs:
            return func(*args)
        named = kwargs
        if "device" in named:
            named = {**named, "device": place(named["device"])}
        return func(*args, **named)


def place(device: Any) -> Any:
    """Return the CPU if this names a GPU, also by a bare number; return anything else unchanged."""
    if isinstance(device, int) and not isinstance(device, bool):
        return CPU
    if isinstance(device, str) and device.split(":")[0] in OTHERS:
        return CPU
    return _on_cpu(device)


def _on_cpu(value: Any) -> Any:
    return CPU if isinstance(value, torch.device) and value.type in OTHERS else value


# ---------------------------------------------------------------- calls that need a driver


class _Event:
    """A stand-in for a GPU's timing event, for which no time passes."""

    def __init__(self, *_values: Any, **_named: Any) -> None:
        """Accept the arguments of a real event."""

    def record(self, *_values: Any) -> None:
        """Do nothing."""

    def synchronize(self) -> None:
        """Do nothing."""

    def elapsed_time(self, _other: Any) -> float:
        """Return no elapsed time."""
        return 0.0


if isinstance(_streambase._EventBase, ABCMeta):  # torch 2.4 asserts it of torch.cuda.Event
    _streambase._EventBase.register(_Event)


class _AnyGenerator(type):
    """Create every generator on the CPU; `isinstance` treats it as torch's own class."""

    def __instancecheck__(cls, value: object) -> bool:
        """Return whether this is one of torch's generators."""
        return isinstance(value, torch._C.Generator)

    def __call__(cls, device: Any = None) -> torch.Generator:
        """Return a generator on the CPU."""
        return torch._C.Generator(device=CPU if device is None else place(device))


class _Generator(metaclass=_AnyGenerator):
    """The replacement for torch.Generator."""


def _answering(value: Any) -> Callable[..., Any]:
    """Return a new function that always returns this value; torch compares them by identity."""

    def answer(*_values: Any, **_named: Any) -> Any:
        """Return the value without a driver."""
        return value

    return answer


SILENT = (
    "synchronize", "empty_cache", "reset_peak_memory_stats", "reset_max_memory_allocated",
    "set_device", "ipc_collect", "manual_seed", "manual_seed_all", "init",
    "reset_accumulated_memory_stats", "reset_max_memory_cached", "seed", "seed_all",
)  # fmt: skip
COUNTS = (
    "max_memory_allocated", "memory_allocated", "memory_reserved", "max_memory_reserved",
    "current_device",
)  # fmt: skip

TENSORS = tuple(
    f"{kind}Tensor" for kind in ("Float", "Double", "Half", "Long", "Int", "Bool", "Byte")
)


Replacement = tuple[Any, str, Any]  # module or class, name, and the new value


@cache
def _silenced() -> list[Replacement]:
    """Return the replacements that need nothing of what they replace."""
    table: list[Replacement] = []
    for module in (torch.cuda, torch.mps):
        table += _answers(module, SILENT, None)
        table += _answers(module, COUNTS, 0)
    table += _answers(torch.cuda, ("get_device_name",), "cpu")
    table += [(torch.cuda, name, getattr(torch, name)) for name in TENSORS]
    table.append((torch.cuda, "Event", _Event))
    table.append((torch, "Generator", _Generator))
    return table


def _wrapped() -> list[Replacement]:
    """Return the replacements that call what they replace."""
    return [
        (torch, "load", _loading(torch.load)),
        (torch, "set_default_device", _defaulting(torch.set_default_device)),
        (torch.nn.Module, "to", _moving(torch.nn.Module.to)),
    ]


def _answers(module: ModuleType, names: Sequence[str], value: Any) -> list[Replacement]:
    return [(module, name, _answering(value)) for name in names if hasattr(module, name)]


def _loading(load: Callable[..., Any]) -> Callable[..., Any]:
    def load_on_cpu(file: Any, map_location: Any = None, *values: Any, **named: Any) -> Any:
        """Load a file whose tensors may come from a GPU."""
        device = CPU if map_location is None else place(map_location)
        return load(file, device, *values, **named)

    return load_on_cpu


def _defaulting(set_default: Callable[[Any], None]) -> Callable[[Any], None]:
    def set_default_on_cpu(device: Any) -> None:
        """Make a device the default, never a GPU."""
        set_default(place(device))

    return set_default_on_cpu


def _moving(move: Callable[..., Any]) -> Callable[..., Any]:
    def move_on_cpu(module: torch.nn.Module, *values: Any, **named: Any) -> Any:
        """Move a module, never to a GPU."""
        places = [place(values[0]), *values[1:]] if values else []
        if "device" in named:
            named["device"] = place(named["device"])
        return move(module, *places, **named)

    return move_on_cpu
