"""Write files atomically, so that readers never see half a file."""

import contextlib
import os
import uuid
from pathlib import Path

from graders.errors import StorageError


def write_whole(path: Path, content: bytes, *, remedy: str, durable: bool = False) -> Path:
    """Write a file, and create its folder; raises StorageError on failure, keeping an older file.

    A durable file is on the disk before it gets its name, so a power cut never leaves it empty.
    """
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
