"""The classifier's code as it was handed in, and how its functions are called; beside that code."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import torch
from adapting.devices import on_cpu
from adapting.gathered import NotHandedIn, code_folder, gather

Names = Mapping[str, Any]
WANTED = (
    *("SST2Example", "SST2Dataset", "initialize_datasets", "collate_fn"),
    *("train_one_epoch", "evaluate", "compute_accuracy", "main"),
)
# What a parameter is for, by a part of its name; the first that fits counts.
MEANT = {
    "optimizer": ("optim",),
    "scheduler": ("sched",),
    "criterion": ("criterion", "loss"),
    "epoch": ("epoch",),
    "device": ("device",),
    "tokenizer": ("tok",),
    "loader": ("loader", "data", "iterator", "batches"),
    "model": ("model", "net", "classifier"),
    "predictions": ("pred", "output", "logit"),
    "items": ("batch", "sample", "example", "item", "list"),
    "labels": ("label", "target", "gold", "true"),
}


@cache
def code() -> Any:
    """The file that the classifier is taken from."""
    given = {"DEVICE": torch.device("cpu")}
    return gather(code_folder(), wanted=WANTED, own=("A2S3",), given=given)


def wanted(name: str) -> Any:
    """A function or class of the student's; raises NotHandedIn where there is none."""
    with on_cpu():
        return code()[name]


def optional(name: str) -> Any:
    """The same, or None where nothing defines it."""
    try:
        return wanted(name)
    except NotHandedIn:
        return None


def call(function: Callable[..., Any], known: Names) -> Any:
    """The function asked with the handout's arguments, which `known` holds in their order.

    Names decide where all that it demands is known by name; more than the handout gives it, as a
    scheduler or a device, is then supplied, too. Otherwise the order decides.
    """
    parameters = list(_parameters(function))
    by_name = _by_name(parameters, known) if len(parameters) > 1 else None
    if by_name is not None:
        return function(**by_name)
    values = list(known.values())[: places(function, len(known))]
    return function(*values, **_rest(parameters[len(values) :]))


def _rest(parameters: list[inspect.Parameter]) -> dict[str, Any]:
    """What a function demands beyond the handout's arguments: a name, where nobody knows what."""
    return {
        each.name: _extras().get(_meaning(each.name), "validation")
        for each in parameters
        if each.default is each.empty
        and each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)
    }


def _by_name(parameters: list[inspect.Parameter], known: Names) -> dict[str, Any] | None:
    """The arguments by the function's own names; None where one of them says nothing."""
    chosen: dict[str, Any] = {}
    for each in parameters:
        if each.kind is each.VAR_KEYWORD:
            continue
        if each.kind not in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY):
            return None
        demanded, meaning = each.default is each.empty, _meaning(each.name)
        supplied = {**_extras(), **known} if demanded else known
        if meaning in supplied:
            chosen[each.name] = supplied[meaning]
        elif demanded:
            return None
    return chosen


def _meaning(name: str) -> str:
    lowered = name.lower()
    found = (meant for meant, words in MEANT.items() if any(word in lowered for word in words))
    return next(found, "")


def _extras() -> dict[str, Any]:
    """What students add to the handout's arguments."""
    return {
        "scheduler": _NoSchedule(),
        "criterion": torch.nn.CrossEntropyLoss(),
        "device": torch.device("cpu"),
    }


class _NoSchedule:
    """A learning rate schedule that changes nothing."""

    def step(self, *_: Any) -> None:
        """Leave the learning rate as it is."""

    def get_last_lr(self) -> list[float]:
        """The rate that nobody looks at."""
        return [0.0]


def places(function: Callable[..., Any], asked: int) -> int:
    """How many of the arguments a function has places for."""
    kinds = [parameter.kind for parameter in _parameters(function)]
    if inspect.Parameter.VAR_POSITIONAL in kinds or not kinds:
        return asked
    named = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return min(asked, sum(kind in named for kind in kinds))


def _parameters(function: Callable[..., Any]) -> Iterator[inspect.Parameter]:
    try:
        return iter(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return iter(())
