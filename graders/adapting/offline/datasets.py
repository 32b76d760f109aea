"""A stand-in for the library `datasets`: SST-2 and BoolQ with rows that a check sets.

    set_rows("sst2", {"train": [{"text": "fine", "label": 1}, ...], ...})
    load_dataset("gpt3mix/sst2")["train"][0] -> {"text": "fine", "label": 1}
    load_dataset("glue", "sst2")["train"][0] -> {"sentence": "fine", "label": 1, "idx": 0}

The same rows appear under the column names of whichever edition is asked for.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from .dataset import Dataset, DatasetDict, concatenate_datasets
from .evaluate import load as load_metric
from .table import Row

SENTENCES = ("the film is fine", "a dull movie", "we love this story", "it never works")
SST2 = [{"text": text, "label": at % 2} for at, text in enumerate(SENTENCES)]
BOOLQ = [
    {"question": f"is it true that {text}", "passage": f"They say {text}.", "answer": at % 2 == 0}
    for at, text in enumerate(SENTENCES)
]
ROWS: dict[str, dict[str, list[Row]]] = {
    "sst2": dict.fromkeys(("train", "validation", "test"), SST2),
    "boolq": dict.fromkeys(("train", "validation"), BOOLQ),
}
PART = re.compile(r"(\w+)(?:\[(-?\d+)?(%?):(-?\d+)?(%?)\])?")


def set_rows(name: str, splits: Mapping[str, Sequence[Row]]) -> None:
    """Let the dataset of that name, in all its editions, have these rows from now on."""
    ROWS[_family(name, None)] = {split: list(rows) for split, rows in splits.items()}


def load_dataset(
    path: str, name: str | None = None, *_more: Any, split: Any = None, **_options: Any
) -> Any:
    """All splits of a dataset, or those that are asked for."""
    rows = ROWS[_family(path, name)]
    splits = DatasetDict({key: Dataset(_edition(path, rows[key])) for key in rows})
    if split is None:
        return splits
    if isinstance(split, list | tuple):
        return [_split(splits, str(each)) for each in split]
    return _split(splits, str(split))


def _family(path: str, name: str | None) -> str:
    """Which of the two datasets a name of the hub means."""
    asked = re.sub(r"[^a-z0-9]", "", f"{path}/{name or ''}".lower())
    for family in ROWS:
        if family in asked:
            return family
    raise FileNotFoundError(f"Dataset '{path}' doesn't exist on the Hub or cannot be accessed.")


def _edition(path: str, rows: Sequence[Row]) -> list[Row]:
    """The rows under the column names of one edition of the dataset."""
    if path.lower() in ("gpt3mix/sst2", "google/boolq", "boolq"):
        return [dict(row) for row in rows]
    plain = "setfit" in path.lower()
    return [_renamed(row, at, keeps_text=plain) for at, row in enumerate(rows)]


def _renamed(row: Row, at: int, *, keeps_text: bool) -> Row:
    names = {"answer": "label"} if keeps_text else {"answer": "label", "text": "sentence"}
    renamed = {names.get(key, key): value for key, value in row.items()}
    if isinstance(renamed.get("label"), bool):
        renamed["label"] = int(renamed["label"])
    return {**renamed, "label_text": str(renamed["label"])} if keeps_text else renamed | {"idx": at}


def _split(splits: DatasetDict, wanted: str) -> Dataset:
    """The split of an expression such as `train`, `train[:10%]` or `train+validation`."""
    parts = [_part(splits, each.strip()) for each in wanted.split("+")]
    return parts[0] if len(parts) == 1 else concatenate_datasets(parts)


def _part(splits: DatasetDict, wanted: str) -> Dataset:
    if wanted == "all":
        return concatenate_datasets(list(splits.values()))
    found = PART.fullmatch(wanted)
    if found is None or found[1] not in splits:
        raise ValueError(f"Unknown split {wanted!r}. Should be one of {list(splits)}.")
    rows = splits[found[1]]
    first, last = (_bound(found[at], found[at + 1], len(rows)) for at in (2, 4))
    return rows.select(range(len(rows))[first:last])


def _bound(number: str | None, percent: str | None, of: int) -> int | None:
    if number is None:
        return None
    return round(int(number) * of / 100) if percent else int(number)


PUBLIC = {
    "load_dataset": load_dataset,
    "load_metric": load_metric,
    "Dataset": Dataset,
    "IterableDataset": type("IterableDataset", (Dataset,), {}),
    "DatasetDict": DatasetDict,
    "concatenate_datasets": concatenate_datasets,
}
