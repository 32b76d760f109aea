"""Run train_one_epoch on a small classifier, in the student's child."""

from typing import Any

import torch
from torch import nn

from ..sst2.student_code import call, wanted
from ..sst2.student_models import classifier, loader, watched
from ..sst2.student_saves import keeping, unseen
from ..sst2_data.student_side import Rows


def sst2_training(source: str, weights: int, rows: Rows, plan: dict[str, Any]) -> dict[str, Any]:
    """Train some epochs on these rows with SGD; return what the model saw, and its weights.

    The plan has `size` (of a batch), `epochs` and `lr`. The model starts each epoch in eval mode,
    as evaluate leaves it.
    """
    from graders.adapting.devices import on_cpu

    train = wanted("train_one_epoch")
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


def _arguments(
    model: nn.Module, batches: Any, optimizer: torch.optim.Optimizer, epoch: int
) -> dict[str, Any]:
    return {"model": model, "loader": batches, "optimizer": optimizer, "epoch": epoch}
