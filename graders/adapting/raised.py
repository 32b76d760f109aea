"""Describe an exception of student code as the worker does, for calls that continue after it."""

import ast
import linecache
import os
import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from graders.adapting.unavailable import cause_of

MAX_TEXT = 500  # characters of a message
ENVIRONMENT = type(os.environ).__getitem__.__code__.co_filename  # Python may freeze `os`
GPU = ("CUDA", "cuda", "NVIDIA", "nvidia")


def described(error: BaseException, folder: Path) -> dict[str, Any]:
    """Return kind and message of an exception, and its last place in the student's files.

    `elsewhere` says that it may not occur on the student's own machine.
    """
    where, source = _place(error, folder)
    ours = cause_of(error)
    outcome = "exited" if isinstance(error, SystemExit) else "raised"
    return {
        "elsewhere": is_of_this_machine(error),
        "outcome": outcome if ours is None else "unavailable",
        "kind": type(error).__name__,
        "message": text_of(error if ours is None else ours),
        "where": where,
        "source": source,
    }


def is_unwritten(error: BaseException, folder: Path) -> bool:
    """Return whether the student's own code raised NotImplementedError, as starters do.

    torch raises the same class if an operation does not exist on a device.
    """
    frames = traceback.extract_tb(error.__traceback__)
    in_own_code = bool(frames) and frames[-1].filename.startswith(f"{folder}/")
    return isinstance(error, NotImplementedError) and in_own_code


def is_of_this_machine(error: BaseException) -> bool:
    """Return whether the cause is a missing file, library, variable, network or GPU.

    An attribute that one of our stand-ins lacks counts, too.
    """
    if isinstance(error, OSError | ImportError | EOFError) or cause_of(error) is not None:
        return True
    if isinstance(error, AttributeError) and _is_stand_in(error.obj):
        return True
    frames = traceback.extract_tb(error.__traceback__)
    if isinstance(error, KeyError) and frames and frames[-1].filename == ENVIRONMENT:
        return True  # os.environ["SLURM_JOB_ID"]
    return any(word in text_of(error) for word in GPU)


def _is_stand_in(value: object) -> bool:
    return type(value).__module__.startswith(("graders.adapting.", "graders.assignment."))


def is_raised_inside(error: BaseException, loops: Iterable[tuple[str, ast.stmt]]) -> bool:
    """Return whether it was raised in one of these statements, each given with its file name."""
    lines = {(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)}
    return any(
        (name, line) in lines
        for name, node in loops
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    )


def _place(error: BaseException, folder: Path) -> tuple[str, str]:
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename.startswith(f"{folder}/")
    ]
    if isinstance(error, SyntaxError) and str(error.filename).startswith(f"{folder}/"):
        name, line = str(error.filename), error.lineno or 1
    elif frames:
        name, line = frames[-1].filename, frames[-1].lineno or 1
    else:
        return "", ""
    where = f"{name.removeprefix(f'{folder}/')}, line {line}"
    return where, linecache.getline(name, line).strip()[:MAX_TEXT]


def text_of(error: BaseException, most: int = MAX_TEXT) -> str:
    """Return the beginning of an exception's message, which may itself raise."""
    try:
        return str(error)[:most]
    except Exception:  # noqa: BLE001  its __str__ is the student's
        return ""
