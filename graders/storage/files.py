"""Write files atomically, and let only one process at a time write into a results folder."""

import contextlib
import os
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from graders.errors import StorageError

LOCK = "store.lock"
UNFINISHED = re.compile(r"\.[0-9a-f]{32}\.tmp")


def write_whole(path: Path, content: bytes, *, remedy: str, durable: bool = False) -> Path:
    """Write a file atomically, and create its folder; on failure, keep the old file.

    Raises StorageError with the `remedy`. If `durable`, the content is on disk before the file
    gets its name, so a power failure never leaves it empty.
    """
    if path.is_dir():
        problem = f"{path}: cannot be written: it is a folder"
        raise StorageError(problem, "choose another file, or move the folder away")
    # A unique name: no two writers share it, and no reader looks for it.
    unfinished = path.parent / f".{uuid.uuid4().hex}.tmp"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with unfinished.open("wb") as file:
            file.write(content)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.replace(unfinished, path)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise StorageError(f"{path}: cannot be written: {reason}", remedy) from error
    finally:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)
    return path


def remove_file(path: Path) -> None:
    """Remove a file, if there is one. Raises StorageError if something else is in its place."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        remedy = "move what is there away, or change who may write it, and run the command again"
        raise StorageError(f"{path}: cannot be removed: {reason}", remedy) from error


@contextmanager
def only_writer(out: Path) -> Iterator[None]:
    """Lock `out` against other gradings during the block; the lock also ends with the process."""
    lock = _lock(out)
    try:
        _remove_unfinished(out)
        yield
    finally:
        os.close(lock)


def _lock(out: Path) -> int:
    import fcntl  # missing on Windows, where a student's own check needs no lock

    try:
        out.mkdir(parents=True, exist_ok=True)
        lock = os.open(out / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise StorageError(
            f"{out}: cannot be written: {error.strerror}", "choose another results folder"
        ) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(lock)
        remedy = "wait for it, or choose another results folder"
        raise StorageError(f"another grading into {out} is running", remedy) from error
    return lock


def _remove_unfinished(out: Path) -> None:
    """Remove the temporary files that a killed grading left."""
    for folder in (out, *(out / name for name in ("results", "gradescope", "reports"))):
        for file in folder.glob(".*.tmp"):
            if UNFINISHED.fullmatch(file.name):
                file.unlink(missing_ok=True)
