"""Allow one writer per folder: refuse a second grading into the same DIR."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from graders.errors import StorageError

FILE = "store.lock"
UNFINISHED = re.compile(r"\.[0-9a-f]{32}\.tmp")  # the names that write_text gives


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
        lock = os.open(out / FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise StorageError(
            f"{out}: cannot be written: {error.strerror}", "choose another --out"
        ) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(lock)
        remedy = "wait for it, or choose another --out"
        raise StorageError(f"another grading into {out} is running", remedy) from error
    return lock


def _remove_unfinished(out: Path) -> None:
    """Remove the temporary files that a killed grading left."""
    for folder in (out, *(out / name for name in ("results", "gradescope", "reports"))):
        for file in folder.glob(".*.tmp"):
            if UNFINISHED.fullmatch(file.name):
                file.unlink(missing_ok=True)
