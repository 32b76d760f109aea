"""Open a checkpoint in a process without any secrets; no student code runs here.

    bytes -> torch.load(weights_only=True) -> the state dict, possibly in a wrapper
          -> its tensors on the CPU, floats as float32 | what is wrong with the file

Nothing is graded here.
"""

import io
import pickletools
import re
import zipfile
from typing import Any

import numpy as np
import torch

WRAPPERS = ("state_dict", "model", "model_state_dict")  # keys that training scripts use
REFUSED = re.compile(r"GLOBAL ([\w.]+)")  # in torch's message
MOST_TENSORS = 500  # a course model has 76
MOST_BYTES = 60 * 2**20  # of float32; a course model has 14 MB
MAX_TEXT = 200  # characters of a name or a reason


def read_checkpoint(file: np.ndarray) -> dict[str, Any]:
    """Return `tensors` by name and their `wrapper`, or a `problem` with its `detail`."""
    raw = file.tobytes()
    try:
        loaded = torch.load(io.BytesIO(raw), map_location="cpu", weights_only=True)
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001  hostile bytes may raise anything
        return _unreadable(raw, str(error))
    wrapper, state = _state_dict(loaded)
    if state is None:
        return {"problem": "no state dict", "detail": type(loaded).__name__[:MAX_TEXT]}
    if (
        len(state) > MOST_TENSORS
        or sum(4 * tensor.numel() for tensor in state.values()) > MOST_BYTES
    ):
        return {"problem": "too large", "detail": f"{len(state)} tensors"}
    return {"wrapper": wrapper, "tensors": {name: _plain(tensor) for name, tensor in state.items()}}


def _state_dict(loaded: Any) -> tuple[str, dict[str, torch.Tensor] | None]:
    """Return the dict of tensors, and its key in the dict that contains it."""
    if _is_state_dict(loaded):
        return "", loaded
    if not isinstance(loaded, dict):
        return "", None
    keys = [name for name in WRAPPERS if _is_state_dict(loaded.get(name))]
    return (keys[0], loaded[keys[0]]) if len(keys) == 1 else ("", None)


def _is_state_dict(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and len(value) > 0
        and all(isinstance(name, str) for name in value)
        and all(isinstance(tensor, torch.Tensor) for tensor in value.values())
    )


def _plain(tensor: torch.Tensor) -> torch.Tensor:
    """Return the tensor in a type that can be sent, whatever its precision."""
    plain = tensor.detach()
    plain = plain.dequantize() if plain.is_quantized else plain
    return plain.to(torch.float32) if plain.is_floating_point() else plain


def _unreadable(raw: bytes, said: str) -> dict[str, str]:
    """Return why torch did not load the file, with the global that it refused, if any."""
    match = REFUSED.search(said)
    refused = match[1] if match else _first_global(raw)
    if refused:
        return {"problem": "refused", "detail": refused[:MAX_TEXT]}
    return {"problem": "unreadable", "detail": "TorchScript" if "TorchScript" in said else ""}


def _first_global(raw: bytes) -> str:
    """Return the first name that a bare pickle would import, without unpickling it."""
    if not raw.startswith(b"\x80") or zipfile.is_zipfile(io.BytesIO(raw)):
        return ""
    texts = ["", ""]
    try:
        for opcode, argument, _ in pickletools.genops(raw):
            if opcode.name == "GLOBAL":
                return str(argument).replace(" ", ".")
            if opcode.name == "STACK_GLOBAL":
                return ".".join(texts)
            if isinstance(argument, str):
                texts = [texts[1], argument]
    except Exception:  # noqa: BLE001  not a pickle
        return ""
    return ""
