"""Find the submitted classifier code and call its functions, in the student's child."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import torch

from graders.adapting.arguments import is_required
from graders.adapting.devices import on_cpu
from graders.adapting.gathered import NotHandedIn, code_folder, gather
from graders.adapting.offline import ready

Names = Mapping[str, Any]
WANTED = (
    "SST2Example", "SST2Dataset", "initialize_datasets", "collate_fn",
    "train_one_epoch", "evaluate", "compute_accuracy", "main",
)  # fmt: skip
STARTER = ("SST2Example", "initialize_datasets")  # the handout defines these in full
# The purpose of a parameter, by a part of its name; the first match counts.
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
    """Return the file that contains the classifier."""
    names = {"DEVICE": torch.device("cpu")}
    return gather(code_folder(), wanted=WANTED, own=("A2S3",), given=names, starter=STARTER)


def definition(name: str) -> Any:
    """Return a function or class of the student's; raise NotHandedIn if there is none."""
    ready()  # before the file imports load_dataset
    with on_cpu():
        return code()[name]


def optional(name: str) -> Any:
    """Return the same, or None if it is not defined."""
    try:
        return definition(name)
    except NotHandedIn:
        return None


def call(function: Callable[..., Any], arguments: Names) -> Any:
    """Call the function with the handout's arguments, which `arguments` contains in order.

    If all required parameters are known by name, names decide; additional ones, such as a scheduler
    or a device, are supplied too. Otherwise the order decides.
    """
    values, named = _call_arguments(function, arguments)
    return function(*values, **named)


def _call_arguments(
    function: Callable[..., Any], arguments: Names
) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments of such a call, by position and by name."""
    parameters = list(_parameters(function))
    by_name = _by_name(parameters, arguments) if len(parameters) > 1 else None
    if by_name is not None:
        return [], by_name
    values = list(arguments.values())[: places(function, len(arguments))]
    return values, _rest(parameters[len(values) :])


def accepted(function: Callable[..., Any], arguments: Names) -> Names:
    """Return the arguments of such a call by the function's own names."""
    values, named = _call_arguments(function, arguments)
    return inspect.signature(function).bind_partial(*values, **named).arguments


def _rest(parameters: list[inspect.Parameter]) -> dict[str, Any]:
    """Return what a function requires beyond the handout's arguments, including unknown names."""
    return {
        parameter.name: _extras().get(_meaning(parameter.name), "validation")
        for parameter in parameters
        if is_required(parameter)
    }


def _by_name(parameters: list[inspect.Parameter], arguments: Names) -> dict[str, Any] | None:
    """Return the arguments by the function's own names; None if a name is unknown."""
    chosen: dict[str, Any] = {}
    for parameter in parameters:
        if parameter.kind is parameter.VAR_KEYWORD:
            continue
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            return None
        demanded, meaning = parameter.default is parameter.empty, _meaning(parameter.name)
        supplied = {**_extras(), **arguments} if demanded else arguments
        if meaning in supplied:
            chosen[parameter.name] = supplied[meaning]
        elif demanded:
            return None
    return chosen


def _meaning(name: str) -> str:
    lowered = name.lower()
    meanings = (meant for meant, words in MEANT.items() if any(word in lowered for word in words))
    return next(meanings, "")


def _extras() -> dict[str, Any]:
    """Return values for arguments that students add to the handout's."""
    return {
        "scheduler": CountedSchedule(),
        "criterion": torch.nn.CrossEntropyLoss(),
        "device": torch.device("cpu"),
    }


class CountedSchedule:
    """A learning rate scheduler that changes nothing and counts its steps."""

    def __init__(self) -> None:
        self.steps = 0

    def step(self, *values: Any) -> None:
        """Keep the learning rate; a step that is given a loss or an epoch does not count."""
        self.steps += not values

    def get_last_lr(self) -> list[float]:
        """Return a dummy learning rate."""
        return [0.0]


def places(function: Callable[..., Any], count: int) -> int:
    """Return how many of the arguments a function accepts."""
    kinds = [parameter.kind for parameter in _parameters(function)]
    if inspect.Parameter.VAR_POSITIONAL in kinds or not kinds:
        return count
    named = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return min(count, sum(kind in named for kind in kinds))


def _parameters(function: Callable[..., Any]) -> Iterator[inspect.Parameter]:
    try:
        return iter(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return iter(())


def sst2_file() -> dict[str, Any]:
    """Return the file, and notes about the upload."""
    return {"file": code().file, "notes": list(code().notes)[:6]}
