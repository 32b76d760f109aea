"""Run BoolQADataset for the checks of the dataset, in the student's child."""

from typing import Any

import numpy as np
import torch

from ..student_side import by_name, code_of, offline

NAME = "BoolQADataset"
ROWS = ("passages", "questions", "answers")  # in the order of the parameters


def dataset_items(family: str, rows: dict[str, list[Any]], max_len: int, file: str) -> Any:
    """Return the length of the student's dataset of these rows, and each of its items."""
    with offline():
        from graders.adapting.offline.models import tiny_tokenizer

        tokenizer = tiny_tokenizer(family)
        named = {**{name: rows[name] for name in ROWS}, "tokenizer": tokenizer, "max_len": max_len}
        dataset = by_name(code_of(file)[NAME], named)
        return {
            "length": len(dataset),
            "items": [_plain(dataset[i]) for i in range(len(rows["answers"]))],
        }


def _plain(item: Any) -> Any:
    """Return an item's values in a form that can be sent; other types by their name."""
    try:
        pairs = dict(item).items()
    except (TypeError, ValueError):
        return {"type": type(item).__name__}
    return {str(key): _value(each) for key, each in pairs}


def _value(value: Any) -> Any:
    """Return a tensor, or a value that a DataLoader converts to one: an integer or an array."""
    if isinstance(value, torch.Tensor):
        return value.clone()
    if isinstance(value, int | np.integer | np.ndarray):
        return np.array(value)
    return {"type": type(value).__name__}
