"""What train_one_epoch does to a small classifier; beside the student's code."""

from typing import Any

import torch
from adapters_sst2_code import call, wanted
from adapters_sst2_data import Rows
from adapters_sst2_models import classifier, loader, watched
from adapters_sst2_saves import keeping, unseen
from adapters_sst2_values import number
from torch import nn


def sst2_training(source: str, weights: int, rows: Rows, plan: dict[str, Any]) -> dict[str, Any]:
    """Some epochs over these rows under SGD: what the model saw, and its weights afterwards.

    The plan has `size` (of a batch), `epochs` and `lr`. The model comes in eval mode each time,
    as evaluate leaves it.
    """
    from adapting.devices import on_cpu

    train = wanted("train_one_epoch")
    batches, model = loader(source, rows, plan["size"]), classifier(weights).eval()
    optimizer = torch.optim.SGD(model.parameters(), lr=plan["lr"])
    with on_cpu(), keeping(unseen), watched(model, optimizer) as seen:
        returned = [
            number(call(train, _arguments(model.eval(), batches, optimizer, epoch)))
            for epoch in range(plan["epochs"])
        ]
    return {
        "ids": seen.ids[:64],
        "training": seen.training,
        "gradient": seen.gradient,
        "steps": seen.steps,
        "returned": returned,
        "weights": dict(model.state_dict()),
    }


def _arguments(
    model: nn.Module, batches: Any, optimizer: torch.optim.Optimizer, epoch: int
) -> dict[str, Any]:
    return {"model": model, "loader": batches, "optimizer": optimizer, "epoch": epoch}
