"""Finds the student's functions in whichever files define them; runs beside that code."""

import inspect
import re
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from adapting.devices import on_cpu
from adapting.gathered import NotHandedIn, code_folder, gather
from adapting.listing import list_code

FILES = ("base_classification", "classification")
PREFIX_LENGTH = 128


def settings(**changes: Any) -> Namespace:
    """What the command line gives; the starter keeps it in a global `args`."""
    given = {"small_subset": True, "num_epochs": 2, "lr": 1e-3, "batch_size": 4, "device": "cpu"}
    more = {"model": "distilbert-base-uncased", "type": "full", "prefix_length": PREFIX_LENGTH}
    return Namespace(**{**given, **more, **changes})


def files_with(name: str) -> list[str]:
    """The stems of the files that define this name, the starter's first."""
    stems: dict[str, None] = {}
    for path in list_code(code_folder(), FILES).paths:
        if re.search(rf"\b(def|class)\s+{name}\b", path.read_text("utf-8", "replace")):
            stems[path.stem] = None
    found = [stem for stem in stems if _defines(stem, name)]
    return found or _bound(name)


def _bound(name: str) -> list[str]:
    """The file that gives the name in another way, as by an assignment; none if it is not there."""
    gathered = code_of(name, file="")
    try:
        with on_cpu():
            gathered[name]
    except (ImportError, NotHandedIn):
        return []
    return [Path(gathered.file).stem]


def _defines(stem: str, name: str) -> bool:
    """Whether it is really taken from there: a copy or a comment is not."""
    gathered = code_of(name, file=stem)
    return name in gathered.found and Path(gathered.file).stem == stem


@cache
def code_of(*names: str, file: str) -> Any:
    """These names from a file of this stem, or from where else they stand."""
    given = {"prefix_length": PREFIX_LENGTH, "args": settings()}
    return gather(code_folder(), wanted=names, prefer=(file,) if file else FILES, given=given)


def globals_of(made: Any) -> dict[str, Any]:
    """The globals of the file that a function or class stands in."""
    functions = [made, *vars(made).values()] if isinstance(made, type) else [made]
    found = (getattr(inspect.unwrap(each), "__globals__", None) for each in functions)
    return next((names for names in found if names is not None), {})


@contextmanager
def offline() -> Iterator[None]:
    """No network and no GPU are needed inside the block."""
    from adapting import offline as stand_ins

    stand_ins.ready()
    with on_cpu():
        yield


def by_name(function: Any, named: dict[str, Any], **more: Any) -> Any:
    """Call with keywords where the parameters have the handout's names, else by position."""
    parameters = inspect.signature(function).parameters
    if not set(named) <= set(parameters):
        return by_position(function, list(named.values()), **more)
    return function(**{**_required(parameters), **more, **named})


def by_position(function: Any, values: list[Any], **more: Any) -> Any:
    """Call by position; what it asks for beyond gets what the command line would give.

    `more` is given to a parameter of that name whether it has a default or not.
    """
    parameters = inspect.signature(function).parameters
    rest = dict.fromkeys(list(parameters)[len(values) :])
    required = {name: each for name, each in _required(parameters).items() if name in rest}
    asked = {name: each for name, each in more.items() if name in rest}
    return function(*values, **{**required, **asked})


def _required(parameters: Any) -> dict[str, Any]:
    """The parameters without a default, each with what it would be given."""
    known = {**vars(settings()), "model_name": settings().model, "num_labels": 2}
    plain = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return {
        name: known.get(name)
        for name, each in parameters.items()
        if each.default is each.empty and each.kind in plain
    }
