"""Call the student's mini transformer functions for the checks, in the student's child.

Nothing is graded here: each function returns the results of the student's code.
"""

import contextlib
import functools
import inspect
import math
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from graders.adapting.devices import on_cpu

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

EXPERIMENTS = (
    r"experiment|ablation|\bvaria(?:nt|tion)|\btrying\b|\bmodif|shuffl|\bshift|\bre-?weight|"
    r"\b(?:my|our|own) ideas?\b|(?<![\d.])2\.2(?:\.[23])?\b(?!\.\d)"
)
MOST_TEXT = 300  # characters of an exception
KEYWORD_ONLY = inspect.Parameter.KEYWORD_ONLY
PLAIN = (inspect.Parameter.POSITIONAL_OR_KEYWORD, KEYWORD_ONLY)
CPU = torch.device("cpu")
GIVEN = {"DEVICE": CPU, "device": CPU}


def mini_files() -> dict[str, Any]:
    """Return the file that is used, the functions found, and notes about the files."""
    gathered = student()
    return {
        "file": str(gathered.file),
        "missing": list(gathered.missing),
        "notes": list(gathered.notes),
    }


def mini_helper(function: str, calls: list[list[Any]], free: bool = False) -> Any:
    """Return the results of one function for each list of arguments."""
    return _answers(lambda call: _plain(_ask(function, call)), calls, function, free=free)


def mini_masked(calls: list[list[Any]]) -> Any:
    """Return, for each [A], A with the causal mask applied, and attn_softmax of it."""
    return _answers(_masked, calls, "make_causal_mask", "apply_causal_mask")


def _masked(call: list[Any]) -> dict[str, Any]:
    (scores,) = call
    mask = _ask("make_causal_mask", [scores.shape[-1]])
    masked = _ask("apply_causal_mask", [mask, scores])
    masked = scores if masked is None else masked  # A itself, if it was modified in place
    plain = _plain(masked)
    try:
        return {"masked": plain, "weights": _plain(_ask("attn_softmax", [masked]))}
    except Exception:  # noqa: BLE001  the softmax has its own check
        return {"masked": plain, "weights": None}


def mini_there_and_back(calls: list[list[Any]]) -> Any:
    """Return, for each [x, n_heads], split_heads of x, and merge_heads of that."""
    return _answers(_there_and_back, calls, "split_heads", "merge_heads", free=True)


def _there_and_back(call: list[Any]) -> dict[str, Any]:
    heads = _ask("split_heads", call)
    return {"heads": _plain(heads), "merged": _plain(_ask("merge_heads", [heads]))}


def mini_self_attention(calls: list[list[Any]], free: bool = False) -> Any:
    """Return self_attention's output for each [Q, K, V] or [Q, K, V, n_heads, causal].

    Also return Q, K and V after the call.
    """
    return _answers(_attended, calls, "self_attention", free=free)


def _attended(call: list[Any]) -> dict[str, Any]:
    result = _plain(_ask("self_attention", call))
    return {"result": result, "after": [_plain(tensor) for tensor in call[:3]]}


def mini_gradients(call: list[Any]) -> dict[str, Any]:
    """Return whether gradients reach Q, K and V from self_attention's output, or what is raised."""
    with on_cpu(), torch.enable_grad():
        leaves = [_tensor(tensor).requires_grad_() for tensor in call[:3]]
        try:
            result = _ask("self_attention", [*(1 * leaf for leaf in leaves), *call[3:]])
            outputs = result if isinstance(result, list | tuple) else [result]
            if not getattr(outputs[0], "requires_grad", True):  # cut off, but nothing is raised
                return {"reached": [False] * 3, "raised": ""}
            gradients = torch.autograd.grad(outputs[0].sum(), leaves, allow_unused=True)
        except Exception as problem:  # noqa: BLE001  such as numpy of a tensor that requires grad
            return {"reached": [False] * 3, "raised": str(problem)[:MOST_TEXT]}
    return {"reached": [gradient is not None for gradient in gradients], "raised": ""}


def mini_dimensions(function: str, calls: list[list[Any]]) -> Any:
    """Return the numbers of axes of the tensors that self_attention passes to this function."""
    with on_cpu():
        seen: set[int] = set()
        attention = student()["self_attention"]
        names = getattr(inspect.unwrap(attention), "__globals__", {})
        if not callable(helper := names.get(function)):
            return []
        names[function] = _watched(helper, seen)
        try:
            for call in calls:
                _ask("self_attention", [_tensor(value) for value in call])
        except Exception:  # noqa: BLE001  self_attention has its own checks
            return sorted(seen)
        finally:
            names[function] = helper
    return sorted(seen)


def _watched(helper: Callable[..., Any], seen: set[int]) -> Callable[..., Any]:
    @functools.wraps(helper)
    def watched(*args: Any, **kwargs: Any) -> Any:
        tensors = [value for value in (*args, *kwargs.values()) if hasattr(value, "ndim")]
        seen.update(tensor.ndim for tensor in tensors if tensor.ndim > 2)
        return helper(*args, **kwargs)

    return watched


# ---------------------------------------------------------------- the student's functions


@functools.cache
def student() -> Any:
    """Return the nine functions, from the file that has most of them."""
    from graders.adapting.gathered import code_folder, gather

    gathered = gather(code_folder(), wanted=WANTED, own=("A2S2",), given=GIVEN, until=EXPERIMENTS)
    return prepared(gathered)


def prepared(found: Any) -> Any:
    """Return the functions found, completed with the starter's definitions before them."""
    _complete(found.namespace)  # before any definition runs: a type hint may need torch
    for name in found.found:
        # If it cannot be defined, its own check reports it.
        with on_cpu(), contextlib.suppress(Exception):
            _complete(getattr(inspect.unwrap(found[name]), "__globals__", {}))
    return found


def _complete(names: dict[str, Any]) -> None:
    for name, value in _of_the_starter(names).items():
        names.setdefault(name, value)


def _of_the_starter(names: dict[str, Any]) -> dict[str, Any]:
    """Add the starter notebook's earlier definitions, if only the functions were submitted."""

    def split_heads_qkv(Q: Any, K: Any, V: Any, n_heads: int) -> tuple[Any, Any, Any]:
        return tuple(names["split_heads"](tensor, n_heads) for tensor in (Q, K, V))

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
    """Return the answers to all calls, or the sentence that says which function is missing.

    Each call starts with the same random number generators unless `free`, so that code that uses
    random numbers loses only the points for what they make wrong.
    """
    from graders.adapting.gathered import NotHandedIn

    with on_cpu():
        try:
            for name in names:
                student()[name]
        except NotHandedIn as missing:
            return {"missing": str(missing)}
        seed = torch.initial_seed()
        return [_answer(ask, call, None if free else seed) for call in calls]


def _answer(ask: Callable[[list[Any]], Any], call: list[Any], seed: int | None) -> dict[str, Any]:
    """Return one answer; if float64 raises, the answer to the same question in float32."""
    if seed is not None:
        random.seed(seed)
        np.random.seed(seed % 2**32)
        torch.default_generator.manual_seed(seed)
    try:
        return {"answer": ask([_tensor(value) for value in call])}
    except Exception:
        if not any(_is_double(value) for value in call):
            raise
    single = [value.astype(np.float32) if _is_double(value) else value for value in call]
    return {"answer": ask([_tensor(value) for value in single]), "narrowed": True}


def _is_double(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype == np.float64


def _ask(function: str, values: Sequence[Any]) -> Any:
    """Call the student's function by the handout's argument names if it has them, else in order.

    If they do not fit in order, those of keyword-only parameters are passed by name.
    """
    ask = student()[function]
    named = dict(zip(ARGUMENTS[function], values, strict=False))
    signature = None
    with contextlib.suppress(TypeError, ValueError):
        signature = inspect.signature(ask)
    if signature is None:
        return ask(*named.values())
    kinds = {parameter.name: parameter.kind for parameter in signature.parameters.values()}
    in_order = _binds(signature, *values)
    # *args and **kwargs, which take any name, do not count.
    if _binds(signature, **named) and (not in_order or all(kinds.get(n) in PLAIN for n in named)):
        return ask(**named)
    keywords = {} if in_order else {n: named[n] for n in named if kinds.get(n) is KEYWORD_ONLY}
    return ask(*(named[name] for name in named if name not in keywords), **keywords)


def _binds(signature: inspect.Signature, *values: Any, **named: Any) -> bool:
    try:
        signature.bind(*values, **named)
    except TypeError:
        return False
    return True


def _tensor(value: Any) -> Any:
    """Return an array as a new tensor, and anything else unchanged."""
    return torch.from_numpy(value.copy()) if isinstance(value, np.ndarray) else value


def _plain(value: Any) -> Any:
    """Return a value that can be sent; other types than tensors and arrays by their name."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value[:8]]
    return {"type": type(value).__name__}
