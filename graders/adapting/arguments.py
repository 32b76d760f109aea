"""Compare a call of a student's function with the function's own parameters.

    def evaluate(model, loader)     evaluate(loader, model)     TypeError, as the call itself raises

A stand-in that replaces the function would accept any arguments; the function does not.
"""

import inspect
import os
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

from graders.adapting.raised import is_of_this_machine

KINDS: dict[Any, str] = {  # the first that fits counts
    torch.nn.modules.loss._Loss: "a loss function",
    torch.nn.Module: "a model",
    torch.optim.Optimizer: "an optimizer",
    torch.optim.lr_scheduler.LRScheduler: "a scheduler",
    DataLoader: "a dataloader",
    Dataset: "a dataset",
    torch.device: "a device",
    int | float: "a number",
    Mapping: "a dictionary",
    str | os.PathLike: "a string",
    torch.Tensor: "a tensor",
    list | tuple: "a list",
}
VALUES = ("a dictionary", "a string", "a tensor", "a list")


def is_required(parameter: inspect.Parameter) -> bool:
    """Return whether a call must give this argument, and may give it by name."""
    by_name = (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    return parameter.default is parameter.empty and parameter.kind in by_name


class Misfit(TypeError):
    """The arguments of a call do not fit the function that is called."""


Misfit.__name__ = "TypeError"  # as the call itself would raise, for the student to read


def require_fit(
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    works: Mapping[str, Any],
) -> None:
    """Raise Misfit if the function cannot be called with these arguments.

    `works` are arguments, by parameter, with which it works; empty if none are known. A
    parameter that works with a model, for instance, does not work with a dataloader. If that is
    not certain, as for the name of a file, it is tried.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    name = getattr(function, "__name__", "the function")
    try:
        arguments = signature.bind(*args, **kwargs).arguments
    except TypeError as problem:
        raise Misfit(f"{name}() is called with wrong arguments: {problem}") from None
    for parameter in [key for key in arguments if key in works]:
        needed, actual = _kind(works[parameter]), _kind(arguments[parameter])
        if needed == "" or actual in ("", needed):
            continue
        tried = {**works, parameter: arguments[parameter]}
        if _is_settled(parameter, needed, actual) or (
            not _works(function, signature, tried)
            and _works(function, signature, works)  # a call may change what it is given
        ):
            raise Misfit(f"{name}() is called with {actual} as `{parameter}`, not {needed}")


def _works(
    function: Callable[..., Any], signature: inspect.Signature, tried: Mapping[str, Any]
) -> bool:
    """Return whether a call does not raise, or only because something is missing here."""
    bound = inspect.BoundArguments(signature, OrderedDict(tried))
    try:
        function(*bound.args, **bound.kwargs)
    except Exception as error:  # noqa: BLE001  of whatever type
        return is_of_this_machine(error)
    return True


def _kind(value: Any) -> str:
    """Return what an argument is, or nothing if that is not certain."""
    return next((words for kind, words in KINDS.items() if isinstance(value, kind)), "")


def _is_settled(parameter: str, needed: str, actual: str) -> bool:
    """Return whether no function that works with one kind of argument can use the other.

    A loss may be any module, and a device a number. A number that the function ignores proves
    nothing, unless the parameter is an epoch.
    """
    if actual in VALUES or (needed, actual) == ("a device", "a number"):
        return False
    if needed == "a number":
        return "epoch" in parameter
    return needed not in ("a loss function", *VALUES)
