"""The output of a transformers backbone for a text, with and without a prefix."""

from functools import cache
from typing import Any

import numpy as np
import torch
from torch import nn

from graders.adapting.offline import ready
from graders.adapting.offline.models import tiny_model

Tensor = torch.Tensor


def backbone_weights(family: str, draw: int, width: int) -> dict[str, Any]:
    """Draw weights that are large enough for every part of the model to affect its output."""
    generator = np.random.default_rng(draw)
    model = _backbone(family, width)
    return {name: _drawn(generator, name, p) for name, p in model.named_parameters()}


def _drawn(generator: np.random.Generator, name: str, parameter: Tensor) -> Any:
    values = generator.standard_normal(tuple(parameter.shape), dtype=np.float32)
    if parameter.ndim > 1:
        return values if "embeddings" in name else values * 1.5 / np.sqrt(parameter.shape[-1])
    return values * np.float32(0.3) + (np.float32(1) if name.endswith("orm.weight") else 0)


def pooled_logits(
    family: str, weights: dict[str, Any], batch: dict[str, Any]
) -> dict[str, dict[str, Tensor]]:
    """Return a text's logits for each way to call the backbone and each way to pool."""
    model, head = _loaded(family, weights)
    ids, mask = torch.tensor(batch["input_ids"]), torch.tensor(batch["attention_mask"])
    with torch.no_grad():
        calls = {
            "right": model(input_ids=ids, attention_mask=mask),
            "no-mask": model(input_ids=ids, attention_mask=torch.ones_like(mask)),
        }
        return {name: _pooled(output, head, mask, 0) for name, output in calls.items()}


def prefix_logits(
    family: str, weights: dict[str, Any], batch: dict[str, Any]
) -> dict[str, dict[str, Tensor]]:
    """Return the same with a prefix, correctly inserted and with each known mistake."""
    model, head = _loaded(family, weights)
    ids, mask = torch.tensor(batch["input_ids"]), torch.tensor(batch["attention_mask"])
    B, L = len(ids), len(weights["prefix"])
    prefix = torch.tensor(weights["prefix"]).expand(B, L, -1)  # (B, L, D)
    ones = torch.ones(B, L, dtype=mask.dtype)
    words = model.get_input_embeddings()(ids)  # (B, T, D)
    twice = model.embeddings(ids)
    extended = torch.cat((ones, mask), 1)  # (B, L + T)
    ways = {
        "right": (torch.cat((prefix, words), 1), extended, L),
        "twice": (torch.cat((prefix, twice), 1), extended, L),
        "appended": (torch.cat((words, prefix), 1), torch.cat((mask, ones), 1), 0),
        "appended-mask-first": (torch.cat((words, prefix), 1), extended, 0),
        "mask-appended": (torch.cat((prefix, words), 1), torch.cat((mask, ones), 1), L),
        "hidden": (torch.cat((prefix, words), 1), torch.cat((ones * 0, mask), 1), L),
        "no-mask": (torch.cat((prefix, words), 1), torch.ones_like(extended), L),
    }
    with torch.no_grad():
        return {
            name: _pooled(model(inputs_embeds=inputs, attention_mask=seen), head, seen, start)
            for name, (inputs, seen, start) in ways.items()
        }


@cache
def _backbone(family: str, width: int) -> nn.Module:
    """Return a model of this family, whose weights every question overwrites."""
    ready()
    model: nn.Module = tiny_model(family, kind="backbone", seed=0, width=width).eval()
    return model


def _loaded(family: str, weights: dict[str, Any]) -> tuple[Any, nn.Linear]:
    """Return the backbone, which has more than torch's types of a module say, and the head."""
    model = _backbone(family, weights["weight"].shape[1])
    values = {name: torch.tensor(weight) for name, weight in weights["backbone"].items()}
    model.load_state_dict(values, strict=False)
    head = nn.Linear(weights["weight"].shape[1], 2)
    with torch.no_grad():
        head.weight.copy_(torch.tensor(weights["weight"]))
        head.bias.copy_(torch.tensor(weights["bias"]))
    return model, head


def _pooled(output: Any, head: nn.Linear, mask: Tensor, start: int) -> dict[str, Tensor]:
    """Return the logits for each way to make one vector from the hidden states.

    `start` is where the text begins; a mean over only the text starts there.
    """
    hidden, text = output.last_hidden_state, output.last_hidden_state[:, start:]
    vectors = {
        "mean": hidden.mean(1),
        "masked mean": _masked(hidden, mask),
        "mean of the text": text.mean(1),
        "masked mean of the text": _masked(text, mask[:, start:]),
        "first": hidden[:, 0],
        "first of the text": text[:, 0],
        "last": hidden[:, -1],
        "sum": hidden.sum(1),
        "sum by length": (hidden * mask.unsqueeze(-1)).sum(1) / mask.shape[1],
        "max": hidden.max(1).values,
    }
    pooler = getattr(output, "pooler_output", None)
    if pooler is not None:
        vectors["pooler"] = pooler
    logits = {name: head(vector) for name, vector in vectors.items()}
    means = [name for name in logits if "mean" in name]
    logits |= {f"log softmax of {name}": logits[name].log_softmax(-1) for name in means}
    return logits | {f"softmax of {name}": logits[name].softmax(-1) for name in means}


def _masked(hidden: Tensor, mask: Tensor) -> Tensor:
    weights = mask.unsqueeze(-1).to(hidden.dtype)
    return (hidden * weights).sum(1) / weights.sum(1).clamp(min=1)
