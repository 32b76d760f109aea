"""What the student's data set and collate_fn make of texts and labels; beside that code."""

import itertools
from collections.abc import Callable
from typing import Any

from adapters_sst2_code import call, code, places, wanted
from adapters_sst2_values import entries, item, plain, vars_of

Rows = list[dict[str, Any]]
SPLITS = {"train": ("train",), "validation": ("valid", "val", "dev"), "test": ("test",)}


def sst2_items(rows: Rows) -> dict[str, Any]:
    """The items of the data set of these rows, iterated thrice, and what an item by index is.

    The second time is left off after one item.
    """
    dataset = _dataset("roberta", rows)
    most = len(rows) + 2
    first = [item(each) for each in itertools.islice(iter(dataset), most)]
    next(iter(dataset), None)
    again = [item(each) for each in itertools.islice(iter(dataset), most)]
    kind = item(dataset[0])["type"] if rows else ""
    return {"first": first, "again": again, "type": kind}


def sst2_indexed(rows: Rows) -> dict[str, Any]:
    """The length of the data set of these rows, and its items one by one."""
    dataset = _dataset("roberta", rows)
    length = len(dataset)
    return {"length": length, "items": [item(dataset[i]) for i in range(min(length, len(rows)))]}


def sst2_collate(family: str, rows: Rows, batches: list[list[int]]) -> list[dict[str, Any]]:
    """What collate_fn makes of each batch, given as indices of rows, for a family's tokenizer."""
    dataset = _dataset(family, rows)
    collate = collate_of(dataset)
    return [_batch(collate([dataset[i] for i in each])) for each in batches]


def sst2_splits(splits: dict[str, Rows]) -> dict[str, Any]:
    """The three data sets of initialize_datasets, each with its items."""
    from adapting.offline.models import tiny_tokenizer

    provide(splits)
    made = call(wanted("initialize_datasets"), {"tokenizer": tiny_tokenizer("roberta")})
    return {name: _contents(each) for name, each in datasets_of(made)[:6]}


def provide(splits: dict[str, Rows]) -> None:
    """Let load_dataset give these rows."""
    from adapting.offline import ready
    from adapting.offline.datasets import set_rows

    ready()
    set_rows("sst2", splits)


def datasets_of(made: Any) -> list[tuple[str, Any]]:
    """The data sets by the name of their split, in the order that they came."""
    if isinstance(made, list | tuple):
        return list(zip(SPLITS, made, strict=False))
    found = []
    for name, each in vars_of(made).items():
        meant = (split for split, words in SPLITS.items() if str(name).lower().startswith(words))
        found.append((next(meant, str(name)), each))
    return found


def _contents(dataset: Any) -> dict[str, Any]:
    length = len(dataset)
    return {"length": length, "items": [item(dataset[i]) for i in range(min(length, 200))]}


def collate_of(dataset: Any) -> Callable[[Any], Any]:
    """The collate_fn of a data set, or the function of that name."""
    own = getattr(dataset, "collate_fn", None)
    if callable(own) and places(own, 1) == 0:  # it takes no self, and is used through the class
        own = type(dataset).collate_fn
    function = own if callable(own) else wanted("collate_fn")
    tokenizer = next(filter(_is_tokenizer, vars_of(dataset).values()), None)
    return lambda items: call(function, {"items": items, "tokenizer": tokenizer})


def own_dataset(tokenizer: Any, rows: Rows) -> Any:
    """The student's data set of these rows."""
    made = wanted("SST2Dataset")
    if "tokenizer" in code().namespace:  # a collate_fn outside the class may read it from there
        code().namespace["tokenizer"] = tokenizer
    raw = [_Row(row) for row in rows]
    try:
        return call(made, {"tokenizer": tokenizer, "loader": raw})
    except TypeError:  # it may take the split itself, whose columns have names
        from adapting.offline.dataset import Dataset

        return call(made, {"tokenizer": tokenizer, "loader": Dataset(raw)})


class _Row(dict[str, Any]):
    """A row of one edition of the data, which knows its text by the name in another, too."""

    def __missing__(self, name: str) -> Any:
        if name == "sentence":
            return self["text"]
        raise KeyError(name)


def _is_tokenizer(value: Any) -> bool:
    return callable(value) and hasattr(value, "pad_token_id")


def _dataset(family: str, rows: Rows) -> Any:
    from adapting.offline import ready
    from adapting.offline.models import tiny_tokenizer

    ready()
    return own_dataset(tiny_tokenizer(family), rows)


def _batch(made: Any) -> dict[str, Any]:
    """A collated batch: its two parts, or the names of what it holds."""
    parts = vars_of(made)
    if not {"text_encoding", "label_encoding"} <= set(parts):
        return {"type": type(made).__name__, "names": [str(name) for name in list(parts)[:8]]}
    return {
        "text": entries(parts["text_encoding"]),
        "labels": plain(parts["label_encoding"]),
    }
