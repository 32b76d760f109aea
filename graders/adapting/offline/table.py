"""Rows of named columns, and how a `datasets.Dataset` lets them be read."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Self

from .formats import Feature, converted, plain

Row = dict[str, Any]


class Table:
    """Rows in memory, read by number, by column or one after the other."""

    def __init__(self, rows: Iterable[Row], columns: Sequence[str] | None = None) -> None:
        self._rows = [dict(each) for each in rows]
        first = list(self._rows[0]) if self._rows else []
        self.column_names = list(columns) if columns is not None else first
        self.format: dict[str, Any] = {"type": None, "columns": None}

    @classmethod
    def from_list(cls, mapping: Iterable[Row], **_more: Any) -> Self:
        """A table of these rows."""
        return cls(mapping)

    @classmethod
    def from_dict(cls, mapping: Mapping[str, Sequence[Any]], **_more: Any) -> Self:
        """A table of these columns."""
        names = list(mapping)
        rows = zip(*(plain(each) for each in mapping.values()), strict=True)
        return cls((dict(zip(names, each, strict=True)) for each in rows), names)

    @classmethod
    def from_pandas(cls, df: Any, **_more: Any) -> Self:
        """A table of a data frame's columns."""
        return cls.from_dict(df.to_dict("list"))

    # ------------------------------------------------------------ reading

    @property
    def num_rows(self) -> int:
        """How many rows there are."""
        return len(self._rows)

    @property
    def num_columns(self) -> int:
        """How many columns there are."""
        return len(self.column_names)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.num_rows, self.num_columns

    @property
    def features(self) -> dict[str, Feature]:
        """What each column holds."""
        return {name: Feature([row[name] for row in self._rows]) for name in self.column_names}

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return (self._formatted(each) for each in self._rows)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            if key not in self.column_names:
                raise KeyError(f"Column {key} not in the dataset. Columns: {self.column_names}")
            return self._column(self._rows, key)
        if isinstance(key, slice):
            return self._columns(self._rows[key])
        if hasattr(key, "__index__") and not getattr(key, "ndim", 0):
            return self._formatted(self._row(key))
        return self._columns([self._row(each) for each in plain(key)])

    def __getitems__(self, keys: Sequence[int]) -> list[Row]:
        """Several rows, as a DataLoader asks for them."""
        return [self._formatted(self._row(each)) for each in keys]

    def __repr__(self) -> str:
        return f"Dataset({{\n    features: {self.column_names},\n    num_rows: {len(self)}\n}})"

    def _row(self, key: Any) -> Row:
        at: int = key.__index__()
        if not -len(self) <= at < len(self):
            raise IndexError(f"Invalid key: {at} is out of bounds for size {len(self)}")
        return self._rows[at]

    def _formatted(self, row: Row) -> Row:
        shown = self.format["columns"] or self.column_names
        return {name: self._value(row[name]) for name in shown}

    def _columns(self, rows: Sequence[Row]) -> dict[str, Any]:
        shown = self.format["columns"] or self.column_names
        return {name: self._column(rows, name) for name in shown}

    def _column(self, rows: Sequence[Row], name: str) -> Any:
        values = [row[name] for row in rows]
        return self._value(values) if values else values

    def _value(self, value: Any) -> Any:
        """The value in the table's format: text stays text, lists of one length become arrays."""
        if self.format["type"] is None:
            return value
        return converted(value, self.format["type"])

    def to_list(self) -> list[Row]:
        """All rows."""
        return [dict(each) for each in self._rows]

    def to_dict(self, **_more: Any) -> dict[str, list[Any]]:
        """All columns."""
        return {name: [row[name] for row in self._rows] for name in self.column_names}

    def to_pandas(self, **_more: Any) -> Any:
        """A data frame."""
        import pandas as pd  # type: ignore[import-untyped,unused-ignore]

        return pd.DataFrame(self.to_dict())

    def unique(self, column: str) -> list[Any]:
        """The values of a column, each once."""
        return list(dict.fromkeys(row[column] for row in self._rows))

    def iter(self, batch_size: int, **_more: Any) -> Iterator[dict[str, Any]]:
        """Batches of rows, as columns."""
        return (self[at : at + batch_size] for at in range(0, len(self), batch_size))
