"""A stand-in for `datasets.Dataset`: what students do to change a table or take parts of it."""

import math
import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .formats import plain
from .table import Row, Table


class Dataset(Table):
    """A table in memory; whatever changes it returns a new one."""

    def _with(self, rows: Iterable[Row], columns: Sequence[str] | None = None) -> "Dataset":
        other = Dataset(rows, self.column_names if columns is None else columns)
        other.format = dict(self.format)
        return other

    # ------------------------------------------------------------ rows

    def select(self, indices: Iterable[int], **_more: Any) -> "Dataset":
        """The rows with these numbers, in this order."""
        return self._with(self._row(each) for each in plain(indices))

    def shuffle(self, seed: int | None = None, generator: Any = None, **_more: Any) -> "Dataset":
        """The rows in a random order."""
        if generator is not None:
            return self.select(generator.permutation(len(self)))
        draw = random.Random(seed) if seed is not None else random  # noqa: S311  no secret
        return self.select(draw.sample(range(len(self)), len(self)))

    def take(self, n: int) -> "Dataset":
        """The first rows."""
        return self._with(self._rows[:n])

    def skip(self, n: int) -> "Dataset":
        """All rows but the first."""
        return self._with(self._rows[n:])

    def shard(self, num_shards: int, index: int, **_more: Any) -> "Dataset":
        """Each so many-th row."""
        return self._with(self._rows[index::num_shards])

    def sort(self, column_names: Any, reverse: bool = False, **_more: Any) -> "Dataset":
        """The rows in the order of a column, or of several."""
        names = [column_names] if isinstance(column_names, str) else column_names
        ordered = sorted(self._rows, key=lambda row: [row[each] for each in names])
        return self._with(reversed(ordered) if reverse else ordered)

    def train_test_split(
        self,
        test_size: float | None = None,
        train_size: float | None = None,
        shuffle: bool = True,
        seed: int | None = None,
        **_more: Any,
    ) -> "DatasetDict":
        """Two parts, named train and test."""
        rows = self.shuffle(seed=seed) if shuffle else self
        train = _count(train_size, len(self), math.floor)
        if test_size is None:
            test_size = len(self) - train if train is not None else 0.25
        test = _count(test_size, len(self), math.ceil) or 0
        train = len(self) - test if train is None else train
        last = rows.skip(len(self) - test)
        return DatasetDict({"train": rows.take(train), "test": last})

    def filter(
        self,
        function: Callable[..., Any],
        with_indices: bool = False,
        input_columns: Any = None,
        batched: bool = False,
        **more: Any,
    ) -> "Dataset":
        """The rows of which the function says yes."""
        named = more.get("fn_kwargs") or {}
        if batched:
            kept = function(self.to_dict(), **named)
            return self._with(row for row, keep in zip(self._rows, kept, strict=True) if keep)
        asked = (_arguments(row, at, input_columns, with_indices) for at, row in self._numbered())
        answers = [function(*each, **named) for each in asked]
        return self._with(row for row, keep in zip(self._rows, answers, strict=True) if keep)

    def map(
        self,
        function: Callable[..., Any],
        with_indices: bool = False,
        input_columns: Any = None,
        batched: bool = False,
        **more: Any,
    ) -> "Dataset":
        """Rows with what the function gives for each, or for each batch of columns."""
        removed = more.get("remove_columns") or ()
        removed = {removed} if isinstance(removed, str) else set(removed)
        named = more.get("fn_kwargs") or {}
        if batched:
            size = more.get("batch_size", 1000) or max(len(self), 1)
            rows = self._mapped_batches(function, size, named, removed)
        else:
            rows = []
            for at, row in self._numbered():
                given = function(*_arguments(row, at, input_columns, with_indices), **named)
                rows.append(_merged(row, given or {}, removed))
        return self._with(rows, list(rows[0]) if rows else self.column_names)

    def _numbered(self) -> Iterable[tuple[int, Row]]:
        return enumerate(self)

    def _mapped_batches(
        self, function: Callable[..., Any], size: int, named: Row, removed: set[str]
    ) -> list[Row]:
        rows: list[Row] = []
        for at in range(0, len(self), size):
            before = self._with(self._rows[at : at + size])
            given = Dataset.from_dict(dict(function(before[:], **named) or {}))
            kept = [{k: v for k, v in row.items() if k not in removed} for row in before._rows]
            if len(given) == len(kept):
                rows += [old | new for old, new in zip(kept, given._rows, strict=True)]
            else:  # the function makes more rows or fewer; the old columns must have been removed
                rows += given._rows or kept
        return rows

    # ------------------------------------------------------------ columns

    def set_format(self, type: str | None = None, columns: Any = None, **_more: Any) -> None:
        """Show numbers as tensors ("torch") or arrays ("numpy"), and only these columns."""
        self.format = {"type": type, "columns": list(columns) if columns else None}

    def reset_format(self) -> None:
        """Show everything as it is."""
        self.set_format()

    def with_format(self, type: str | None = None, columns: Any = None, **_m: Any) -> "Dataset":
        """The same table with another format."""
        other = self._with(self._rows)
        other.set_format(type, columns)
        return other

    def rename_columns(self, column_mapping: dict[str, str], **_more: Any) -> "Dataset":
        """The same columns under other names."""
        new = {name: column_mapping.get(name, name) for name in self.column_names}
        rows = ({new[name]: value for name, value in row.items()} for row in self._rows)
        return self._with(rows, list(new.values()))

    def rename_column(self, original_column_name: str, new_column_name: str) -> "Dataset":
        """One column under another name."""
        return self.rename_columns({original_column_name: new_column_name})

    def select_columns(self, column_names: Any) -> "Dataset":
        """Only these columns."""
        names = [column_names] if isinstance(column_names, str) else list(column_names)
        return self._with(({each: row[each] for each in names} for row in self._rows), names)

    def remove_columns(self, column_names: Any, **_more: Any) -> "Dataset":
        """All columns but these."""
        gone = [column_names] if isinstance(column_names, str) else list(column_names)
        if missing := set(gone) - set(self.column_names):
            raise ValueError(f"Column name {sorted(missing)} not in the dataset.")
        return self.select_columns([each for each in self.column_names if each not in gone])

    def add_column(self, name: str, column: Sequence[Any], **_more: Any) -> "Dataset":
        """One column more."""
        rows = zip(self._rows, plain(column), strict=True)
        return self._with((row | {name: value} for row, value in rows), [*self.column_names, name])

    def unchanged(self, *_values: Any, **_named: Any) -> "Dataset":
        """This table: what only changes how real ones are stored or typed."""
        return self

    cast = cast_column = flatten_indices = class_encode_column = with_transform = unchanged
    to_iterable_dataset = flatten = unchanged


class DatasetDict(dict[str, Dataset]):
    """Splits by their names; what is done to it is done to each."""

    @property
    def num_rows(self) -> dict[str, int]:
        """How many rows each split has."""
        return {name: len(each) for name, each in self.items()}

    @property
    def column_names(self) -> dict[str, list[str]]:
        """The columns of each split."""
        return {name: each.column_names for name, each in self.items()}

    def __getattr__(self, name: str) -> Callable[..., "DatasetDict | None"]:
        if name not in EACH:
            raise AttributeError(f"'DatasetDict' object has no attribute '{name}'")
        return lambda *values, **named: self._each(name, values, named)

    def shuffle(self, seeds: Any = None, seed: int | None = None, **more: Any) -> "DatasetDict":
        """Each split in a random order; the seeds may differ."""
        if not isinstance(seeds, dict):
            seeds = dict.fromkeys(self, seeds if seed is None else seed)
        return DatasetDict({k: v.shuffle(seed=seeds[k], **more) for k, v in self.items()})

    def _each(self, name: str, values: Any, named: Any) -> "DatasetDict | None":
        done = {split: getattr(each, name)(*values, **named) for split, each in self.items()}
        return None if name in ("set_format", "reset_format") else DatasetDict(done)


EACH = (
    *("map", "filter", "sort", "set_format", "reset_format", "with_format", "rename_columns"),
    *("rename_column", "select_columns", "remove_columns", "cast", "cast_column"),
    *("flatten_indices", "class_encode_column", "with_transform", "flatten"),
)


def concatenate_datasets(dsets: Sequence[Dataset], **_more: Any) -> Dataset:
    """The rows of all, one table after the other."""
    return Dataset([row for each in dsets for row in each.to_list()], dsets[0].column_names)


def _arguments(row: Row, at: int, columns: Any, numbered: bool) -> list[Any]:
    if columns is None:
        values: list[Any] = [dict(row)]
    else:
        values = [row[each] for each in ([columns] if isinstance(columns, str) else columns)]
    return [*values, at] if numbered else values


def _merged(row: Row, given: Any, removed: set[str]) -> Row:
    kept = {name: value for name, value in row.items() if name not in removed}
    return kept | dict(zip(given, plain(given.values()), strict=True))


def _count(size: float | None, of: int, whole: Callable[[float], int]) -> int | None:
    """A number of rows; a share of all where it is a fraction."""
    return whole(size * of) if isinstance(size, float) else size
