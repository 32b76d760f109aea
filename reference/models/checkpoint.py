"""Read checkpoints as the course's trainer writes them.

A checkpoint is a bare state dict, saved with torch.save.
"""

from collections.abc import Mapping
from pathlib import Path

import torch

from reference.models.gpt import GPT, GPTConfig

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


def load_model(path: Path, *, n_head: int = 8) -> GPT:
    """Return a checkpoint's model, ready to predict; its size is inferred from the tensors.

    Only the number of heads cannot be inferred from a vanilla checkpoint.
    """
    state = load_checkpoint(path)
    model = GPT(config_of(state, n_head))
    model.load(state)
    return model.eval()


def config_of(state: Mapping[str, torch.Tensor], n_head: int) -> GPTConfig:
    """Return the settings of the model that these tensors belong to."""
    for name in ("tok_emb.weight", "blocks.0.attn.mask"):
        if name not in state or state[name].ndim < 2:
            raise ValueError(f"the checkpoint has no table {name}, so it is of another model")
    vocab_size, n_embd = state["tok_emb.weight"].shape
    return GPTConfig(
        vocab_size=vocab_size,
        block_size=state["blocks.0.attn.mask"].shape[-1],
        n_layer=sum(name.endswith(".attn.mask") for name in state),
        n_head=n_head,
        n_embd=n_embd,
        rope="blocks.0.attn.rope_cache" in state,
    )


def is_named_tensor(item: tuple[object, object]) -> bool:
    """Return whether an entry is a name with a tensor."""
    return isinstance(item[0], str) and isinstance(item[1], torch.Tensor)
