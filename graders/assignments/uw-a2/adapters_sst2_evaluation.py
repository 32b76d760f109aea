"""What evaluate and compute_accuracy say of predictions that are known; beside that code."""

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from adapters_sst2_code import call, wanted
from adapters_sst2_models import classifier, loader, tokenizer, watched
from adapters_sst2_saves import keeping, unseen
from adapters_sst2_values import number
from torch import nn

SURE = 2.0  # the logit of the class that is predicted


def sst2_evaluations(
    source: str, weights: int, cases: list[dict[str, Any]], classes: dict[str, int]
) -> list[dict[str, Any]]:
    """What evaluate returns for each case {rows, size}, and how the model stood meanwhile.

    The model predicts the class of a text's first word. It comes in training mode and with
    gradients of an earlier batch.
    """
    from adapting.devices import on_cpu

    model = classifier(weights)
    with on_cpu(), keeping(unseen), predicting(model, classes):
        return [_evaluated(model, source, case) for case in cases]


def _evaluated(model: nn.Module, source: str, case: dict[str, Any]) -> dict[str, Any]:
    batches = loader(source, case["rows"], case["size"])
    model.train()
    for parameter in model.parameters():
        parameter.grad = torch.full_like(parameter, 0.5)
    before = _state(model)
    with watched(model) as seen:
        returned = call(wanted("evaluate"), {"model": model, "loader": batches})
    after = _state(model)
    return {
        "returned": number(returned),
        "masked": seen.masked,
        "training": seen.training,
        "gradient": seen.gradient,
        "changed": [name for name in before if not torch.equal(before[name], after[name])][:4],
        "leaves_training": model.training,
    }


def _state(model: nn.Module) -> dict[str, torch.Tensor]:
    """Weights, buffers and gradients, as they are now; a gradient that is gone is no number."""
    state = {name: value.detach().clone() for name, value in model.state_dict().items()}
    for name, parameter in model.named_parameters():
        grad = parameter.grad
        state[f"{name}, its gradient"] = torch.zeros(0) if grad is None else grad.clone()
    return state


@contextlib.contextmanager
def predicting(model: nn.Module, classes: dict[str, int]) -> Iterator[None]:
    """Let the model predict the class of each text's first word."""
    known = tokenizer()
    ids = {int(known(word)["input_ids"][1]): label for word, label in classes.items()}

    def answer(_: nn.Module, args: Any, kwargs: Any, output: Any) -> Any:
        asked = kwargs.get("input_ids", args[0] if args else None)
        rows = [[ids[each] for each in row if each in ids][:1] or [0] for row in asked.tolist()]
        logits = SURE * (2 * nn.functional.one_hot(torch.tensor(rows)[:, 0], 2).float() - 1)
        return _with_logits(output, logits, kwargs.get("labels"))

    handle = model.register_forward_hook(answer, with_kwargs=True)
    try:
        yield
    finally:
        handle.remove()


def _with_logits(output: Any, logits: torch.Tensor, labels: torch.Tensor | None) -> Any:
    """The output of a classifier with other logits, and with the loss of these.

    The real ones take part with nothing, so that a gradient still reaches the weights.
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
    """What compute_accuracy returns for each case, by the kind of its arguments.

    A kind on which it raises is left out; the last exception is raised where it is all of them.
    """
    compute = wanted("compute_accuracy")
    replies: dict[str, list[dict[str, Any]]] = {}
    problem: Exception | None = None
    for kind, make in _KINDS.items():
        try:
            replies[kind] = [
                number(call(compute, {name: make(name, case[name]) for name in _ORDER}))
                for case in cases
            ]
        except Exception as error:  # noqa: BLE001  raised below where no kind is taken
            problem = problem or error
    if not replies and problem is not None:
        raise problem
    return replies


def _logits(name: str, values: list[int]) -> torch.Tensor:
    """Predictions as the model gives them; labels as they are."""
    labels = torch.tensor(values)
    return nn.functional.one_hot(labels, 2).float() if name == "predictions" else labels


_ORDER = ("predictions", "labels")
_KINDS = {
    "tensors": lambda _, values: torch.tensor(values),
    "lists": lambda _, values: list(values),
    "arrays": lambda _, values: np.array(values),
    "logits": _logits,
}
