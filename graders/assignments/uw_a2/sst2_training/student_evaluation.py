"""Call evaluate and compute_accuracy on known predictions, in the student's child."""

import contextlib
import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import nn

from graders.adapting.devices import on_cpu

from ..sst2.student_code import call, definition
from ..sst2.student_models import classifier, loader, tokenizer, watched
from ..sst2.student_saves import keeping, unseen
from ..sst2.student_values import number

SURE = 2.0  # half the difference of the logits
DROPOUT = 0.1  # its effect on the logits is replaced
UNDOING = ("requires_grad", "grad_enabled", "enable_grad")


def sst2_evaluations(
    source: str, weights: int, cases: list[dict[str, Any]], classes: dict[str, int]
) -> list[dict[str, Any]]:
    """Return evaluate's result for each case, and the model's mode during the call.

    The model predicts the class of a text's first word. It starts in training mode and with the
    gradients of an earlier batch. A case `again` has the previous loader, and a model that has
    changed: it predicts the other class. `held_back` says that train_one_epoch does less to a model
    that was evaluated than to another.
    """
    model, replies = classifier(weights), []
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = DROPOUT
    with on_cpu(), keeping(unseen), _gradients_on():
        for case in cases:
            if case["again"]:
                _scale(model)
                labels = {word: 1 - label for word, label in classes.items()}
            else:
                batches, labels = loader(source, case["rows"], case["size"]), classes
            with predicting(model, labels):
                replies.append(_evaluated(model, batches))
        frozen = not all(parameter.requires_grad for parameter in model.parameters())
        held = (frozen or not torch.is_grad_enabled()) and not _is_undone_by_main()
        held = held and _is_held_back(model, classifier(weights), batches)
    return [{**reply, "held_back": held} for reply in replies]


@contextlib.contextmanager
def _gradients_on() -> Iterator[None]:
    """Track gradients again after this block."""
    try:
        yield
    finally:
        torch.set_grad_enabled(True)


def _is_undone_by_main() -> bool:
    """Return whether main itself turns gradients on or off, which only its own run would show."""
    try:
        source = inspect.getsource(inspect.unwrap(definition("main")))
    except Exception:  # noqa: BLE001  no main, or no source of it
        return False
    return any(word in source for word in UNDOING)


def _is_held_back(evaluated: nn.Module, new: nn.Module, batches: Any) -> bool:
    """Return whether train_one_epoch changes fewer weights of the model that was evaluated.

    Gradients are tracked for the evaluated one only if they still are.
    """
    changed = _trained(evaluated, batches)
    with torch.enable_grad():
        return not _trained(new, batches) <= changed


def _trained(model: nn.Module, batches: Any) -> set[str]:
    """Return the weights that an epoch of training changes."""
    before = {name: weight.detach().clone() for name, weight in model.named_parameters()}
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    values = {"model": model, "loader": batches, "optimizer": optimizer, "epoch": 0}
    with contextlib.suppress(Exception, SystemExit):
        call(definition("train_one_epoch"), values)
    return {name for name, weight in model.named_parameters() if not weight.equal(before[name])}


def _scale(model: nn.Module) -> None:
    """Change all weights, as training does."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(1.01)


def _evaluated(model: nn.Module, batches: Any) -> dict[str, Any]:
    model.train()
    for parameter in model.parameters():
        parameter.grad = torch.full_like(parameter, 0.5)
    before = _state(model)
    with watched(model) as seen:
        returned = call(definition("evaluate"), {"model": model, "loader": batches})
    after = _state(model)
    return {
        "returned": number(returned),
        "masked": seen.masked,
        "whole": seen.whole,
        "training": seen.training,
        "gradient": seen.gradient,
        "changed": [name for name in before if not torch.equal(before[name], after[name])][:4],
    }


def _state(model: nn.Module) -> dict[str, torch.Tensor]:
    """Return copies of weights, buffers, gradients and the probabilities of dropout.

    A missing gradient is an empty tensor.
    """
    state = {name: value.detach().clone() for name, value in model.state_dict().items()}
    state |= {
        f"{name}, its probability": torch.tensor(module.p)
        for name, module in model.named_modules()
        if isinstance(module, nn.Dropout)
    }
    for name, parameter in model.named_parameters():
        grad = parameter.grad
        state[f"{name}, its gradient"] = torch.zeros(0) if grad is None else grad.clone()
    return state


@contextlib.contextmanager
def predicting(model: nn.Module, classes: dict[str, int]) -> Iterator[None]:
    """Make the model predict the class of each text's first word."""
    encoder = tokenizer()
    ids = {int(encoder(word)["input_ids"][1]): label for word, label in classes.items()}

    def answer(_: nn.Module, args: Any, kwargs: Any, output: Any) -> Any:
        input_ids = kwargs.get("input_ids", args[0] if args else None)
        rows = [[ids[id_] for id_ in row if id_ in ids][:1] or [0] for row in input_ids.tolist()]
        logits = SURE * (2 * nn.functional.one_hot(torch.tensor(rows)[:, 0], 2).float() - 1)
        # Their signs say nothing: both are positive in some rows, and both negative in others.
        logits += 2 * SURE * (1 - 2 * (input_ids.sum(dim=1, keepdim=True).cpu() % 2))
        return _with_logits(output, logits, kwargs.get("labels"))

    handle = model.register_forward_hook(answer, with_kwargs=True)
    try:
        yield
    finally:
        handle.remove()


def _with_logits(output: Any, logits: torch.Tensor, labels: torch.Tensor | None) -> Any:
    """Return the output of a classifier with other logits and their loss.

    The real logits are added with weight 0, so that gradients still reach the weights.
    """
    old = output.logits if hasattr(output, "logits") else output[-1]
    logits = logits + 0.0 * old
    loss = None if labels is None else nn.functional.cross_entropy(logits, labels.view(-1))
    if not hasattr(output, "logits"):
        return (logits,) if loss is None else (loss, logits)
    output["logits"] = logits
    if loss is not None:
        output["loss"] = loss
    return output


def sst2_accuracies(cases: list[dict[str, list[int]]]) -> dict[str, list[dict[str, Any]]]:
    """Return compute_accuracy's result for each case, by the type of its arguments.

    Types on which it raises are omitted; if it raises on all, the last exception is raised.
    """
    compute = definition("compute_accuracy")
    replies: dict[str, list[dict[str, Any]]] = {}
    problem: Exception | None = None
    for kind, make in _KINDS.items():
        try:
            replies[kind] = [
                number(call(compute, {name: make(name, case[name]) for name in _ORDER}))
                for case in cases
            ]
        except Exception as error:  # noqa: BLE001  raised below if no type is accepted
            problem = problem or error
    if not replies and problem is not None:
        raise problem
    return replies


def _logits(name: str, values: list[int]) -> torch.Tensor:
    """Return predictions as the model returns them, and the labels unchanged."""
    labels = torch.tensor(values)
    return nn.functional.one_hot(labels, 2).float() if name == "predictions" else labels


_ORDER = ("predictions", "labels")
_KINDS = {
    "tensors": lambda _, values: torch.tensor(values),
    "lists": lambda _, values: list(values),
    "arrays": lambda _, values: np.array(values),
    "logits": _logits,
}
