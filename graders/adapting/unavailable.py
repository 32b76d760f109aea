"""Recognize errors that happen because student code needs a resource that only a network has.

They are not the student's fault, and not a zero: the worker reports them to Softmark, and the
check becomes `error`.
"""

from collections.abc import Iterable


class Unavailable(FileNotFoundError):
    """A dataset, metric or option that is not available without a network.

    It is a FileNotFoundError, as the libraries raise, so that code which handles that can continue.
    """


_lost: dict[str, Unavailable] = {}  # by the name that the student's code would have bound


def lose(names: Iterable[str], error: BaseException) -> None:
    """Remember that these names don't exist because something was unavailable, if that is so."""
    if (cause := cause_of(error)) is not None:
        _lost.update(dict.fromkeys(names, cause))


def cause_of(error: BaseException | None) -> Unavailable | None:
    """Return the Unavailable that caused an error, following its chain of causes, or None."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, Unavailable):
            return error
        if isinstance(error, NameError) and error.name in _lost:
            return _lost[error.name]
        error = error.__cause__ or error.__context__
    return None
