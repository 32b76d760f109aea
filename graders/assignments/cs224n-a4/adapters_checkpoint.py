"""Opens a checkpoint in a process that holds nothing of value; no student code runs here.

    bytes -> torch.load(weights_only=True) -> the state dict, also one inside a wrapper
          -> its tensors on the CPU, floats as float32 | what is wrong with the file

Nothing is judged here.
"""

import io
import pickletools
import re
import zipfile
from typing import Any

import numpy as np
import torch

WRAPPERS = ("state_dict", "model", "model_state_dict")  # where training scripts put it
REFUSED = re.compile(r"GLOBAL ([\w.]+)")  # in torch's message
MOST_TENSORS = 500  # a course model has 76
MOST_BYTES = 60 * 2**20  # of float32; a course model has 14 MB
MAX_TEXT = 200  # characters of a name or a reason


def read_checkpoint(file: np.ndarray) -> dict[str, Any]:
    """`tensors` by name and the `wrapper` they lay in, or a `problem` with its `detail`."""
    raw = file.tobytes()
    try:
        loaded = torch.load(io.BytesIO(raw), map_location="cpu", weights_only=True)
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001  whatever bytes can do to an unpickler
        return _unreadable(raw, str(error))
    wrapper, state = _state_dict(loaded)
    if state is None:
        return {"problem": "no state dict", "detail": type(loaded).__name__[:MAX_TEXT]}
    if len(state) > MOST_TENSORS or sum(4 * each.numel() for each in state.values()) > MOST_BYTES:
        return {"problem": "too large", "detail": f"{len(state)} tensors"}
    return {"wrapper": wrapper, "tensors": {name: _plain(each) for name, each in state.items()}}


def _state_dict(loaded: Any) -> tuple[str, dict[str, torch.Tensor] | None]:
    """The dict of tensors, and the name under which another dict holds it."""
    if _is_state_dict(loaded):
        return "", loaded
    if not isinstance(loaded, dict):
        return "", None
    found = [name for name in WRAPPERS if _is_state_dict(loaded.get(name))]
    return (found[0], loaded[found[0]]) if len(found) == 1 else ("", None)


def _is_state_dict(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and len(value) > 0
        and all(isinstance(name, str) for name in value)
        and all(isinstance(each, torch.Tensor) for each in value.values())
    )


def _plain(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor as the wire carries it, whatever precision it was saved in."""
    plain = tensor.detach()
    plain = plain.dequantize() if plain.is_quantized else plain
    return plain.to(torch.float32) if plain.is_floating_point() else plain


def _unreadable(raw: bytes, said: str) -> dict[str, str]:
    """What torch would not load, and the global for which it did not, if that is why."""
    found = REFUSED.search(said)
    refused = found[1] if found else _first_global(raw)
    if refused:
        return {"problem": "refused", "detail": refused[:MAX_TEXT]}
    return {"problem": "unreadable", "detail": "TorchScript" if "TorchScript" in said else ""}


def _first_global(raw: bytes) -> str:
    """The first thing that a bare pickle would import, read without unpickling it."""
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
    except Exception:  # noqa: BLE001  no pickle, then
        return ""
    return ""
