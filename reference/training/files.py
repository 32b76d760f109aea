"""Files of a run, written whole or not at all, and read with a clear sentence when damaged."""

import io
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graders.errors import UsageError
from graders.storage.files import write_whole

if TYPE_CHECKING:
    import torch

REMEDY = "make room or give another --out; the same command goes on where it stopped"


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all; the older one stays where the disk is full: UsageError."""
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
    """What save_tensors wrote; raises UsageError where the file is damaged."""
    import torch

    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # whatever bytes can do to an unpickler
        raise UsageError(
            f"{path}: the file is damaged", "remove it, and its phase begins again"
        ) from error


def plain(named: Mapping[str, "torch.Tensor"]) -> "dict[str, torch.Tensor]":
    """Tensors as they are now, on the CPU: they load without map_location."""
    return {name: tensor.detach().cpu().clone() for name, tensor in named.items()}
