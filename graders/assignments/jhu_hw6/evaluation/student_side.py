"""Run evaluate_model for the checks, in the student's child."""

from contextlib import suppress
from functools import partial
from typing import Any

import torch
from torch import nn
from torch.utils.data import DataLoader

from ..boolq_data.student_side import own_forms
from ..student_side import by_name, code_of, offline
from ..student_spy import CPU, Classifier, items, state
from ..training.student_side import SETS, like_theirs, run_on

NAME = "evaluate_model"


def evaluations(
    weights: dict[str, Any], batch: dict[str, Any], sizes: list[int], file: str, dropout: float
) -> list[dict[str, Any]]:
    """Evaluate the same model with each batch size; return results and effects on the model.

    `held_back` says that train() does less to a model that was evaluated than to another.
    """
    with offline():
        evaluate = code_of(file)[NAME]
        problems: list[Exception] = []
        for sets in own_forms({"held_out": batch}, file):
            models = [Classifier(weights, dropout=dropout) for _ in sizes]
            try:
                replies = [
                    _evaluated(evaluate, model, sets["held_out"], size)
                    for model, size in zip(models, sizes, strict=True)
                ]
            except Exception as problem:  # noqa: BLE001  raised below
                problems.append(problem)
            else:
                frozen = not all(p.requires_grad for p in models[0].parameters())
                held = frozen or not torch.is_grad_enabled()
                held = held and _is_held_back(weights, sets["held_out"], file)
                return [{**reply, "held_back": held} for reply in replies]
            finally:
                torch.set_grad_enabled(True)
        raise problems[0]


def _evaluated(evaluate: Any, model: Classifier, batch: dict[str, Any], size: int) -> Any:
    """Return the result, the mode of each forward pass, and what was changed.

    Then the model changes all its answers, and the result is asked for again.
    """
    modes: list[list[bool]] = []
    masked: list[bool] = []

    def look(_: nn.Module, args: Any, named: dict[str, Any]) -> None:
        modes.append([model.trains, torch.is_grad_enabled()])
        arguments = {**dict(zip(("input_ids", "attention_mask"), args, strict=False)), **named}
        masked.append(_hides_padding(arguments.get("input_ids"), arguments.get("attention_mask")))

    model.train()  # as between two epochs
    model.zero_grad()
    before, rate = state(model), model.dropout.p
    handle = model.register_forward_pre_hook(look, with_kwargs=True)
    named = _arguments(model, batch, size)
    try:
        value = by_name(evaluate, named)
    finally:
        handle.remove()
    reply = {
        "value": _plain(value),
        "modes": modes,
        "masked": masked,
        "changed": [name for name, p in model.named_parameters() if not p.equal(before[name])],
        "graded": [name for name, p in model.named_parameters() if _has_gradient(p)],
        "dropout": model.dropout.p == rate,
    }
    with torch.no_grad():
        for parameter in model.classifier.parameters():
            parameter.neg_()
    return {**reply, "again": _plain(by_name(evaluate, named))}


def _is_held_back(weights: dict[str, Any], batch: dict[str, Any], file: str) -> bool:
    """Return whether train() changes fewer parameters of a model that was evaluated.

    A train() that undoes what evaluate_model did changes the same ones. Nothing is known if it
    changes none of a new model.
    """
    for make in (Classifier, partial(like_theirs, file=file)):
        new, evaluated = make(weights), make(weights)
        changed = _trained(new, batch, file)
        if changed:
            by_name(code_of(file)[NAME], _arguments(evaluated, batch, 4))
            return not changed <= _trained(evaluated, batch, file)
    return False


def _trained(model: Classifier, batch: dict[str, Any], file: str) -> set[str]:
    """Return the parameters that one epoch of train() changes."""
    before = state(model)
    loaders = [_arguments(model, batch, 4)["dataloader"] for _ in SETS]
    with suppress(Exception, SystemExit):
        run_on(model, loaders, {"epochs": 1, "lr": 0.01}, file=file, own=False)
    return {name for name, p in model.named_parameters() if not p.equal(before[name])}


def _arguments(model: Classifier, batch: dict[str, Any], size: int) -> dict[str, Any]:
    loader: DataLoader[Any] = DataLoader(items(batch), batch_size=size)
    return {"model": model, "dataloader": loader, "device": CPU}


def _hides_padding(ids: Any, mask: Any) -> bool:
    """Return whether a mask is 1 for the words and 0 for padding; it may be missing without any."""
    if not isinstance(ids, torch.Tensor):
        return False
    words = ids != 0
    if not isinstance(mask, torch.Tensor):
        return bool(words.all())
    return mask.shape == ids.shape and torch.equal(mask, words.to(mask.dtype))


def _has_gradient(parameter: nn.Parameter) -> bool:
    return parameter.grad is not None and bool(parameter.grad.abs().max() > 0)


def _plain(value: Any) -> Any:
    """Return numbers unchanged; other types by their name."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, torch.Tensor):
        return value.item() if value.numel() == 1 else {"type": f"tensor {tuple(value.shape)}"}
    if hasattr(value, "item") and getattr(value, "size", 0) == 1:
        return value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return {"type": type(value).__name__}
