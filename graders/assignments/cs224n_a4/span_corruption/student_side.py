"""STUDENT side: read a `CharCorruptionDataset` many times and send back every item.

    corpus, block_size --- dataset.CharCorruptionDataset ---> ds
    indices            --- ds[i], `rounds` times around  ---> x, y: one row per reading

Nothing is graded here. A row contains the ids, then FILL; its length is -1 if there is no row.
"""

from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import torch

from graders.adapting.devices import on_cpu
from graders.adapting.gathered import code_folder
from graders.adapting.raised import described

from ..student_side import student_module

FILL = -1
MAX_TEXT = 200  # characters of a type's name, or of a document that is no text
MAX_IDS = 1024  # of one row: five times the largest requested block size


class _Raised:
    """Placeholder for an item that could not be read."""

    def __init__(self, error: Exception) -> None:
        self.error = described(error, code_folder())


def draw_corruptions(
    corpus: str, block_size: int, indices: list[int], rounds: int, fresh: bool
) -> dict[str, Any]:
    """Read the documents at `indices`, `rounds` times, and return everything observed.

    With `fresh`, each round reads a new dataset.
    """
    items, copies, seen = _items(corpus, block_size, indices, rounds, fresh)
    read, after = _rows(copies), _rows(items)
    kinds = Counter(map(_kind, items))
    first = next((item for item in items if isinstance(item, _Raised)), None)
    return {
        **read,
        # An item that a later reading overwrites
        "shared": not all(np.array_equal(read[name], after[name]) for name in read),
        "kinds": list(kinds),
        "counts": list(kinds.values()),
        "raised": None if first is None else first.error,
        **seen,
    }


@on_cpu()  # which makes every call of torch slower, so only student code runs in here
def _items(
    corpus: str, block_size: int, indices: list[int], rounds: int, fresh: bool
) -> tuple[list[Any], list[Any], dict[str, Any]]:
    """Return the items that were read, a copy made after each reading, and what else was seen."""
    dataset = student_module("dataset")
    corrupted = dataset.CharCorruptionDataset(corpus, block_size)
    before = _documents(corrupted)
    items, copies = [], []
    for _ in range(rounds):
        for index in indices:
            items.append(_read(corrupted, index))
            copies.append(_copied(items[-1]))
        if fresh:
            corrupted = dataset.CharCorruptionDataset(corpus, block_size)
    return (
        items,
        copies,
        {
            "length": len(corrupted),
            "characters": _characters(corrupted),
            "before": before,
            "after": _documents(corrupted),
        },
    )


def _read(corrupted: Any, index: int) -> Any:
    try:
        return corrupted[index]
    except Exception as error:  # noqa: BLE001  counted: some solutions fail intermittently
        return _Raised(error)


def _copied(value: Any) -> Any:
    """Return the value with its present ids, which later changes of the original don't reach."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, np.ndarray):
        return value.copy()
    return [_copied(item) for item in value] if isinstance(value, tuple | list) else value


def _documents(corrupted: Any) -> list[str] | None:
    """Return the dataset's documents, or None if they are stored under another name."""
    documents = getattr(corrupted, "data", None)
    if not isinstance(documents, list | tuple):
        return None
    return [
        document if isinstance(document, str) else repr(document)[:MAX_TEXT]
        for document in documents
    ]


def _characters(corrupted: Any) -> str:
    """Return the dataset's own vocabulary in id order, or nothing if it has none."""
    itos = getattr(corrupted, "itos", None)
    if not isinstance(itos, dict) or set(itos) != set(range(len(itos))):
        return ""
    characters = [itos[number] for number in range(len(itos))]
    plain = all(isinstance(character, str) and len(character) == 1 for character in characters)
    return "".join(characters) if plain and len(characters) <= MAX_IDS else ""


def _kind(item: Any) -> str:
    """Describe an item: `pair: torch.Tensor int64 1-D, torch.Tensor int64 1-D`."""
    if isinstance(item, _Raised):
        return "raised"
    if not _is_pair(item):
        return f"no pair: {_name(item)}"
    return f"pair: {_name(item[0])}, {_name(item[1])}"


def _is_pair(item: Any) -> bool:
    return isinstance(item, tuple | list) and len(item) == 2


def _name(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return _tensor(value.dtype, value.dim())
    if isinstance(value, np.ndarray):
        return f"numpy.ndarray {value.dtype.name} {value.ndim}-D"
    return str(type(value).__name__)[:MAX_TEXT]


@cache
def _tensor(dtype: torch.dtype, dimensions: int) -> str:
    return f"torch.Tensor {str(dtype).removeprefix('torch.')} {dimensions}-D"


def _rows(items: list[Any]) -> dict[str, Any]:
    """Return x and y of all items."""
    x, y = ([_half(item, side) for item in items] for side in (0, 1))
    return {**_table("x", x), **_table("y", y)}


def _half(item: Any, side: int) -> Any:
    """Return x or y of an item; a stacked one, (2, n), is unpacked like a pair."""
    if _is_pair(item):
        return item[side]
    stacked = isinstance(item, torch.Tensor | np.ndarray) and item.ndim == 2 and len(item) == 2
    return item[side] if stacked else None


def _table(name: str, values: list[Any]) -> dict[str, Any]:
    """Return all rows as one array, padded at the end, and their lengths."""
    table = _stacked(values)
    if table is not None:
        return {name: table, f"{name}_lengths": np.full(len(values), table.shape[1])}
    rows = [_row(value) for value in values]
    lengths = np.array([-1 if row is None else len(row) for row in rows], dtype=np.int64)
    table = np.full((len(rows), max(0, *lengths)), FILL, dtype=np.int64)
    for number, row in enumerate(rows):
        if row is not None:
            table[number, : len(row)] = row
    return {name: table, f"{name}_lengths": lengths}


def _stacked(values: list[Any]) -> Any:
    """Convert the usual case in one step: int64 vectors of equal length."""
    try:
        table = torch.stack(values).numpy()
    except (TypeError, RuntimeError):
        return None
    usual = table.ndim == 2 and table.dtype == np.int64 and table.shape[1] <= MAX_IDS
    return table if usual else None


def _row(value: Any) -> Any:
    """Return ids as int64, or None if they are not a row of integers."""
    try:
        array = np.asarray(value.detach().cpu() if isinstance(value, torch.Tensor) else value)
        if array.dtype.kind not in "biuf" or array.size > MAX_IDS or max(array.shape) < array.size:
            return None
        whole = array.reshape(-1).astype(np.int64)
    except (TypeError, ValueError, RuntimeError, OverflowError):
        return None
    return whole if np.array_equal(whole, array.reshape(-1)) else None
