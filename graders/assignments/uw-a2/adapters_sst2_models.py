"""A tiny classifier that is watched, and batches for it; beside the student's code."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from adapters_sst2_data import Rows, collate_of, own_dataset
from torch import nn
from torch.utils.data import DataLoader

FAMILY = "roberta"
CALM = 0.08  # of the head's usual weights: gradients stay below 1, where clipping begins


@dataclass(slots=True)
class Watched:
    """What a model was asked, and how it stood then: one entry for each forward pass."""

    ids: list[torch.Tensor] = field(default_factory=list)
    masked: list[bool] = field(default_factory=list)  # whether padding was masked
    training: list[bool] = field(default_factory=list)
    gradient: list[bool] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)  # forward passes before each optimizer step


def tokenizer() -> Any:
    """The family's tokenizer."""
    from adapting.offline import ready
    from adapting.offline.models import tiny_tokenizer

    ready()
    return tiny_tokenizer(FAMILY)


def classifier(seed: int) -> Any:
    """A small classifier without dropout and with small gradients; equal seed, equal weights."""
    from adapting.offline import ready
    from adapting.offline.models import tiny_model

    ready()
    model: Any = tiny_model(FAMILY, kind="classifier", seed=seed, dropout=0.0)
    with torch.no_grad():
        for name in ("dense", "out_proj"):
            getattr(model.classifier, name).weight.mul_(CALM)
    return model


def loader(source: str, rows: Rows, size: int) -> DataLoader[Any]:
    """Batches in the order of the rows: as the handout defines them, or the student's own.

    It has a generator of its own, so that going through it draws no number of anybody else's.
    """
    known = tokenizer()
    if source == "own":
        dataset = own_dataset(known, rows)
        collate = collate_of(dataset)
    else:
        dataset, collate = rows, _Collate(known)
    return DataLoader(dataset, size, collate_fn=collate, generator=torch.Generator())


class _Collate:
    """The handout's batch of rows."""

    def __init__(self, known: Any) -> None:
        self._known = known

    def __call__(self, rows: Rows) -> dict[str, Any]:
        texts = [row["text"] for row in rows]
        kinds = {"padding": True, "truncation": True, "max_length": 512, "return_tensors": "pt"}
        labels = torch.tensor([row["label"] for row in rows])
        return {"text_encoding": self._known(texts, **kinds), "label_encoding": labels}


def _masks(ids: Any, mask: Any) -> bool:
    """Whether a mask is given wherever the ids have padding."""
    padded = isinstance(ids, torch.Tensor) and bool((ids == tokenizer().pad_token_id).any())
    return not padded or isinstance(mask, torch.Tensor)


@contextlib.contextmanager
def watched(model: nn.Module, optimizer: torch.optim.Optimizer | None = None) -> Iterator[Watched]:
    """Notes every forward pass of the model and every step of the optimizer."""
    seen = Watched()

    def look(_: nn.Module, args: Any, kwargs: Any) -> None:
        ids = kwargs.get("input_ids", args[0] if args else None)
        seen.ids.append(ids.detach().clone() if isinstance(ids, torch.Tensor) else torch.zeros(0))
        seen.masked.append(_masks(ids, kwargs.get("attention_mask", args[1] if args[1:] else None)))
        seen.training.append(model.training)
        seen.gradient.append(torch.is_grad_enabled())

    handles = [model.register_forward_pre_hook(look, with_kwargs=True)]
    if optimizer is not None:
        note = lambda *_: seen.steps.append(len(seen.ids))  # noqa: E731  a hook of one line
        handles.append(optimizer.register_step_pre_hook(note))
    try:
        yield seen
    finally:
        for handle in handles:
            handle.remove()
