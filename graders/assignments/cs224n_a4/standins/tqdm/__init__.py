"""Stand-in for tqdm if it is not installed: the loop without its bar."""

from collections.abc import Iterable
from typing import Any


class tqdm:
    """Iterate over the argument."""

    def __init__(self, iterable: Iterable[Any] = (), *args: Any, **kwargs: Any) -> None:
        self.iterable = iterable

    def __iter__(self) -> Any:
        return iter(self.iterable)

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **kwargs: None


def trange(*args: int, **kwargs: Any) -> tqdm:
    """Return a range without its bar."""
    return tqdm(range(*args))
