"""Files of a run, written whole or not at all, and read with a clear sentence when damaged."""

import io
import os
import uuid
from pathlib import Path
from typing import Any

import torch

from graders.errors import Misuse


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file that readers see either whole or not yet; raises Misuse on a full disk."""
    unfinished = path.parent / f".{uuid.uuid4().hex}.tmp"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with unfinished.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # a power cut must not leave an empty file with this name
        os.replace(unfinished, path)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise Misuse(
            f"{path}: cannot be written: {reason}",
            "make room or give another --out; the same command goes on where it stopped",
        ) from error
    finally:
        unfinished.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 file, whole or not at all."""
    write_bytes(path, text.encode())


def save_tensors(path: Path, content: object) -> None:
    """torch.save, whole or not at all."""
    buffer = io.BytesIO()
    torch.save(content, buffer)
    write_bytes(path, buffer.getvalue())


def load_tensors(path: Path) -> Any:
    """What save_tensors wrote; raises Misuse where the file is damaged."""
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # whatever bytes can do to an unpickler
        raise Misuse(
            f"{path}: the file is damaged", "remove it, and its phase begins again"
        ) from error
