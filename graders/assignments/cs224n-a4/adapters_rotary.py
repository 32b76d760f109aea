"""What the rotary checks ask of the student's attention.py and models.py; runs beside that code.

Nothing is judged here: each function says what the student's code gave.
"""

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from types import FrameType, SimpleNamespace
from typing import Any

import numpy as np
import torch
from adapters_student import student_module
from numpy.typing import NDArray
from torch import nn

VOCABULARY = 13
LAYERS = 2


def rotary_tables(sizes: list[list[int]]) -> list[Any]:
    """The student's table for each (dim, max_positions), asked for in this order."""
    precompute = _function("precompute_rotary_emb")
    return [_plain(precompute(dim, positions)) for dim, positions in sizes]


def rotate(calls: list[dict[str, Any]]) -> dict[str, Any]:
    """Each x rotated in turn, with the student's own tables and then with the given ones.

    A call is {x, table}. Where one of the two ways raises, only the other one is in the reply.
    """
    replies: dict[str, Any] = {}
    for source in ("own", "given"):
        try:
            replies[source] = [_rotated(call, source) for call in calls]
        except Exception as error:  # noqa: BLE001  a table of another layout may raise anything
            problem = error
    if not replies:
        raise problem
    return replies


def _rotated(call: dict[str, Any], source: str) -> dict[str, Any]:
    x, table = torch.from_numpy(call["x"]), torch.from_numpy(call["table"])
    if source == "own":
        table = _function("precompute_rotary_emb")(x.shape[-1], len(table))
    before = _plain(table.clone()) if isinstance(table, torch.Tensor) else None
    result = _function("apply_rotary_emb")(x, table)
    return {
        "result": _plain(result),
        "x_after": _plain(x),
        "table_before": before,
        "table_after": _plain(table) if before is not None else None,
    }


def rope_attention(
    size: dict[str, int], inputs: list[NDArray[Any]], rope: bool
) -> list[dict[str, Any]]:
    """For each attention module of a small model: its parameters, outputs and gradients.

    And how often it calls apply_rotary_emb for these outputs.
    """
    return [
        {
            **_outputs(module, inputs),
            "parameters": {name: _plain(p) for name, p in module.named_parameters()},
            "gradients": _gradients(module, torch.from_numpy(inputs[0])),
        }
        for module in _attentions(size, rope)
    ]


def _outputs(module: nn.Module, inputs: list[NDArray[Any]]) -> dict[str, Any]:
    with _calls_of("apply_rotary_emb") as calls:
        outputs = [_plain(_first(module(torch.from_numpy(x)))) for x in inputs]
    return {"outputs": outputs, "rotations": len(calls)}


@contextlib.contextmanager
def _calls_of(name: str) -> Iterator[list[str]]:
    """A list that grows with every call of a function, in whichever file or class it stands."""
    calls: list[str] = []

    def look(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code.co_name == name:
            calls.append(name)

    sys.setprofile(look)
    try:
        yield calls
    finally:
        sys.setprofile(None)


def constant_text(size: dict[str, int], rope: bool) -> dict[str, Any]:
    """What a model says at each position of a text of one character, its attention switched off.

    Returns logits (T, vocabulary) and the trainable parameters with an axis of block_size.
    """
    model = _model(size, rope)
    _fill(model)
    for module in model.modules():
        if _is_attention(module):
            module.register_forward_hook(_silent)
    T = size["block_size"] - 1
    with torch.no_grad():
        logits = _first(model(torch.full((1, T), 3)))
    names = [
        name
        for name, p in model.named_parameters()
        if p.requires_grad and size["block_size"] in p.shape
    ]
    return {"logits": _plain(logits), "names": names}


def _silent(module: nn.Module, inputs: Any, output: Any) -> Any:
    """Nothing, in place of what attention gave."""
    if isinstance(output, tuple):
        return (torch.zeros_like(output[0]), *output[1:])
    return torch.zeros_like(output)


def _plain(value: Any) -> Any:
    """A value as it can travel; what is no tensor is named by its type."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value[:4]]
    return {"type": type(value).__name__}


def _first(output: Any) -> Any:
    """The logits or activations of a reply that may hold more."""
    return output[0] if isinstance(output, tuple | list) and output else output


def _function(name: str) -> Callable[..., Any]:
    """The student's function, also where it is a static method of the attention module."""
    attention = student_module("attention")
    inside = getattr(getattr(attention, "CausalSelfAttention", None), name, None)
    if not hasattr(attention, name) and inside is not None:
        return inside
    return getattr(attention, name)


def _attentions(size: dict[str, int], rope: bool) -> Sequence[nn.Module]:
    """The attention modules of the student's model; one alone where no model can be built."""
    try:
        found = [module for module in _model(size, rope).modules() if _is_attention(module)]
    except Exception:  # noqa: BLE001  another check says what is wrong with the model
        found = []
    if not found:
        config = _config(size, rope, _Settings)
        found = [student_module("attention").CausalSelfAttention(config)]
    for module in found:
        _fill(module)
        module.eval()
    return found


def _is_attention(module: nn.Module) -> bool:
    named = all(hasattr(module, name) for name in ("query", "key", "value"))
    kind = getattr(student_module("attention"), "CausalSelfAttention", None)
    return named or (isinstance(kind, type) and isinstance(module, kind))


def _model(size: dict[str, int], rope: bool) -> nn.Module:
    models = student_module("models")
    return models.GPT(_config(size, rope, models.GPTConfig)).eval()


def _config(size: dict[str, int], rope: bool, kind: Callable[..., Any]) -> Any:
    """The starter's settings, without dropout."""
    settings = {
        "n_layer": LAYERS,
        "n_head": size["n_head"],
        "n_embd": size["n_embd"],
        "embd_pdrop": 0.0,
        "attn_pdrop": 0.0,
        "resid_pdrop": 0.0,
        "rope": rope,
    }
    config = kind(VOCABULARY, size["block_size"], **settings)
    for name, value in settings.items():
        if getattr(config, name, None) != value:
            setattr(config, name, value)
    return config


class _Settings(SimpleNamespace):
    """The starter's GPTConfig, for where models.py cannot be used."""

    def __init__(self, vocab_size: int, block_size: int, **settings: Any) -> None:
        super().__init__(vocab_size=vocab_size, block_size=block_size, **settings)


def _fill(module: nn.Module) -> None:
    """Weights large enough for attention to be far from even; the starter's are almost zero."""
    with torch.no_grad():
        for p in module.parameters():
            if p.requires_grad:
                p.copy_(torch.randn_like(p) * (1.5 / np.sqrt(p.shape[-1]) if p.ndim > 1 else 0.5))


def _gradients(module: nn.Module, x: torch.Tensor) -> dict[str, float]:
    """The largest gradient of each parameter, for a loss that looks at every output."""
    output = _first(module(x))
    if not output.requires_grad:
        return {}
    (output * torch.randn_like(output)).sum().backward()
    return {
        name: 0.0 if p.grad is None else float(p.grad.abs().max())
        for name, p in module.named_parameters()
    }
