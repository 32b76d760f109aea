"""STUDENT side: build the attention modules of attention.py and models.py, and send their outputs.

Nothing is graded here.
"""

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import FrameType, SimpleNamespace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode

from graders.adapting.devices import on_cpu

from ..student_side import student_module

VOCABULARY = 13
LAYERS = 2
MOST_CALLS = 64
DROPOUT_P = 4  # the position of dropout_p among scaled_dot_product_attention's arguments


@on_cpu()
def rope_attention(
    size: dict[str, int], inputs: list[NDArray[Any]], rope: bool
) -> list[dict[str, Any]]:
    """Return the parameters, outputs and gradients of each attention module of a small model.

    Also return the shapes that it passes to apply_rotary_emb for these outputs.
    """
    return [_replies(module, inputs) for module in attentions(size, rope)]


def _replies(module: nn.Module, inputs: list[NDArray[Any]]) -> dict[str, Any]:
    outputs = _outputs(module, inputs)
    gradients = _gradients(module, torch.from_numpy(inputs[0]))
    return {
        **outputs,
        "parameters": {name: plain(p) for name, p in module.named_parameters()},
        "gradients": gradients,
        "unused": _unused(module, inputs, gradients),
        "training": _in_training(module, inputs),
    }


@on_cpu()
def dropped_out(
    size: dict[str, int], x: NDArray[Any], rope: bool, dropout: float
) -> dict[str, Any]:
    """Return two outputs of an attention module with dropout for one x, in each mode.

    Then those for x, for -x, for x with another last position and for x again, all with the same
    random numbers. There are none for training mode if it raises there.
    """
    module, original = attentions(size, rope, dropout)[0], torch.from_numpy(x)
    later = original.clone()
    later[:, -1] *= -1

    def outputs() -> list[Any]:
        values = [plain(first_of(module(original))) for _ in range(2)]
        for tensor in (original, -original, later, original):
            torch.manual_seed(0)
            values.append(plain(first_of(module(tensor))))
        return values

    with torch.no_grad():
        evaluation = outputs()
        module.train()
        try:
            training = outputs()
        except Exception:  # noqa: BLE001  another check reports it
            training = []
    return {"evaluation": evaluation, "training": training}


def _outputs(module: nn.Module, inputs: list[NDArray[Any]]) -> dict[str, Any]:
    with _calls_of("apply_rotary_emb") as rotated, _WithoutDropout():
        outputs = [plain(first_of(module(torch.from_numpy(x)))) for x in inputs]
    return {"outputs": outputs, "rotated": rotated[:MOST_CALLS]}


def _in_training(module: nn.Module, inputs: list[NDArray[Any]]) -> dict[str, Any]:
    """Return the same in training mode without dropout; no outputs if they are random.

    If it raises only there, return the exception.
    """
    module.train()
    try:
        once, again = (_outputs(module, inputs) for _ in range(2))
    except Exception as error:  # noqa: BLE001  graded
        return {"outputs": [], "rotated": [], "raised": f"{type(error).__name__}: {error}"[:200]}
    finally:
        module.eval()
    same = all(_same(*pair) for pair in zip(once["outputs"], again["outputs"], strict=True))
    return {**once, "outputs": once["outputs"] if same else [], "raised": ""}


class _WithoutDropout(TorchFunctionMode):
    """Switch dropout off, also at a hard-coded rate or if it acts in evaluation mode."""

    def __torch_function__(
        self, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Call the function without dropout."""
        kwargs = dict(kwargs or {})
        if function in (F.dropout, torch.dropout):
            return args[0] if args else kwargs["input"]
        if function is F.scaled_dot_product_attention:
            if len(args) > DROPOUT_P:
                args = (*args[:DROPOUT_P], 0.0, *args[DROPOUT_P + 1 :])
            else:
                kwargs["dropout_p"] = 0.0
        return function(*args, **kwargs)


def _same(one: Any, other: Any) -> bool:
    tensors = isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor)
    return tensors and one.shape == other.shape and torch.allclose(one, other, equal_nan=True)


@contextlib.contextmanager
def _calls_of(name: str) -> Iterator[list[list[int]]]:
    """Yield a list that grows with every call of a function, in any file or class.

    It contains the shape of the first tensor of each call.
    """
    shapes: list[list[int]] = []

    def look(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code.co_name == name:
            tensors = [
                value for value in frame.f_locals.values() if isinstance(value, torch.Tensor)
            ]
            shapes.append(list(tensors[0].shape) if tensors else [])

    before = sys.gettrace()
    sys.settrace(look)  # unlike a profile function, it is not called for functions in C
    try:
        yield shapes
    finally:
        sys.settrace(before)


@on_cpu()
def constant_text(size: dict[str, int], rope: bool) -> dict[str, Any]:
    """Return a model's logits on a text of one repeated character, with attention switched off.

    Returns logits (T, vocabulary) and the trainable parameters with an axis of block_size.
    """
    model = model_of(size, rope)
    _fill(model)
    for module in _attentions_in(model):
        module.forward = _silenced(module.forward)
    with torch.no_grad():
        logits = first_of(model(torch.full((1, size["block_size"]), 3)))
    names = [
        name
        for name, p in model.named_parameters()
        if p.requires_grad and size["block_size"] in p.shape
    ]
    return {"logits": plain(logits), "names": names}


def _silenced(attend: Callable[..., Any]) -> Callable[..., Any]:
    """Return a forward function that gives zeros instead of attention, even if that raises."""

    def silent(x: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        try:
            output = attend(x, *args, **kwargs)
        except Exception:  # noqa: BLE001  another check reports it
            output = x
        if isinstance(output, tuple):
            return (torch.zeros_like(output[0]), *output[1:])
        return torch.zeros_like(output)

    return silent


def plain(value: Any) -> Any:
    """Return a value that can be sent; anything but tensors is replaced by its type's name."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, list | tuple):
        return [plain(item) for item in value[:4]]
    return {"type": type(value).__name__}


def first_of(output: Any) -> Any:
    """Return the logits or activations of a reply that may contain more."""
    return output[0] if isinstance(output, tuple | list) and output else output


def attentions(size: dict[str, int], rope: bool, dropout: float = 0.0) -> Sequence[nn.Module]:
    """Return the attention modules of the student's model; only one if no model can be built."""
    try:
        modules = _attentions_in(model_of(size, rope, dropout))
    except Exception:  # noqa: BLE001  another check reports what is wrong with the model
        modules = []
    if not modules:
        config = _config(size, rope, _settings, dropout)
        modules = [student_module("attention").CausalSelfAttention(config)]
    for module in modules:
        _fill(module)
        module.eval()
    return modules


def _attentions_in(model: nn.Module) -> list[nn.Module]:
    """Return the attention modules of a model, by their class or else by their attributes.

    The heads within an attention module may have the same attributes.
    """
    kind = getattr(student_module("attention"), "CausalSelfAttention", None)
    modules, names = list(model.modules()), ("query", "key", "value")
    instances = [
        module for module in modules if isinstance(kind, type) and isinstance(module, kind)
    ]
    return instances or [
        module for module in modules if all(hasattr(module, name) for name in names)
    ]


def model_of(size: dict[str, int], rope: bool, dropout: float = 0.0) -> nn.Module:
    """Return the student's model of this size, or the starter's with the student's attention."""
    models = student_module("models")
    model: nn.Module = models.GPT(_config(size, rope, models.GPTConfig, dropout)).eval()
    return model


def _config(size: dict[str, int], rope: bool, kind: Callable[..., Any], dropout: float) -> Any:
    """Return the starter's settings, with the same dropout rate everywhere."""
    settings = {
        "n_layer": LAYERS,
        "n_head": size["n_head"],
        "n_embd": size["n_embd"],
        "embd_pdrop": dropout,
        "attn_pdrop": dropout,
        "resid_pdrop": dropout,
        "rope": rope,
    }
    config = kind(VOCABULARY, size["block_size"], **settings)
    for name, value in settings.items():
        if getattr(config, name, None) != value:
            setattr(config, name, value)
    return config


def _settings(vocab_size: int, block_size: int, **settings: Any) -> SimpleNamespace:
    """Return the starter's GPTConfig, for when models.py cannot be used."""
    return SimpleNamespace(vocab_size=vocab_size, block_size=block_size, **settings)


def _fill(module: nn.Module) -> None:
    """Make weights large enough for attention to be uneven; the starter's are almost zero."""
    with torch.no_grad():
        for p in module.parameters():
            if p.requires_grad:
                p.copy_(torch.randn_like(p) * (1.5 / np.sqrt(p.shape[-1]) if p.ndim > 1 else 0.5))


def _gradients(module: nn.Module, x: torch.Tensor) -> dict[str, float]:
    """Return the largest gradient of x and of each parameter, for a loss that uses every output.

    What is not connected to the loss is omitted.
    """
    x = x.clone().requires_grad_()
    output = first_of(module(x.clone()))  # a copy, which may be changed in place
    if not output.requires_grad:
        return {}
    (output * torch.randn_like(output)).sum().backward()
    tensors = {"x": x, **dict(module.named_parameters())}
    return {name: float(p.grad.abs().max()) for name, p in tensors.items() if p.grad is not None}


def _unused(module: nn.Module, inputs: list[NDArray[Any]], connected: Iterable[str]) -> list[str]:
    """Return the parameters that the output does not depend on, among those without a gradient."""
    unused = []
    with torch.no_grad():
        for name, p in module.named_parameters():
            if name in connected:
                continue
            before, (output,) = p.clone(), _outputs(module, inputs[:1])["outputs"]
            p.copy_(torch.randn_like(p))
            (changed,) = _outputs(module, inputs[:1])["outputs"]
            p.copy_(before)
            if _same(output, changed):
                unused.append(name)
    return unused
