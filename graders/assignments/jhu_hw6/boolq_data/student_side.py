"""Run BoolQADataset for the checks of the dataset, in the student's child."""

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from ..student_side import by_name, code_of, offline

NAME = "BoolQADataset"
ROWS = ("passages", "questions", "answers")  # in the order of the parameters
TWO = (["one", "two"], ["yes", "no"], [True, False])
OWN_AXIS = (1,)  # the shape of a label that a loop may squeeze


def own_forms(sets: dict[str, Any], file: str) -> Iterator[dict[str, Any]]:
    """Yield the sets with labels as the student's dataset returns them, then with plain numbers.

    The loops only have to fit that dataset: if they raise for one form, the next is tried.
    """
    if _label_shape(file) == OWN_AXIS:
        yield {
            name: {**batch, "labels": np.reshape(batch["labels"], (-1, *OWN_AXIS))}
            for name, batch in sets.items()
        }
    yield sets


@functools.cache
def _label_shape(file: str) -> Any:
    """Return the shape of a label of the student's dataset; None if it has none."""
    try:
        return getattr(dataset_of_two(file)[0]["labels"], "shape", None)
    except (Exception, SystemExit):  # noqa: BLE001  its own checks report it
        return None


def dataset_of_two(file: str) -> Any:
    """Return the student's dataset of two rows."""
    from graders.adapting.offline.models import tiny_tokenizer

    named = dict(zip(ROWS, TWO, strict=True))
    named |= {"tokenizer": tiny_tokenizer("distilbert"), "max_len": 16}
    return by_name(code_of(file)[NAME], named)


def dataset_items(family: str, rows: dict[str, list[Any]], max_len: int, file: str) -> Any:
    """Return the length of the student's dataset of these rows, and each of its items."""
    with offline():
        from graders.adapting.offline.models import tiny_tokenizer

        tokenizer = tiny_tokenizer(family)
        named = {**{name: rows[name] for name in ROWS}, "tokenizer": tokenizer, "max_len": max_len}
        dataset = by_name(code_of(file)[NAME], named)
        items = [dataset[i] for i in range(len(rows["answers"]))]  # as a batch has them: together
        return {"length": len(dataset), "items": list(map(_plain, items))}


def _plain(item: Any) -> Any:
    """Return an item's values in a form that can be sent; other types by their name."""
    try:
        pairs = dict(item).items()
    except (TypeError, ValueError):
        return {"type": type(item).__name__}
    return {str(key): _value(value) for key, value in pairs}


def _value(value: Any) -> Any:
    """Return a tensor, or a value that a DataLoader converts to one: an integer or an array."""
    if isinstance(value, torch.Tensor):
        return value.clone()
    if isinstance(value, int | np.integer | np.ndarray):
        return np.array(value)
    return {"type": type(value).__name__}
