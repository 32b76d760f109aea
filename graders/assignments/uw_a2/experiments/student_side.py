"""Run code of the experiments, found by approximate names, in the student's child.

Nothing is graded here, and nothing is required: code that cannot be called is omitted.
"""

import contextlib
import functools
import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from torch import nn

from graders.adapting.devices import on_cpu

from ..mini_transformer.student_side import GIVEN, WANTED, prepared, student

# Matches `sinusoidal` or `PositionalEncoding`.
POSITIONS = re.compile(
    r"sinus|sin_?cos|pos\w*_?enc|pos\w*_?emb|positional|(^|_)pe($|_)", re.IGNORECASE
)
# Matches `shuffle_heads` or `HeadFusion`.
FUSIONS = re.compile(
    r"shuff|shift|roll|re_?weigh|fus(e|ion)|perm\w*_heads|random_heads", re.IGNORECASE
)
OF_DATA = re.compile(r"data|doc|batch|token|sample|loader", re.IGNORECASE)  # also shuffled
REPLACED = ("merge_heads", "self_attention")
LENGTH = re.compile(r"tok|len|block|pos|seq|ctx|context|time|^t$|^n$|^l$", re.IGNORECASE)
WIDTH = re.compile(r"emb|dim|model|hidden|feat|chan|^d|^c$", re.IGNORECASE)
HEADS = re.compile(r"head|^h$|^nh$", re.IGNORECASE)
EITHER = re.compile(f"{POSITIONS.pattern}|{FUSIONS.pattern}", re.IGNORECASE)
DEFINITION = re.compile(r"\b(?:def|class)\s+(\w+)\s*[(:]")
MOST = 6  # candidates that are called
MOST_FILES = 100


def positional_tables(n_tok: int, n_embd: int) -> list[dict[str, Any]]:
    """Return the table (n_tok, n_embd) of each function or module that seems to give positions.

    A table that is random in each call, or constant, is a learned one before training.
    """
    tables = []
    with on_cpu():
        for name in _names(POSITIONS, ())[:MOST]:
            ways = partial(_tables, name, n_tok, n_embd)
            table, again = _first(ways), _first(ways)
            if table is not None and torch.equal(table, again) and (table != table[:1]).any():
                tables.append({"name": name, "table": table})
    return tables


def _tables(name: str, n_tok: int, n_embd: int) -> Iterator[Callable[[], Any]]:
    """Yield ways to get its table, most likely first."""
    definition, sizes = _experiments()[name], {LENGTH: n_tok, WIDTH: n_embd}

    def table(value: Any) -> Any:
        return _table(value, n_tok, n_embd)

    if isinstance(definition, type):
        module = _built(definition, sizes)
        yield lambda: next(filter(_is_some, map(table, module.buffers())), None)
        yield lambda: table(module(torch.zeros(1, n_tok, n_embd)))
        return
    yield lambda: table(definition(**_named(definition, sizes)))
    yield lambda: table(definition(n_tok, n_embd))
    yield lambda: table(definition(n_embd, n_tok))


def _is_some(value: Any) -> bool:
    return value is not None


def _table(value: Any, n_tok: int, n_embd: int) -> Any:
    """Return the rows of a table with the requested width and sufficient length."""
    value = torch.as_tensor(value).detach()
    while value.ndim > 2 and 1 in value.shape:
        value = value.squeeze(value.shape.index(1))
    if value.ndim != 2 or value.shape[1] != n_embd or value.shape[0] < n_tok:
        return None
    return value[:n_tok].to(torch.float64)


def head_fusions(y: Any) -> list[dict[str, Any]]:
    """Apply each variant of merging heads to y (B, n_heads, T, c).

    `whole` is the result for all items, `again` repeats it a few times, `alone` is for each item.
    """
    replies = []
    with on_cpu():
        names = [name for name in _names(FUSIONS, REPLACED) if not OF_DATA.search(name)]
        for name in names[:MOST]:
            fusion = _first(partial(_fusions, name, y.shape[1], y.shape[3]))
            answer = _first(partial(iter, [partial(_fused, fusion, y)]))
            if answer is not None:
                replies.append({"name": name, **answer})
    return replies


def _fusions(name: str, n_heads: int, c: int) -> Iterator[Callable[[], Any]]:
    """Yield ways to make a function of y with this name."""
    definition = _experiments()[name]
    if isinstance(definition, type):
        yield lambda: _built(definition, {HEADS: n_heads, WIDTH: n_heads * c})
    elif name == "self_attention":
        yield lambda: lambda y: definition(*[y.transpose(1, 2).flatten(2)] * 3, n_heads, False)
    elif len(_required(definition)) == 2:
        yield lambda: lambda y: definition(y, n_heads)
    else:
        yield lambda: definition


def _fused(fusion: Callable[[Any], Any], y: Any) -> dict[str, Any]:
    def ask(items: Any) -> Any:
        with torch.no_grad():
            answer = fusion(torch.from_numpy(items.copy()))
        if answer.ndim < 3 or len(answer) != len(items):
            raise ValueError("merging must give at least one matrix per item")
        return answer.detach().to(torch.float64).clone()

    return {
        "whole": ask(y),
        "again": [ask(y) for _ in range(6)],
        "alone": [ask(y[b : b + 1]) for b in range(len(y))],
    }


# ---------------------------------------------------------------- the upload's definitions


def _names(wanted: re.Pattern[str], replaced: Sequence[str]) -> list[str]:
    """Return functions and classes with such names, and those of 2.1 that are redefined later."""
    from graders.adapting.gathered import code_folder

    named = [name for name in _written(code_folder()) if wanted.search(name)]
    return [*(name for name in named if name not in WANTED), *filter(_is_replaced, replaced)]


@functools.cache
def _written(folder: Path) -> tuple[str, ...]:
    """Return the name after each `def` and `class` in the code files, including notebooks."""
    files = [*sorted(folder.rglob("*.py")), *sorted(folder.rglob("*.ipynb"))]
    texts = (file.read_text(encoding="utf-8", errors="replace") for file in files[:MOST_FILES])
    return tuple(dict.fromkeys(name for text in texts for name in DEFINITION.findall(text)))


def _is_replaced(name: str) -> bool:
    """Return whether the experiments redefine this function of part 2.1."""
    try:
        before, after = student()[name], _experiments()[name]
    except Exception:  # noqa: BLE001  it does not exist or cannot be created
        return False
    codes = (getattr(inspect.unwrap(function), "__code__", None) for function in (before, after))
    return len(set(codes)) == 2


@functools.cache
def _experiments() -> Any:
    """Return everything that may be code of an experiment, in its last definition."""
    from graders.adapting.gathered import code_folder, gather

    matches = [name for name in _written(code_folder()) if EITHER.search(name)]
    names = tuple(dict.fromkeys((*matches, *REPLACED)))
    return prepared(gather(code_folder(), wanted=names, own=("A2S2",), given=GIVEN))


def _first(ways: Callable[[], Iterator[Callable[[], Any]]]) -> Any:
    """Return the first value that one of the ways gives; they are guesses, so any may raise."""
    with contextlib.suppress(Exception):
        for way in ways():
            with contextlib.suppress(Exception):
                if (value := way()) is not None:
                    return value
    return None


def _required(function: Callable[..., Any]) -> list[inspect.Parameter]:
    parameters = inspect.signature(function).parameters.values()
    return [
        parameter
        for parameter in parameters
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]


def _named(function: Callable[..., Any], values: dict[re.Pattern[str], Any]) -> Any:
    """Return values for the function's required parameters by name, or None."""
    arguments = {}
    for parameter in inspect.signature(function).parameters.values():
        fits = [value for pattern, value in values.items() if pattern.search(parameter.name)]
        if "drop" in parameter.name:
            arguments[parameter.name] = 0.0
        elif fits:
            arguments[parameter.name] = fits[0]
        elif parameter in _required(function):
            return None
    return arguments


def _built(made: type, values: dict[re.Pattern[str], Any]) -> nn.Module:
    """Return an instance, created by parameter names or by a config's settings."""
    named = _named(made, values)
    if named is None:
        n_tok, n_embd, n_heads = (values.get(pattern, 12) for pattern in (LENGTH, WIDTH, HEADS))
        config = SimpleNamespace(n_embd=n_embd, d_model=n_embd, block_size=n_tok, max_len=n_tok)
        config.n_head = config.n_heads = n_heads
        module: nn.Module = made(config).eval()
    else:
        module = made(**named).eval()
    return module
