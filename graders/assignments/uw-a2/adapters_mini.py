"""What the checks of the mini transformer ask of the student's functions; runs beside that code.

Nothing is judged here: each function says what the student's code gave.
"""

import contextlib
import functools
import inspect
import math
import os
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

WANTED = (
    "pairwise_similarities",
    "attn_scaled",
    "attn_softmax",
    "compute_outputs",
    "make_causal_mask",
    "apply_causal_mask",
    "split_heads",
    "merge_heads",
    "self_attention",
)
ARGUMENTS = {  # the handout's names; a student's may differ
    "pairwise_similarities": ("Q", "K"),
    "attn_scaled": ("A", "n_embd", "n_heads"),
    "attn_softmax": ("A",),
    "compute_outputs": ("A", "V"),
    "make_causal_mask": ("n_tok",),
    "apply_causal_mask": ("mask", "A"),
    "split_heads": ("x", "n_heads"),
    "merge_heads": ("y",),
    "self_attention": ("Q", "K", "V", "n_heads", "causal"),
}
os.environ.setdefault("TORCHDYNAMO_DISABLE", "1")  # torch.compile needs a compiler of C++

EXPERIMENTS = (
    r"experiment|ablation|\bvaria(?:nt|tion)|\btrying\b|\bmodif|shuffl|\bshift|\bre-?weight|"
    r"\b(?:my|our|own) ideas?\b|(?<![\d.])2\.2(?:\.[23])?\b(?!\.\d)"
)
CPU = torch.device("cpu")
GIVEN = {"DEVICE": CPU, "device": CPU}


def mini_files() -> dict[str, Any]:
    """The file that was taken, the functions found, and what is to be said about the files."""
    found = student()
    return {"file": str(found.file), "missing": list(found.missing), "notes": list(found.notes)}


def mini_helper(function: str, calls: list[list[Any]], free: bool = False) -> Any:
    """What one function gives for each list of arguments."""
    return _answers(lambda call: _plain(_ask(function, call)), calls, function, free=free)


def mini_masked(calls: list[list[Any]]) -> Any:
    """For each [A]: A with the causal mask applied, and attn_softmax of it."""
    return _answers(_masked, calls, "make_causal_mask", "apply_causal_mask")


def _masked(call: list[Any]) -> dict[str, Any]:
    (scores,) = call
    mask = _ask("make_causal_mask", [scores.shape[-1]])
    masked = _ask("apply_causal_mask", [mask, scores])
    masked = scores if masked is None else masked  # A itself, where it was written into
    kept = _plain(masked)
    try:
        return {"masked": kept, "weights": _plain(_ask("attn_softmax", [masked]))}
    except Exception:  # noqa: BLE001  the softmax has a check of its own
        return {"masked": kept, "weights": None}


def mini_there_and_back(calls: list[list[Any]]) -> Any:
    """For each [x, n_heads]: split_heads of x, and merge_heads of that."""
    return _answers(_there_and_back, calls, "split_heads", "merge_heads", free=True)


def _there_and_back(call: list[Any]) -> dict[str, Any]:
    heads = _ask("split_heads", call)
    return {"heads": _plain(heads), "merged": _plain(_ask("merge_heads", [heads]))}


def mini_self_attention(calls: list[list[Any]], free: bool = False) -> Any:
    """What self_attention gives for each [Q, K, V] or [Q, K, V, n_heads, causal].

    And Q, K and V as they were afterwards.
    """
    return _answers(_attended, calls, "self_attention", free=free)


def _attended(call: list[Any]) -> dict[str, Any]:
    result = _plain(_ask("self_attention", call))
    return {"result": result, "after": [_plain(each) for each in call[:3]]}


def mini_gradients(call: list[Any]) -> list[bool]:
    """Whether a gradient reaches Q, K and V from what self_attention gives; none if it raises."""
    with _on_cpu(), torch.enable_grad():
        leaves = [_tensor(each).requires_grad_() for each in call[:3]]
        try:
            result = _ask("self_attention", [*(1 * each for each in leaves), *call[3:]])
            outputs = result if isinstance(result, list | tuple) else [result]
            found = torch.autograd.grad(outputs[0].sum(), leaves, allow_unused=True)
        except Exception:  # noqa: BLE001  as numpy of a tensor that takes part in training
            return [False] * 3
    return [each is not None for each in found]


def mini_dimensions(function: str, calls: list[list[Any]]) -> Any:
    """The numbers of axes of the tensors that self_attention gives to this function of theirs."""
    with _on_cpu():
        seen: set[int] = set()
        attention = student()["self_attention"]
        names = getattr(inspect.unwrap(attention), "__globals__", {})
        if not callable(helper := names.get(function)):
            return []
        names[function] = _watched(helper, seen)
        try:
            for call in calls:
                _ask("self_attention", [_tensor(each) for each in call])
        except Exception:  # noqa: BLE001  self_attention has checks of its own
            return sorted(seen)
        finally:
            names[function] = helper
    return sorted(seen)


def _watched(helper: Callable[..., Any], seen: set[int]) -> Callable[..., Any]:
    @functools.wraps(helper)
    def watched(*args: Any, **kwargs: Any) -> Any:
        tensors = [each for each in (*args, *kwargs.values()) if hasattr(each, "ndim")]
        seen.update(each.ndim for each in tensors if each.ndim > 2)
        return helper(*args, **kwargs)

    return watched


# ---------------------------------------------------------------- the student's functions


@functools.cache
def student() -> Any:
    """The nine functions, from the file that has most of them."""
    from adapting.gathered import code_folder, gather

    found = gather(code_folder(), wanted=WANTED, own=("A2S2",), given=GIVEN, until=EXPERIMENTS)
    return prepared(found)


def prepared(found: Any) -> Any:
    """The functions found, with what the starter defines above them where they do not."""
    _complete(found.namespace)  # before anything is made: a type hint may need torch
    for name in found.found:
        # Where it cannot be made, its own check says so.
        with _on_cpu(), contextlib.suppress(Exception):
            _complete(getattr(inspect.unwrap(found[name]), "__globals__", {}))
    return found


def _complete(names: dict[str, Any]) -> None:
    for name, value in _of_the_starter(names).items():
        names.setdefault(name, value)


def _of_the_starter(names: dict[str, Any]) -> dict[str, Any]:
    """What the starter's notebook defines above the functions, for who hands in those alone."""

    def split_heads_qkv(Q: Any, K: Any, V: Any, n_heads: int) -> tuple[Any, Any, Any]:
        return tuple(names["split_heads"](each, n_heads) for each in (Q, K, V))

    def init_qkv_proj(n_embd: int) -> tuple[nn.Linear, nn.Linear, nn.Linear]:
        return nn.Linear(n_embd, n_embd), nn.Linear(n_embd, n_embd), nn.Linear(n_embd, n_embd)

    return {
        "torch": torch,
        "nn": nn,
        "F": F,
        "math": math,
        "np": np,
        "split_heads_qkv": split_heads_qkv,
        "init_qkv_proj": init_qkv_proj,
    }


def _answers(
    ask: Callable[[list[Any]], Any], calls: list[list[Any]], *names: str, free: bool = False
) -> Any:
    """The answers to all calls, or the sentence that says which function was not handed in.

    Each call finds the generators of random numbers as the first one did, unless it is `free`: so
    that code which draws loses what its draws make wrong, and no more.
    """
    from adapting.gathered import NotHandedIn

    with _on_cpu():
        try:
            for name in names:
                student()[name]
        except NotHandedIn as missing:
            return {"missing": str(missing)}
        seed = torch.initial_seed()
        return [_answer(ask, call, None if free else seed) for call in calls]


def _answer(ask: Callable[[list[Any]], Any], call: list[Any], seed: int | None) -> dict[str, Any]:
    """One answer; where float64 raises, the one to the same question in float32."""
    if seed is not None:
        random.seed(seed)
        np.random.seed(seed % 2**32)
        torch.default_generator.manual_seed(seed)
    try:
        return {"answer": ask([_tensor(each) for each in call])}
    except Exception:
        if not any(_is_double(each) for each in call):
            raise
    single = [each.astype(np.float32) if _is_double(each) else each for each in call]
    return {"answer": ask([_tensor(each) for each in single]), "narrowed": True}


def _is_double(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype == np.float64


def _ask(function: str, values: Sequence[Any]) -> Any:
    """What the student's function gives: by the handout's names if it has them, else in order."""
    ask = student()[function]
    named = dict(zip(ARGUMENTS[function], values, strict=False))
    return ask(**named) if _is_by_name(ask, values, named) else ask(*values)


def _is_by_name(ask: Callable[..., Any], values: Sequence[Any], named: dict[str, Any]) -> bool:
    """Whether it has a parameter of each name; *args and **kwargs do not say what they mean."""
    try:
        signature = inspect.signature(ask)
    except (TypeError, ValueError):
        return False
    plain = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    explicit = {each.name for each in signature.parameters.values() if each.kind in plain}
    if _binds(signature, *values) and not set(named) <= explicit:
        return False
    return _binds(signature, **named)


def _binds(signature: inspect.Signature, *values: Any, **named: Any) -> bool:
    try:
        signature.bind(*values, **named)
    except TypeError:
        return False
    return True


def _on_cpu() -> Any:
    from adapting.devices import on_cpu

    return on_cpu()


def _tensor(value: Any) -> Any:
    """An array as a tensor of its own; anything else as it is."""
    return torch.from_numpy(value.copy()) if isinstance(value, np.ndarray) else value


def _plain(value: Any) -> Any:
    """A value as it can travel; what is neither tensor nor array is named by its type."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value[:8]]
    return {"type": type(value).__name__}
