"""The predictions and gradients of the small classifier used for training and evaluation."""

from typing import Any

import torch
from torch.nn import functional as F

from ..student_spy import Classifier


def predictions(weights: dict[str, Any], batch: dict[str, Any]) -> torch.Tensor:
    """Return the logits (B, 2) of a batch."""
    with torch.no_grad():
        return _logits(Classifier(weights), batch)


def gradients(questions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the gradients of the correct loss and of each known mistake for each question."""
    return [_all_losses(question["weights"], question["batch"]) for question in questions]


def _all_losses(weights: dict[str, Any], batch: dict[str, Any]) -> dict[str, Any]:
    labels = torch.tensor(batch["labels"], dtype=torch.long)
    unmasked = {**batch, "attention_mask": batch["attention_mask"] * 0 + 1}
    logits = {"": batch, "unmasked": unmasked}

    def gradient(loss: Any, of: str = "") -> dict[str, torch.Tensor]:
        model = Classifier(weights)
        loss(_logits(model, logits[of])).backward()
        return {name: p.grad for name, p in model.named_parameters() if p.grad is not None}

    return {
        "right": gradient(lambda z: F.cross_entropy(z, labels)),
        "spread": gradient(lambda z: F.cross_entropy(z, torch.full_like(z, 0.5))),
        "softmax-twice": gradient(lambda z: F.cross_entropy(z.softmax(-1), labels)),
        "own-predictions": gradient(lambda z: F.cross_entropy(z, z.argmax(-1))),
        "labels-swapped": gradient(lambda z: F.cross_entropy(z, 1 - labels)),
        "label-0-ignored": gradient(
            lambda z: F.cross_entropy(z, labels, ignore_index=0, reduction="sum")
        ),
        "unmasked": gradient(lambda z: F.cross_entropy(z, labels), "unmasked"),
    }


def _logits(model: Classifier, batch: dict[str, Any]) -> torch.Tensor:
    ids, mask = (torch.tensor(batch[name]) for name in ("input_ids", "attention_mask"))
    logits: torch.Tensor = model(ids, mask)["logits"]
    return logits
