"""How values of a table are shown: plain, as numpy arrays or as tensors."""

import importlib
from collections.abc import Iterable, Sequence
from typing import Any

NUMBERS = (bool, int, float)


class Feature:
    """What a column holds; a label knows its classes."""

    def __init__(self, values: Sequence[Any]) -> None:
        self.dtype = type(values[0]).__name__ if values else "null"
        if all(isinstance(each, int) for each in values):
            self.num_classes = len(set(values))
            self.names = [str(each) for each in sorted(set(values))]

    def int2str(self, values: int) -> str:
        """The name of a class."""
        return self.names[values]

    def str2int(self, values: str) -> int:
        """The number of a class."""
        return self.names.index(values)

    def __repr__(self) -> str:
        return f"Value({self.dtype!r})"


def plain(values: Iterable[Any]) -> list[Any]:
    """A list without arrays and tensors in it."""
    if hasattr(values, "tolist"):
        return list(values.tolist())
    return [each.tolist() if hasattr(each, "tolist") else each for each in values]


def converted(value: Any, kind: str) -> Any:
    """The value as a tensor or an array where it is made of numbers; text stays as it is."""
    if not _is_numeric(value):
        return value
    if kind == "torch":
        torch: Any = importlib.import_module("torch")
        try:
            return torch.tensor(value)
        except ValueError:  # rows of several lengths
            return [torch.tensor(each) for each in value]
    numpy: Any = importlib.import_module("numpy")
    return numpy.array(value) if kind == "numpy" else value


def _is_numeric(value: Any) -> bool:
    if isinstance(value, list):
        return all(_is_numeric(each) for each in value)
    return isinstance(value, NUMBERS)
