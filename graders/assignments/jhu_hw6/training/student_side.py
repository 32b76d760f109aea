"""Run train() for the checks of the training loop, in the student's child."""

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import nn
from torch.utils.data import DataLoader

from graders.adapting.gathered import code_folder
from graders.adapting.raised import is_of_this_machine, is_unwritten, told

from ..student_side import by_position, code_of, globals_of, offline, settings
from ..student_spy import CPU, Classifier, items, state
from ..tuning.student_custom import NAME as CLASS
from ..tuning.student_custom import NARROW, Parts, build, prepared
from .student_log import Log

NAME = "train"
EVALUATE = "evaluate_model"


def training_log(
    weights: dict[str, Any], batches: dict[str, Any], plan: dict[str, Any], file: str
) -> dict[str, Any]:
    """Return the updates of one run; `batches` contains the training set and the held-out set.

    The plan is {epochs, batch_size, lr, brief, own}: with `brief`, only the final weights are
    returned; without `own`, the student's evaluate_model is not used. `ended` describes what the
    loop raised after it had made updates.
    """
    with offline():
        log, problem = _watched(weights, batches, plan, file)
    if problem is not None and (not log.updates or is_unwritten(problem, code_folder())):
        raise problem
    return {
        "updates": [each.plain() for each in log.updates] if not plan["brief"] else [],
        "final": _trained(log),
        "ended": told(problem, code_folder()) if problem is not None else {},
    }


def _trained(log: Log) -> dict[str, Any]:
    """Return the weights after the last step, since a loop may restore the best ones after it."""
    return next((each.after for each in reversed(log.updates) if each.steps), state(log.model))


def _watched(
    weights: dict[str, Any], batches: dict[str, Any], plan: dict[str, Any], file: str
) -> tuple[Log, BaseException | None]:
    """Return the log of the first way to run the loop that does not raise.

    An evaluate_model that raises, or an attribute of the student's own model that ours lacks, is
    not
    the loop's fault. If every way raises, the one that got furthest counts.
    """
    tried: list[tuple[Log, BaseException]] = []
    for own in (True, False) if plan["own"] else (False,):
        for make in (Classifier, partial(_like_theirs, file=file)):
            log = Log(make(weights))
            problem = _attempt(log, batches, plan, file=file, own=own)
            if problem is None:
                return log, None
            tried.append((log, problem))
    return max(tried, key=lambda each: each[0].stepped)


def _attempt(
    log: Log, batches: dict[str, Any], plan: dict[str, Any], *, file: str, own: bool
) -> BaseException | None:
    """Run the loop; return what it raises, or how it exits.

    A brief run tests what the loop learns: one that lacks something here at the end of an epoch
    continues.
    """
    epoch = -(-len(batches["train"]["labels"]) // plan["batch_size"])
    while True:
        before = log.stepped
        try:
            with log.watching():
                run(log.model, batches, plan, file=file, own=own)
        except (Exception, SystemExit) as problem:  # noqa: BLE001  told
            goes_on = plan["brief"] and is_of_this_machine(problem)
            if not goes_on or not epoch <= log.stepped - before < plan["epochs"] * epoch:
                return problem
        else:
            return None


def _like_theirs(weights: dict[str, Any], *, file: str) -> Classifier:
    """Return the classifier with the student's own model's attributes other than layers."""
    model = Classifier(weights)
    kind = {"family": "bert", "type": "full", "width": NARROW}
    for make in (build, prepared):
        try:
            _adopt(model, make(kind, file))
        except Exception:  # noqa: BLE001, S112  then the classifier alone has to do
            continue
    return model


def _adopt(model: Classifier, theirs: nn.Module | None) -> None:
    """Give our model the methods and attributes of theirs, and its layers under their names."""
    if theirs is None:
        return
    if type(theirs).__name__ == CLASS and not isinstance(model, type(theirs)):
        model.__class__ = type(Classifier.__name__, (Classifier, type(theirs)), {})
    parts = Parts(theirs)
    for name, each in theirs.named_children():
        if name not in model._modules:
            mine = model.classifier if each is parts.head else each
            inside = parts.backbone in each.modules()
            vars(model)[name] = model.model if inside else mine
    for name, value in vars(theirs).items():
        if name not in vars(model) and not name.startswith("_"):
            setattr(model, name, value)


def run(
    model: nn.Module, batches: dict[str, Any], plan: dict[str, Any], *, file: str, own: bool
) -> None:
    """Call the student's train() as its script does; `own` means with its evaluate_model."""
    train: Callable[..., Any] = code_of(file)[NAME]
    sets: list[DataLoader[Any]] = [
        DataLoader(items(batches[name]), plan["batch_size"]) for name in ("train", "held_out")
    ]
    order = [model, plan["epochs"], sets[0], sets[1], sets[1], CPU, plan["lr"]]
    if list(inspect.signature(train).parameters)[4:5] == ["device"]:
        del order[4]  # the test set is left to the script
    names = globals_of(train)
    names["args"] = settings(type=getattr(model, "type", "full"))
    kept = {EVALUATE: names[EVALUATE]} if EVALUATE in names else {}
    if not own:
        names[EVALUATE] = _evaluate
    try:
        by_position(train, order, type=getattr(model, "type", "full"))
    finally:
        torch.set_grad_enabled(True)
        names.update(kept)


def _evaluate(model: nn.Module, *_: Any, **__: Any) -> dict[str, float]:
    """Set evaluation mode and return a number, like any evaluation."""
    model.eval()
    return {"accuracy": 0.5}
