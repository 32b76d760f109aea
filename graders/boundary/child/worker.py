"""Answer requests in the child, one after the other.

    import torch -> take the channel -> limits -> our modules -> hello -> the student's folder
          -> for each request: seed, call, reply (a value, an error, or where it ran out of time)

The channel is descriptor 0 at the start; it moves to another descriptor before any student code
runs, and 0 becomes empty input. The student's output goes to the parent unchanged.
"""

import builtins
import contextlib
import importlib
import io
import os
import platform
import random
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import numpy as np
import numpy.lib._datasource as datasource
import numpy.random  # numpy loads it on first use, which each child would pay for
import torch

from graders.boundary import wire

RECEIVE_BYTES = 2**18
NUMPY_FLOATS = (torch.float16, torch.float32, torch.float64)
MAX_TEXT = 2000  # characters of an exception's message
UNAVAILABLE = "graders.adapting.unavailable"  # recognizes resources that the sandbox lacks


@dataclass(frozen=True, slots=True)
class Order:
    """This child's paths, its seed, and the modules that answer requests."""

    runtime: str
    code: str
    seed: int
    packages: list[str]
    modules: list[str]


class Channel:
    """Frames from and to the parent."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._reader = wire.FrameReader()

    def receive(self) -> Any:
        """Return the next message; end the process if the parent has hung up."""
        while (frame := self._reader.take()) is None:
            data = self._socket.recv(RECEIVE_BYTES)
            if not data:
                os._exit(0)
            self._reader.feed(data)
        return wire.decode(frame)

    def send(self, frame: bytes) -> None:
        """Send one frame."""
        self._socket.sendall(frame)


def work(order: Order, settle: Callable[[], None] | None) -> None:
    """Serve requests until the parent hangs up."""
    channel = Channel(_take_socket())
    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    # Some CPUs multiply in bfloat16 at "medium", too coarse to tell a mistake from rounding, and
    # a second number of threads raises an error.
    for name in ("set_float32_matmul_precision", "set_num_threads", "set_num_interop_threads"):
        setattr(torch, name, _ignore)
    if settle is not None:
        settle()
    modules = _import_modules(order)
    channel.send(wire.encode({"hello": _versions()}))
    _open_student_side(order)
    while True:
        request = channel.receive()
        _tell_when_time_is_up(channel, request, order.code)
        reply = _answer(request, order, modules)
        _set_timer(0)  # the handler must not send in the middle of the reply
        channel.send(reply)
        del request, reply


def _ignore(_setting: object) -> None:
    """Stand in for settings of torch that only change speed or rounding."""


def _take_socket() -> socket.socket:
    """Return the channel, moved to another descriptor; standard input becomes empty."""
    if sys.platform == "win32":
        return socket.fromshare(bytes.fromhex(sys.stdin.readline()))
    connection = socket.socket(fileno=os.dup(0))
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    return connection


def _versions() -> wire.Value:
    return {
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "numpy": str(np.__version__),
    }


def _import_modules(order: Order) -> dict[str, ModuleType]:
    """Import the modules that answer, while no student file can replace one of our modules."""
    runtime = Path(order.runtime)
    shared = runtime / "graders" / "adapting" / "standins"
    standins = [str(runtime / "standins"), str(shared)]
    outside = [path for path in sys.path if path != order.runtime]
    packages = [package for package in order.packages if package not in outside]
    sys.modules["graders"].__path__ = [str(Path(order.runtime) / "graders")]
    sys.path[:] = [order.runtime, *outside, *packages, *standins]
    return {name: importlib.import_module(name) for name in order.modules}


def _open_student_side(order: Order) -> None:
    """Make imports find the student's modules first, and unload `graders.boundary`."""
    sys.path.remove(order.runtime)
    sys.path[:] = [order.code, *sys.path, order.runtime]
    sys.argv[:] = [""]
    for name in [module for module in sys.modules if module.startswith("graders.boundary")]:
        del sys.modules[name]
    delattr(sys.modules["graders"], "boundary")
    sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in repr(finder)]
    _find_own_files(order.code)


def _find_own_files(code: str) -> None:
    """Let the student's code find its own files by relative paths, to read them.

    Students run their code in the folder where these paths start; here it runs in another one.
    Removing such a file succeeds but does nothing.
    """
    builtins.open = io.open = _opening(builtins.open, code)  # pathlib takes it from io
    datasource.open = _opening(datasource.open, code)  # np.loadtxt, np.genfromtxt
    os.stat = _finding(os.stat, code, os.stat)  # os.path.exists, Path.exists
    os.remove = os.unlink = _finding(os.remove, code, lambda *_, **__: None)


def _opening(original: Callable[..., Any], code: str) -> Callable[..., Any]:
    """Return an `open` that also finds the student's own files."""

    def open_own(file: Any, mode: Any = "r", *values: Any, **named: Any) -> Any:
        try:
            return original(file, mode, *values, **named)
        except FileNotFoundError:
            own_file = _own_file(file, code)
            if own_file is None or mode not in ("r", "rt", "rb"):
                raise
        return original(own_file, mode, *values, **named)

    return open_own


def _finding(
    original: Callable[..., Any], code: str, fallback: Callable[..., Any]
) -> Callable[..., Any]:
    """Return a function of a path that calls `fallback` if only the student's own file is there."""

    def find(path: Any, *, dir_fd: int | None = None, **named: Any) -> Any:
        try:
            return original(path, dir_fd=dir_fd, **named)
        except FileNotFoundError:
            own_file = _own_file(path, code)
            if own_file is None or dir_fd is not None:
                raise
        return fallback(own_file, **named)

    return find


def _own_file(path: Any, code: str) -> str | None:
    """Return the file of this path from the folder of the student's calling file, or one above."""
    frame = _student_frame(sys._getframe(2), code)
    if frame is None or not isinstance(path, str | os.PathLike) or os.path.isabs(path):
        return None
    folders = [
        parent for parent in Path(frame.f_code.co_filename).parents if parent.is_relative_to(code)
    ]
    files = (os.path.join(folder, path) for folder in folders)
    return next((file for file in files if os.path.isfile(file)), None)


def _student_frame(frame: FrameType | None, code: str) -> FrameType | None:
    """Return this frame or the first of its callers that runs a student's file."""
    while frame is not None and not frame.f_code.co_filename.startswith(code + os.sep):
        frame = frame.f_back
    return frame


# ---------------------------------------------------------------- one request


def _tell_when_time_is_up(channel: Channel, request: Any, code: str) -> None:
    """Send where the student's code is when the time for this request is used up.

    The parent then ends this process. Code that never returns to Python, or that uses this signal
    itself, is ended without telling.
    """
    number, end = request["id"], time.monotonic() + request["seconds"]

    def tell(_signal: int, frame: FrameType | None) -> None:
        if time.monotonic() < end:  # the code has set this signal's timer itself
            return
        with contextlib.suppress(Exception):  # nothing may surface in the student's code
            own = _student_frame(frame, code)
            where = _place(own.f_code.co_filename, own.f_lineno, code) if own is not None else ""
            error: wire.Value = {"outcome": "timed_out", "where": where}
            channel.send(wire.encode({"id": number, "error": error}))

    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, tell)
        _set_timer(request["seconds"])


def _set_timer(seconds: float) -> None:
    """Send this process SIGALRM after so many seconds; 0 cancels it."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _answer(request: Any, order: Order, modules: Mapping[str, ModuleType]) -> bytes:
    """Return the reply to one request, whatever the code does except ending the process."""
    number, values = request["id"], request["values"]
    try:
        _seed(values.pop("seed", order.seed))
        value = getattr(modules[request["module"]], request["function"])(**values)
    except BaseException as error:  # noqa: BLE001  SystemExit is an answer, too
        return wire.encode({"id": number, "error": _describe(error, order.code)})
    finally:
        _flush()
    try:
        return wire.encode({"id": number, "value": _to_value(value, 0)})
    except Exception as error:  # noqa: BLE001  objects of the student's may raise anything
        outcome = "out_of_memory" if _is_memory(error) else "unsendable"
        return wire.encode({"id": number, "error": {"outcome": outcome, "message": _text(error)}})


def _seed(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed % 2**32)
    if os.environ.get("CUDA_VISIBLE_DEVICES"):
        torch.manual_seed(seed)
    else:  # the same, without queueing seeds for devices that do not exist
        torch.default_generator.manual_seed(seed)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:  # noqa: BLE001, S112  the student may have replaced or closed it
            continue


def _to_value(value: Any, depth: int) -> Any:
    """Return the value with tensors as arrays and numpy scalars as numbers."""
    if depth > wire.MAX_DEPTH:
        raise wire.WireError("the value is nested too deeply")
    if isinstance(value, torch.Tensor):
        return _to_array(value)
    if isinstance(value, np.generic):
        return np.asarray(value) if isinstance(value, np.complexfloating) else value.item()
    if isinstance(value, list | tuple):
        return [_to_value(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return {key: _to_value(item, depth + 1) for key, item in value.items()}
    return value


def _to_array(tensor: torch.Tensor) -> Any:
    plain = tensor.detach().cpu()
    if plain.is_quantized:
        plain = plain.dequantize()
    if plain.layout is not torch.strided:
        plain = plain.to_dense()
    if plain.is_floating_point() and plain.dtype not in NUMPY_FLOATS:
        plain = plain.to(torch.float32)  # bfloat16 and the 8-bit floats fit into it
    return plain.resolve_conj().resolve_neg().contiguous().numpy()


# ---------------------------------------------------------------- what went wrong


def _describe(error: BaseException, code: str) -> dict[str, wire.Value]:
    """Describe the error and its place in the student's files, never a line of our code."""
    try:
        frames = [
            frame
            for frame in traceback.extract_tb(error.__traceback__)
            if frame.filename.startswith(code + os.sep)
        ]
        where, source = _location(error, frames, code)
        _print_traceback(error, frames)
        ours = _unavailable(error)
    except BaseException:  # noqa: BLE001  an exception object can be hostile, too
        where, source, ours = "", "", None
    if ours is not None:
        return {"outcome": "unavailable", "message": _text(ours), "where": where}
    outcome = "raised"
    if isinstance(error, SystemExit):
        outcome = "exited"
    elif _is_memory(error):
        outcome = "out_of_memory"
    return {
        "outcome": outcome,
        "kind": type(error).__name__,
        "message": _text(error),
        "where": where,
        "source": source,
    }


def _unavailable(error: BaseException) -> BaseException | None:
    """Return the error about something that the sandbox lacks, if it caused this error."""
    module: Any = sys.modules.get(UNAVAILABLE)
    cause: BaseException | None = None if module is None else module.cause_of(error)
    return cause


def _location(
    error: BaseException, frames: list[traceback.FrameSummary], code: str
) -> tuple[str, str]:
    """Return file and line of the student's last frame or syntax error, and the source line."""
    name, line, source = "", None, ""
    if frames:
        name, line, source = frames[-1].filename, frames[-1].lineno, frames[-1].line or ""
    if isinstance(error, SyntaxError) and str(error.filename).startswith(code + os.sep):
        name, line, source = str(error.filename), error.lineno, error.text or ""
    if not name:
        return "", ""
    return _place(name, line, code), source.strip()[:200]


def _place(name: str, line: int | None, code: str) -> str:
    return f"{Path(name).relative_to(code)}, line {line}"


def _print_traceback(error: BaseException, frames: list[traceback.FrameSummary]) -> None:
    if frames:
        lines = traceback.format_list(frames) + traceback.format_exception_only(error)
        os.write(2, "".join(lines).encode("utf-8", "replace")[-4 * MAX_TEXT :])


def _is_memory(error: BaseException) -> bool:
    return isinstance(error, MemoryError) or "can't allocate memory" in _text(error)


def _text(error: BaseException) -> str:
    try:
        return str(error)[:MAX_TEXT]
    except BaseException:  # noqa: BLE001  its __str__ is the student's
        return ""
