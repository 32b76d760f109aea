"""Run the student's model class for the checks of the three kinds of tuning.

Runs in the student's child. A model's parameters are assigned to parts: the pretrained model, the
linear layer with two outputs, and the rest.
"""

import inspect
from contextlib import suppress
from typing import Any

import torch
from torch import nn

from .student_side import (
    PREFIX_LENGTH,
    by_name,
    by_position,
    code_of,
    globals_of,
    offline,
    settings,
)
from .student_spy import CPU

NAME = "CustomModelforSequenceClassification"
PREPARE = "pre_process"
NARROW = 32  # the d of the stand-ins for pretrained models
MOST_TEXT = 200  # characters of an exception
HUB_NAMES = {
    "bert": "bert-base-uncased",
    "roberta": "roberta-base",
    "distilbert": "distilbert-base-uncased",
}


def custom_forward(
    spec: dict[str, Any], weights: dict[str, Any], batch: dict[str, Any], file: str
) -> dict[str, Any]:
    """Return the student's logits with these weights, and its calls of the backbone.

    `spec` is {family, type, length, width}.
    """
    with offline():
        from graders.adapting.offline.models import has_hub_weights

        model = build(spec, file)
        parts = Parts(model)
        pretrained = has_hub_weights(parts.backbone, [spec["family"]])
        parts.load(weights)
        prefix = _size(parts, spec)  # before forward(), which may only now create one
        model.eval()
        calls: list[dict[str, Any]] = []
        parts.backbone.register_forward_pre_hook(
            lambda model, *given: calls.append(_call(model, *given)), with_kwargs=True
        )
        logits, shape = logits_of(called(model, batch))
        random = _is_random(model, batch, logits)
        again = _again(model, batch)
        gradients = gradients_of(model, logits)
        training = _in_training(model, batch)
    return {
        "logits": logits.detach(),
        "kind": shape,
        "calls": calls[:4],
        "parts": parts.description(),
        "pretrained": pretrained,
        "prefix": prefix,
        "gradients": gradients,
        "training": training,
        "again": again,
        "random": random,
    }


def _is_random(model: nn.Module, batch: dict[str, Any], logits: torch.Tensor) -> bool:
    """Return whether the same batch gets other logits in a second call."""
    with suppress(Exception):  # _again reports it
        return not torch.allclose(logits_of(called(model, batch))[0], logits)
    return False


def _again(model: nn.Module, batch: dict[str, Any]) -> Any:
    """Return the logits of a smaller second batch, or what it raises: all rows but the first.

    Their order is reversed. Nothing is returned if the batch has one row.
    """
    rows = {name: values[:0:-1].copy() for name, values in batch.items()}
    try:
        return logits_of(called(model, rows))[0].detach() if len(rows["input_ids"]) else None
    except Exception as problem:  # noqa: BLE001  told
        return f"{type(problem).__name__}: {problem}"[:MOST_TEXT]


def _in_training(model: nn.Module, batch: dict[str, Any]) -> torch.Tensor | None:
    """Return the logits in training mode without dropout; None if they are random."""
    model.train()
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
    try:
        first, again = (logits_of(called(model, batch))[0].detach() for _ in range(2))
    except Exception:  # noqa: BLE001  another check reports it
        return None
    return first if torch.equal(first, again) else None


def called(model: nn.Module, batch: dict[str, Any]) -> Any:
    """Return the model's output for the ids and the mask of a batch."""
    arguments = {name: torch.tensor(batch[name]) for name in ("input_ids", "attention_mask")}
    named = set(arguments) <= set(inspect.signature(model.forward).parameters)
    return model(**arguments) if named else model(*arguments.values())


def _size(parts: "Parts", spec: dict[str, Any]) -> int:
    """Return the number of elements of the prefix; 0 if none has the requested length."""
    pieces = parts.prefix(spec.get("length", PREFIX_LENGTH) * spec["width"])
    return sum(piece.numel() for piece in pieces)


def width(family: str, file: str) -> int:
    """Return the d that the student's classifier expects: the backbone's, or a hard-coded one."""
    with offline():
        head = Parts(build({"family": family, "type": "full", "width": NARROW}, file)).head
    return NARROW if head is None else int(head.in_features)


def build(spec: dict[str, Any], file: str) -> nn.Module:
    """Return the student's model of a family and type, with this prefix length if it can vary."""
    from graders.adapting.offline.models import set_shape

    set_shape(width=spec["width"], dropout=0.0)
    model_class = code_of(file)[NAME]
    length = spec.get("length", PREFIX_LENGTH)
    names = globals_of(model_class)
    names["prefix_length"] = length
    names["args"] = settings(
        model=HUB_NAMES[spec["family"]], type=spec["type"], prefix_length=length
    )
    named = {"model_name": HUB_NAMES[spec["family"]], "num_labels": 2, "type": spec["type"]}
    parameters = inspect.signature(model_class).parameters
    more = {name: length for name, param in parameters.items() if _is_length(name, param.default)}
    if "num_labels" not in parameters and "type" in parameters:
        del named["num_labels"]
    model: nn.Module = by_name(model_class, named, **more)
    return model


def prepared(spec: dict[str, Any], file: str) -> nn.Module | None:
    """Return the model that the student's pre_process creates, if there is one that does."""
    provide_rows()
    options = {"model_name": HUB_NAMES[spec["family"]], "batch_size": 4, "device": CPU}
    values = [*options.values(), True]
    try:
        prepare = code_of(file)[PREPARE]
        result = by_position(prepare, values, type=spec["type"])
    except Exception:  # noqa: BLE001  what it does beside is not judged
        return None
    results = result if isinstance(result, list | tuple) else [result]
    return next((one for one in results if isinstance(one, nn.Module)), None)


def provide_rows() -> None:
    """Make `load_dataset("boolq")` return a table of invented questions."""
    from graders.adapting.offline import datasets

    datasets.set_rows("boolq", {"train": datasets.BOOLQ * 2400, "validation": datasets.BOOLQ * 5})


def _is_length(name: str, default: Any) -> bool:
    """Return whether a parameter is the prefix's length: not its dropout, nor an on/off option."""
    return "prefix" in name and (default in (None, inspect.Parameter.empty) or type(default) is int)


class Parts:
    """The parameters of a student's model, by part."""

    def __init__(self, model: nn.Module) -> None:
        from transformers import PreTrainedModel

        self.model = model
        kinds = [module for module in model.modules() if isinstance(module, PreTrainedModel)]
        pretrained = [module for module in kinds if module is not model] or kinds
        if not pretrained:
            raise LookupError("the model contains no pretrained model from transformers")
        self.backbone: nn.Module = pretrained[0].base_model
        inside = {id(p) for p in self.backbone.parameters()}
        self.outside = {name: p for name, p in model.named_parameters() if id(p) not in inside}
        heads = [
            module
            for module in model.modules()
            if isinstance(module, nn.Linear)
            and module.out_features == 2
            and id(module.weight) not in inside
        ]
        self.head = heads[-1] if heads else None

    def prefix(self, size: int) -> list[torch.Tensor]:
        """Return the parameter with this many elements that is neither backbone nor head.

        There may also be equal ones with this many together: a list of the prefix's vectors.
        If there is no such parameter, a tensor called `prefix` may replace it.
        """
        rest: list[torch.Tensor] = [
            p for name, p in self.outside.items() if self.part(name, p) == "rest"
        ]
        fitting = [p for p in rest if p.numel() == size]
        if len(fitting) == 1:
            return fitting
        if rest:
            equal = len({p.shape for p in rest}) == 1 and len(rest) * rest[0].numel() == size
            return rest if equal else []
        plain = getattr(self.model, "prefix", None)
        return [plain] if isinstance(plain, torch.Tensor) else []

    def part(self, name: str, parameter: torch.Tensor) -> str:
        """Return the part of a parameter."""
        if name not in self.outside:
            return "backbone"
        head = () if self.head is None else self.head.parameters()
        return "head" if any(parameter is weight for weight in head) else "rest"

    def description(self) -> dict[str, Any]:
        """Return each parameter's part and shape, in a form that can be sent."""
        return {
            name: {"part": self.part(name, p), "shape": list(p.shape)}
            for name, p in self.model.named_parameters()
            if name in self.outside
        }

    def load(self, weights: dict[str, Any]) -> None:
        """Copy the given weights into the parameters that the model has."""
        parameters = dict(self.backbone.named_parameters())
        with torch.no_grad():
            for name, value in weights["backbone"].items():
                _copy(parameters.get(name), value)
            if self.head is None:
                return
            _copy(self.head.weight, weights["weight"])
            _copy(self.head.bias, weights["bias"])
            if weights.get("prefix") is not None:
                pieces = self.prefix(weights["prefix"].size)
                whole = weights["prefix"]
                rows = whole.reshape(len(pieces), -1) if len(pieces) > 1 else [whole]
                for piece, row in zip(pieces, rows, strict=False):
                    _copy(piece, row)


def _copy(parameter: torch.Tensor | None, values: Any) -> None:
    """Copy values if there are as many as the parameter has elements.

    A matrix of exchanged rows and columns, such as a prefix of shape (d, length), is transposed.
    """
    if parameter is not None and parameter.numel() == values.size:
        if values.ndim > 1 and parameter.squeeze().shape == values.shape[::-1] != values.shape:
            values = values.T
        parameter.copy_(torch.tensor(values).reshape(parameter.shape))


def logits_of(output: Any) -> tuple[torch.Tensor, str]:
    """Return the logits of an output, and the kind of output."""
    if isinstance(output, torch.Tensor):
        return output, "tensor"
    if isinstance(output, dict) and isinstance(output.get("logits"), torch.Tensor):
        return output["logits"], "dict"
    if isinstance(getattr(output, "logits", None), torch.Tensor):
        return output.logits, "object"
    raise TypeError(f"forward returns {type(output).__name__} without logits")


def _call(model: nn.Module, args: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
    """Return the tensors in a call of the backbone, by the names of its parameters."""
    names = list(inspect.signature(model.forward).parameters)
    values = {**dict(zip(names, args, strict=False)), **named}
    return {
        name: value.detach().clone()
        for name, value in values.items()
        if isinstance(value, torch.Tensor)
    }


def gradients_of(model: nn.Module, logits: torch.Tensor) -> dict[str, float]:
    """Return the largest gradient of each parameter, for a loss that uses every logit."""
    if not logits.requires_grad:
        return {}
    model.zero_grad()
    loss = (logits * torch.randn_like(logits)).sum()
    loss.backward()  # type: ignore[no-untyped-call]  # torch has no types for it
    return {
        name: float(p.grad.abs().max())
        for name, p in model.named_parameters()
        if p.grad is not None and p.numel() > 0
    }
