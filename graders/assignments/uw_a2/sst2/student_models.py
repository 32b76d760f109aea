"""A tiny instrumented classifier and batches for it, in the student's child."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.utils.data import DataLoader

from ..sst2_data.student_side import Rows, collate_of, own_dataset

FAMILY = "roberta"
CALM = 0.08  # factor on the head's weights, so that gradients stay below 1 and are not clipped


@dataclass(slots=True)
class Watched:
    """A model's inputs and mode, with one entry for each forward pass."""

    ids: list[torch.Tensor] = field(default_factory=list)
    masked: list[bool] = field(default_factory=list)  # whether padding was masked
    whole: list[bool] = field(default_factory=list)  # whether nothing else of a text was left out
    training: list[bool] = field(default_factory=list)  # whether dropout was on
    gradient: list[bool] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)  # forward passes before each optimizer step


def tokenizer() -> Any:
    """Return the family's tokenizer."""
    from graders.adapting.offline import ready
    from graders.adapting.offline.models import tiny_tokenizer

    ready()
    return tiny_tokenizer(FAMILY)


def classifier(seed: int) -> Any:
    """Return a small classifier with small gradients and no dropout; seeds determine weights."""
    from graders.adapting.offline import ready
    from graders.adapting.offline.models import tiny_model

    ready()
    model: Any = tiny_model(FAMILY, kind="classifier", seed=seed, dropout=0.0)
    with torch.no_grad():
        for name in ("dense", "out_proj"):
            getattr(model.classifier, name).weight.mul_(CALM)
    return model


def loader(source: str, rows: Rows, size: int) -> DataLoader[Any]:
    """Return batches in row order: in the handout's format, or the student's own.

    The loader has its own generator, so that iterating does not affect other random numbers.
    """
    encoder = tokenizer()
    if source == "own":
        dataset = own_dataset(encoder, rows)
        collate = collate_of(dataset)
    else:
        dataset, collate = rows, _Collate(encoder)
    return DataLoader(dataset, size, collate_fn=collate, generator=torch.Generator())


class _Collate:
    """Return the handout's batch of rows."""

    def __init__(self, encoder: Any) -> None:
        self._known = encoder

    def __call__(self, rows: Rows) -> dict[str, Any]:
        texts = [row["text"] for row in rows]
        kinds = {"padding": True, "truncation": True, "max_length": 512, "return_tensors": "pt"}
        labels = torch.tensor([row["label"] for row in rows])
        return {"text_encoding": self._known(texts, **kinds), "label_encoding": labels}


class _Marks(NamedTuple):
    """The IDs of the tokens that start, end and pad a text."""

    start: int
    end: int
    padding: int


@cache
def _marks() -> _Marks:
    encoder = tokenizer()
    return _Marks(encoder.cls_token_id, encoder.sep_token_id, encoder.pad_token_id)


def _masks(ids: Any, mask: Any) -> bool:
    """Return whether a mask hides all padding of the ids."""
    padding = isinstance(ids, torch.Tensor) and ids == _marks().padding
    if not isinstance(padding, torch.Tensor) or not padding.any():
        return True
    if not isinstance(mask, torch.Tensor):
        return False
    return mask.shape != ids.shape or not mask[padding].any()


def _is_whole(ids: Any, mask: Any) -> bool:
    """Return whether each row of ids has its first and last token, and a mask hides none."""
    if not isinstance(ids, torch.Tensor) or ids.ndim != 2:
        return True
    marks = _marks()
    text = ids != marks.padding
    if isinstance(mask, torch.Tensor) and mask.shape == ids.shape and not mask[text].all():
        return False
    rows = [row[inside].tolist() for row, inside in zip(ids, text, strict=True)]
    return all((row[:1], row[-1:]) == ([marks.start], [marks.end]) for row in rows)


def has_dropout(model: nn.Module) -> bool:
    """Return whether dropout is on, or training mode if the model has no dropout."""
    layers = [module.training for module in model.modules() if isinstance(module, nn.Dropout)]
    return any(layers or [model.training])


@contextlib.contextmanager
def watched(model: nn.Module, optimizer: torch.optim.Optimizer | None = None) -> Iterator[Watched]:
    """Record every forward pass of the model and every optimizer step."""
    seen = Watched()

    def look(_: nn.Module, args: Any, kwargs: Any) -> None:
        ids = kwargs.get("input_ids", args[0] if args else None)
        seen.ids.append(ids.detach().clone() if isinstance(ids, torch.Tensor) else torch.zeros(0))
        mask = kwargs.get("attention_mask", args[1] if args[1:] else None)
        seen.masked.append(_masks(ids, mask))
        seen.whole.append(_is_whole(ids, mask))
        seen.training.append(has_dropout(model))
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
