"""The classifier's correct tokens and weights, and the weights that known mistakes lead to."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from .student_models import classifier, tokenizer

Batch = tuple[Any, torch.Tensor]


def sst2_tokens(family: str, texts: list[str]) -> dict[str, Any]:
    """Return the untruncated ids of each text with first and last token, and the padding token."""
    from graders.adapting.offline.models import tiny_tokenizer

    tokenizer()
    encoder = tiny_tokenizer(family)
    return {
        "ids": [torch.tensor(encoder(text)["input_ids"]) for text in texts],
        "pad": int(encoder.pad_token_id),
        "size": len(encoder),
    }


@dataclass(frozen=True, slots=True)
class Rule:
    """A way to train an epoch; the defaults are correct."""

    clears: str = "batch"  # gradients are cleared for each batch, for each epoch, or never
    steps: str = "batch"  # the optimizer steps after each batch, or after each epoch
    reduction: str = "mean"  # of the loss over the items of a batch
    skips: str = ""  # the batch that is left out: first or last
    masked: bool = True  # padding is masked
    flipped: bool = False  # the labels are swapped
    backwards: bool = False  # gradient ascent instead of descent


RULES = {
    "right": Rule(),
    "never cleared": Rule(clears="never"),
    "cleared once an epoch": Rule(clears="epoch"),
    "step once an epoch": Rule(clears="epoch", steps="epoch"),
    "step once an epoch, last batch": Rule(steps="epoch"),
    "sum of losses": Rule(reduction="sum"),
    "last batch left out": Rule(skips="last"),
    "first batch left out": Rule(skips="first"),
    "labels exchanged": Rule(flipped=True),
    "no mask": Rule(masked=False),
    "upwards": Rule(backwards=True),
}


def sst2_updates(
    weights: int, rows: list[dict[str, Any]], plan: dict[str, Any], rules: list[str]
) -> dict[str, Any]:
    """Return the initial weights, and those after all epochs under each rule."""
    encoder = tokenizer()
    chunks = [rows[i : i + plan["size"]] for i in range(0, len(rows), plan["size"])]
    batches = [_batch(encoder, chunk) for chunk in chunks]
    after = {rule: _trained(weights, batches, plan, RULES[rule]) for rule in rules}
    return {"start": dict(classifier(weights).state_dict()), **after}


def _batch(encoder: Any, rows: list[dict[str, Any]]) -> Batch:
    texts, labels = [row["text"] for row in rows], [row["label"] for row in rows]
    return encoder(texts, padding=True, return_tensors="pt"), torch.tensor(labels)


def _trained(
    seed: int, batches: Sequence[Batch], plan: dict[str, Any], rule: Rule
) -> dict[str, torch.Tensor]:
    model = classifier(seed).train()
    optimizer = torch.optim.SGD(model.parameters(), lr=plan["lr"], maximize=rule.backwards)
    used = {"first": batches[1:], "last": batches[:-1], "": batches}[rule.skips]
    for _ in range(plan["epochs"]):
        if rule.clears == "epoch":
            optimizer.zero_grad()
        for batch in used:
            _step(model, optimizer, batch, rule)
        if rule.steps == "epoch":
            optimizer.step()
    return dict(model.state_dict())


def _step(model: Any, optimizer: torch.optim.Optimizer, batch: Batch, rule: Rule) -> None:
    """Process one batch: forward, backward, and a step if the rule has one here."""
    encoding, labels = batch
    logits = model(**encoding if rule.masked else {"input_ids": encoding["input_ids"]}).logits
    target = 1 - labels if rule.flipped else labels
    loss = nn.functional.cross_entropy(logits, target, reduction=rule.reduction)
    if rule.clears == "batch":
        optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    if rule.steps == "batch":
        optimizer.step()
