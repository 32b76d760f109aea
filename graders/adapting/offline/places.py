"""Let code save files to paths that exist only on the student's machine: `/scratch/me/best.pt`.

    a path whose folder is missing          the folder is created
    a path that cannot be written to here   the same path below the folder `kept`

Reading a moved path finds the file that was written. A file that was never written stays missing.
"""

import builtins
import functools
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

KEPT = "kept"  # in the current folder
WRITES = frozenset("wax")
_mkdir = os.mkdir


def install() -> None:
    """Redirect paths that cannot be written from now on."""
    import torch

    builtins.open = io.open = _opening(builtins.open)  # pathlib takes it from io
    os.mkdir = os.makedirs = Path.mkdir = make_folder  # type: ignore[assignment,method-assign]
    torch.save = _saving(torch.save)
    torch.load = _loading(torch.load)


def moved(path: Any) -> Any:
    """Return the path, or its replacement if it cannot be written to."""
    if not isinstance(path, str | os.PathLike):
        return path
    text = os.path.expanduser(os.fspath(path))
    if not isinstance(text, str):
        return text
    full = os.path.abspath(text)  # `../results` may also lie outside
    parent = Path(full).parent
    while not parent.exists():
        parent = parent.parent
    return text if os.access(parent, os.W_OK) else os.path.join(KEPT, full.lstrip("/\\"))


def make_folder(folder: Any, *_: Any, **__: Any) -> None:
    """Create a folder and its parents; it may exist already."""
    target = Path(moved(folder))
    for path in (*reversed(target.parents), target):
        if not path.exists():
            _mkdir(path)


def _writable(path: Any) -> Any:
    """Return where this file is written, after creating its folder."""
    target = moved(path)
    if isinstance(target, str):
        make_folder(Path(target).parent)
    return target


def _opening(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def open_there(file: Any, mode: Any = "r", *values: Any, **named: Any) -> Any:
        if isinstance(mode, str) and WRITES & set(mode):
            return original(_writable(file), mode, *values, **named)
        return original(_kept_or_itself(file), mode, *values, **named)

    return open_there


def _kept_or_itself(path: Any) -> Any:
    """Return where a file is read: its new place if it was moved, else the path itself."""
    if not isinstance(path, str | os.PathLike) or os.path.exists(path):
        return path
    place = moved(path)
    return place if os.path.exists(place) else path


def _saving(original: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(original)
    def save_there(obj: Any, f: Any, *values: Any, **named: Any) -> None:
        original(obj, _writable(f), *values, **named)

    return save_there


def _loading(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def load_there(f: Any, *values: Any, **named: Any) -> Any:
        return original(_kept_or_itself(f), *values, **named)

    return load_there
