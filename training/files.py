"""Files of a run, written whole or not at all, and read with a clear sentence when damaged."""

import io
from pathlib import Path
from typing import Any

from graders.errors import Misuse
from graders.files import write_whole

REMEDY = "make room or give another --out; the same command goes on where it stopped"


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all; the older one stays where the disk is full: Misuse."""
    write_whole(path, content, remedy=REMEDY, durable=True)


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 file, whole or not at all."""
    write_bytes(path, text.encode())


def save_tensors(path: Path, content: object) -> None:
    """torch.save, whole or not at all."""
    import torch  # what writes no tensors need not wait for it

    buffer = io.BytesIO()
    torch.save(content, buffer)
    write_bytes(path, buffer.getvalue())


def load_tensors(path: Path) -> Any:
    """What save_tensors wrote; raises Misuse where the file is damaged."""
    import torch

    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # whatever bytes can do to an unpickler
        raise Misuse(
            f"{path}: the file is damaged", "remove it, and its phase begins again"
        ) from error
