"""Run the student's dataset and collate_fn on texts and labels, in the student's child."""

import importlib
import itertools
from collections.abc import Callable
from typing import Any

from ..sst2.student_code import call, code, definition, places
from ..sst2.student_values import entries, item, plain, vars_of

Rows = list[dict[str, Any]]
MOST_ITEMS = 2_000
SPLITS = {"train": ("train",), "validation": ("valid", "val", "dev"), "test": ("test",)}


def sst2_items(rows: Rows) -> dict[str, Any]:
    """Return the items of the dataset of these rows, iterated three times, and items by index.

    The second iteration stops after one item.
    """
    dataset = _dataset("roberta", rows)
    most = len(rows) + 2
    first = [item(value) for value in itertools.islice(iter(dataset), most)]
    next(iter(dataset), None)
    again = [item(value) for value in itertools.islice(iter(dataset), most)]
    kind = item(dataset[0])["type"] if rows else ""
    return {"first": first, "again": again, "type": kind}


def sst2_indexed(rows: Rows) -> dict[str, Any]:
    """Return the length of the dataset of these rows, and its items one by one."""
    dataset = _dataset("roberta", rows)
    length = len(dataset)
    return {"length": length, "items": [item(dataset[i]) for i in range(min(length, len(rows)))]}


def sst2_collate(family: str, rows: Rows, batches: list[list[int]]) -> list[dict[str, Any]]:
    """Collate each batch, given as row indices, with a family's tokenizer.

    Rows that the dataset leaves out are `dropped` from their batch.
    """
    dataset = _dataset(family, rows)
    collate, at = collate_of(dataset), _indices(dataset, rows)
    replies: list[dict[str, Any]] = []
    for batch in batches:
        items = [dataset[at[row]] for row in batch if row in at]
        dropped = [row for row in batch if row not in at]
        replies.append({**(_batch(collate(items)) if items else {}), "dropped": dropped})
    return replies


def _indices(dataset: Any, rows: Rows) -> dict[int, int]:
    """Return the index of the item of each row that the dataset has, as far as texts tell."""
    same = {row: row for row in range(len(rows))}
    try:
        dataset[len(rows) - 1]
    except LookupError:
        count = min(len(dataset), len(rows))
        by_text = {item(dataset[i])["text"]: i for i in range(count)}
        indices = {
            row: by_text[data["text"]] for row, data in enumerate(rows) if data["text"] in by_text
        }
        return indices if 0 < len(indices) == count else same
    return same


def sst2_splits(splits: dict[str, Rows]) -> dict[str, Any]:
    """Return the three datasets of initialize_datasets, each with its items."""
    from graders.adapting.offline.models import tiny_tokenizer

    provide(splits)
    datasets = call(definition("initialize_datasets"), {"tokenizer": tiny_tokenizer("roberta")})
    return {name: _contents(dataset) for name, dataset in datasets_of(datasets)[:6]}


def provide(splits: dict[str, Rows]) -> None:
    """Make load_dataset return these rows."""
    from graders.adapting.offline import ready
    from graders.adapting.offline.datasets import set_rows

    ready()
    set_rows("sst2", splits)


def datasets_of(made: Any) -> list[tuple[str, Any]]:
    """Return the datasets by split name, in the returned order."""
    if isinstance(made, list | tuple):
        return list(zip(SPLITS, made, strict=False))
    datasets = []
    for name, dataset in vars_of(made).items():
        meant = (split for split, words in SPLITS.items() if str(name).lower().startswith(words))
        datasets.append((next(meant, str(name)), dataset))
    return datasets


def _contents(dataset: Any) -> dict[str, Any]:
    length = len(dataset)
    return {"length": length, "items": [item(dataset[i]) for i in range(min(length, MOST_ITEMS))]}


def collate_of(dataset: Any) -> Callable[[Any], Any]:
    """Return the collate_fn of a dataset, or the function of that name."""
    method = getattr(dataset, "collate_fn", None)
    if callable(method) and places(method, 1) == 0:  # it has no self and is called on the class
        method = type(dataset).collate_fn
    function = method if callable(method) else definition("collate_fn")
    tokenizer = next(filter(_is_tokenizer, vars_of(dataset).values()), None)
    return lambda items: call(function, {"items": items, "tokenizer": tokenizer})


def own_dataset(tokenizer: Any, rows: Rows) -> Any:
    """Return the student's dataset of these rows."""
    dataset_class = definition("SST2Dataset")
    if "tokenizer" in code().namespace:  # a collate_fn outside the class may read it from there
        code().namespace["tokenizer"] = tokenizer
    raw = [_Row(row) for row in rows]
    try:
        return call(dataset_class, {"tokenizer": tokenizer, "loader": raw})
    except TypeError:  # it may accept the split itself, with named columns
        table = importlib.import_module("datasets").Dataset
        return call(dataset_class, {"tokenizer": tokenizer, "loader": table.from_list(rows)})


class _Row(dict[str, Any]):
    """A row of one edition of the data; its text can also be accessed by another edition's name."""

    def __missing__(self, name: str) -> Any:
        if name == "sentence":
            return self["text"]
        raise KeyError(name)


def _is_tokenizer(value: Any) -> bool:
    return callable(value) and hasattr(value, "pad_token_id")


def _dataset(family: str, rows: Rows) -> Any:
    from graders.adapting.offline import ready
    from graders.adapting.offline.models import tiny_tokenizer

    ready()
    return own_dataset(tiny_tokenizer(family), rows)


def _batch(made: Any) -> dict[str, Any]:
    """Return a collated batch: its two parts, or the names in it."""
    parts = vars_of(made)
    if not {"text_encoding", "label_encoding"} <= set(parts):
        return {"type": type(made).__name__, "names": [str(name) for name in list(parts)[:8]]}
    return {
        "text": entries(parts["text_encoding"]),
        "labels": plain(parts["label_encoding"]),
    }
