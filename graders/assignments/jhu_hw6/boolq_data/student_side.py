"""What the checks of the data set ask of BoolQADataset; runs beside the student's code."""

from typing import Any

import numpy as np
import torch

from ..student_side import by_name, code_of, offline

NAME = "BoolQADataset"
ROWS = ("passages", "questions", "answers")  # in the order of the parameters


def dataset_items(family: str, rows: dict[str, list[Any]], max_len: int, file: str) -> Any:
    """The length of the student's data set of these rows, and each of its items."""
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
    """An item's values as they travel, and what is no tensor named by its type."""
    try:
        pairs = dict(item).items()
    except (TypeError, ValueError):
        return {"type": type(item).__name__}
    return {str(key): _value(each) for key, each in pairs}


def _value(value: Any) -> Any:
    """A tensor, or what a DataLoader makes one of: a whole number or an array."""
    if isinstance(value, torch.Tensor):
        return value.clone()
    if isinstance(value, int | np.integer | np.ndarray):
        return np.array(value)
    return {"type": type(value).__name__}
