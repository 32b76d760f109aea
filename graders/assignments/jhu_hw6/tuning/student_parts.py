"""Find the rows that the student's pre_process uses to train, validate and test."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from inspect import signature
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader

from ..boolq_data.student_side import NAME as DATASET
from ..student_side import by_position, code_of, globals_of, offline, settings
from ..student_spy import CPU
from .student_custom import HUB_NAMES, PREPARE

TRAIN, VALIDATION = 9427, 3270  # the rows of BoolQ
KINDS = ("full", "head", "prefix")
NOTHING = (int, float, str, torch.Tensor)  # neither a model nor data
NUMBER = re.compile(r"row (\d+) of")


def parts(file: str, small: bool, kind: str) -> dict[str, Any]:
    """Return the rows of each loader that pre_process returns, in order, and its model's classes.

    `kind` is the kind of tuning that it is asked for; the reply has that of its model, if known.
    `nothing` says that it returns neither a model nor data.

    Rows of the validation split are numbered after those of the training split.
    """
    from graders.adapting.offline import datasets

    with offline():
        datasets.set_rows(
            "boolq", {"train": _rows(0, TRAIN), "validation": _rows(TRAIN, VALIDATION)}
        )
        prepare = code_of(file)[PREPARE]
        values = [HUB_NAMES["distilbert"], 4, CPU, small]
        names = globals_of(prepare)
        names["args"] = settings(type=kind, small_subset=small)
        with _noted(names) as rows_of:
            made = by_position(prepare, values, type=kind)
        model = next(_found(made, nn.Module), None)
        chosen = getattr(model, "type", "") if "type" in signature(prepare).parameters else ""
        return {
            "rows": [rows_of(each.dataset) for each in _found(made, DataLoader)],
            "classes": 0 if model is None else _classes(model),
            "kind": chosen if chosen in KINDS else "",
            "nothing": made is None or isinstance(made, NOTHING),
        }


def _rows(first: int, count: int) -> list[dict[str, Any]]:
    numbers = range(first, first + count)
    return [
        {
            "question": f"is row {n} of the table fine",
            "passage": f"row {n} of it",
            "answer": n % 2 == 0,
        }
        for n in numbers
    ]


def _found(made: Any, kind: type) -> Iterator[Any]:
    """Yield the objects of a kind in the returned value, at any depth."""
    if isinstance(made, kind):
        yield made
    elif isinstance(made, dict | list | tuple):
        for each in made.values() if isinstance(made, dict) else made:
            yield from _found(each, kind)


def _classes(model: nn.Module) -> int:
    """Return the number of classes of a model; 0 if it is not certain."""
    from transformers import PreTrainedModel

    if isinstance(model, PreTrainedModel):
        return int(model.config.num_labels or 0)
    backbones = [each for each in model.modules() if isinstance(each, PreTrainedModel)]
    inside = {id(each) for backbone in backbones for each in backbone.modules()}
    layers = [each for each in model.modules() if isinstance(each, nn.Linear)]
    sizes = {each.out_features for each in layers if id(each) not in inside}
    return 2 if 2 in sizes else sizes.pop() if len(sizes) == 1 else 0


@contextmanager
def _noted(names: dict[str, Any]) -> Iterator[Callable[[Any], Any]]:
    """Record the rows from which each dataset is made, while the block runs."""
    theirs, kept = names.get(DATASET), dict[int, tuple[Any, Any]]()
    if not isinstance(theirs, type):
        yield lambda _: None
        return
    dataset: Any = theirs
    made = dataset.__init__

    def init(self: Any, *values: Any, **named: Any) -> None:
        kept[id(self)] = (self, _numbers([*values, *named.values()]))
        made(self, *values, **named)

    theirs.__init__ = init  # type: ignore[misc]
    try:
        yield lambda dataset: kept.get(id(dataset), (None, None))[1]
    finally:
        theirs.__init__ = made  # type: ignore[misc]


def _numbers(values: Sequence[Any]) -> Any:
    """Return the numbers of the rows whose texts are in one of the given columns."""
    columns = [list(each) for each in values if isinstance(each, Iterable) and not _is_text(each)]
    for column in columns:
        found = [NUMBER.search(each) if isinstance(each, str) else None for each in column]
        if found and all(found):
            return np.array([int(each[1]) for each in found if each])
    return None


def _is_text(value: Any) -> bool:
    return isinstance(value, str | bytes)
