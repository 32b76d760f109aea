"""Read checkpoints as the course's trainer writes them.

A checkpoint is a bare state dict, saved with torch.save.
"""

from pathlib import Path

import torch

PARALLEL = "module."  # the prefix of each name from DataParallel, which wraps models on a GPU


def load_checkpoint(path: Path) -> dict[str, torch.Tensor]:
    """Return a checkpoint's tensors on the CPU, by plain names. Raises ValueError on other files.

    Only tensors are unpickled, so the file cannot run code.
    """
    with path.open("rb") as file:
        try:
            state = torch.load(file, map_location="cpu", weights_only=True)
        except Exception as error:  # whatever bytes can do to an unpickler: IndexError, KeyError
            raise ValueError(f"{path.name} is not a checkpoint that torch can load") from error
    if not isinstance(state, dict) or not all(map(is_named_tensor, state.items())):
        raise ValueError(f"{path.name} is not a plain dict of named tensors")
    return {name.removeprefix(PARALLEL): tensor for name, tensor in state.items()}


def is_named_tensor(item: tuple[object, object]) -> bool:
    """Return whether an entry is a name with a tensor."""
    return isinstance(item[0], str) and isinstance(item[1], torch.Tensor)
