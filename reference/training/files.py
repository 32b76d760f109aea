"""Files of a run, written completely or not at all; damaged ones give a clear error."""

import io
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graders.errors import StorageError
from graders.storage.files import write_whole

if TYPE_CHECKING:
    import torch

REMEDY = "make room or give another --out; the same command resumes where it stopped"


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file completely; if the disk is full, keep the old one and raise StorageError."""
    write_whole(path, content, remedy=REMEDY, durable=True)


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 file, completely or not at all."""
    write_bytes(path, text.encode())


def save_tensors(path: Path, content: object) -> None:
    """Save with torch.save, completely or not at all."""
    import torch  # code that writes no tensors doesn't need to load it

    buffer = io.BytesIO()
    torch.save(content, buffer)
    write_bytes(path, buffer.getvalue())


def load_tensors(path: Path) -> Any:
    """Return what save_tensors wrote. Raises StorageError if the file is damaged."""
    import torch

    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # an unpickler may raise anything on damaged bytes
        raise StorageError(
            f"{path}: the file is damaged", "remove it, and its phase begins again"
        ) from error


def plain(named: Mapping[str, "torch.Tensor"]) -> "dict[str, torch.Tensor]":
    """Return copies of tensors on the CPU, which load without map_location."""
    return {name: tensor.detach().cpu().clone() for name, tensor in named.items()}
