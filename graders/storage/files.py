"""Files that readers see either whole or not yet."""

import contextlib
import os
import uuid
from pathlib import Path

from graders.errors import StorageError


def write_whole(path: Path, content: bytes, *, remedy: str, durable: bool = False) -> Path:
    """Write a file, its folder too; an older one stays where this fails, which raises StorageError.

    A durable file is on the disk before it has its name: no power cut leaves an empty one.
    """
    # A name of its own: two writers never share it, and no reader looks for it.
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
