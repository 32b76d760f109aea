"""Run train_one_epoch on a small classifier, in the student's child."""

import inspect
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import torch
from torch import nn

from graders.adapting.devices import on_cpu
from graders.adapting.moves import MOVERS, Moves, moves_only_batches, moves_tensors, moving

from ..sst2.student_code import call, code, definition, optional
from ..sst2.student_models import classifier, loader, watched
from ..sst2.student_saves import keeping, unseen
from ..sst2_data.student_side import Rows


def sst2_training(source: str, weights: int, rows: Rows, plan: dict[str, Any]) -> dict[str, Any]:
    """Train some epochs on these rows with SGD; return what the model saw, and its weights.

    The plan has `size` (of a batch), `epochs` and `lr`. The model starts each epoch in eval mode,
    as evaluate leaves it.
    """
    train = definition("train_one_epoch")
    batches, model = loader(source, rows, plan["size"]), classifier(weights).eval()
    optimizer = torch.optim.SGD(model.parameters(), lr=plan["lr"])
    with on_cpu(), keeping(unseen), watched(model, optimizer) as seen:
        for epoch in range(plan["epochs"]):
            call(train, _arguments(model.eval(), batches, optimizer, epoch))
    return {
        "ids": seen.ids[:64],
        "training": seen.training,
        "gradient": seen.gradient,
        "steps": seen.steps,
        "weights": dict(model.state_dict()),
    }


def sst2_long_epoch(source: str, weights: int, rows: Rows, size: int) -> int:
    """Return the number of optimizer steps in one epoch; the model learns its last bias only."""
    model, steps = classifier(weights), []
    model.forward = partial(_bias, model)  # much faster than the layers
    batches, optimizer = loader(source, rows, size), torch.optim.SGD(model.parameters(), lr=0.01)
    optimizer.register_step_pre_hook(lambda *_: steps.append(1))
    with on_cpu(), keeping(unseen):
        call(definition("train_one_epoch"), _arguments(model, batches, optimizer, 0))
    return len(steps)


def _bias(model: Any, input_ids: Any, *_: Any, labels: Any = None, **__: Any) -> Any:
    from transformers.modeling_outputs import SequenceClassifierOutput

    logits = model.classifier.out_proj.bias.expand(len(input_ids), -1)
    loss = None if labels is None else nn.functional.cross_entropy(logits, labels)
    return SequenceClassifierOutput(loss=loss, logits=logits)


def _arguments(
    model: nn.Module, batches: Any, optimizer: torch.optim.Optimizer, epoch: int
) -> dict[str, Any]:
    return {"model": model, "loader": batches, "optimizer": optimizer, "epoch": epoch}


LOOPS = ("train_one_epoch", "evaluate")
GPU = torch.device("cuda")


def sst2_left_on_cpu(weights: int, rows: Rows, size: int) -> list[str]:
    """Return the loops that leave tensors on the CPU which meet moved ones.

    If one of the loops moves its batches, the other has to move them, too, and main the model. If
    other code may move the batches, nothing is known.
    """
    loops = []
    if "main" in code() and moves_only_batches(code().source("main")):
        loops.append("main")
    for source in ("given", "own"):
        train, evaluate = (_moves(name, source, weights, rows, size) for name in LOOPS)
        pairs = zip(LOOPS, (train, evaluate), (evaluate, train), strict=True)
        loops += [name for name, moves, other in pairs if moves.met or moves.is_left_behind(other)]
    return loops if not _is_moved_elsewhere() else []


def _moves(name: str, source: str, weights: int, rows: Rows, size: int) -> Moves:
    """Return what one run of a loop moves."""
    model, moves = classifier(weights), Moves()
    # An evaluate that leaves gradients off must not affect later checks.
    with suppress(Exception, SystemExit), on_cpu(), _on_gpu(name), torch.enable_grad():
        batches = loader(source, rows, size)
        collate = batches.collate_fn
        batches.collate_fn = lambda items: moves.loaded(collate(items))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        values = _arguments(model, batches, optimizer, 0)
        if name != LOOPS[0]:
            values = {key: values[key] for key in ("model", "loader")}
        with moving(model, moves):
            call(definition(name), {**values, "device": GPU})
    return moves


@contextmanager
def _on_gpu(name: str) -> Iterator[None]:
    """Name a GPU in each global of a loop's file that is a device."""
    names = inspect.unwrap(definition(name)).__globals__
    devices = {
        key: value
        for key, value in names.items()
        if isinstance(value, torch.device) or (value == "cpu" and "device" in key.lower())
    }
    names.update(dict.fromkeys(devices, GPU))
    try:
        yield
    finally:
        names.update(devices)


def _is_moved_elsewhere() -> bool:
    """Return whether something besides the loops may move batches, such as the dataset."""
    if any(word in text for text in code().texts() for word in MOVERS):
        return True
    return any(moves_tensors(optional(name)) for name in ("SST2Dataset", "collate_fn"))
