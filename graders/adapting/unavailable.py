"""What student code asked for and only a network has: nobody can grade what it would do with it.

It is no fault of the student's, and no zero: the worker tells Softmark so, and the check that
asked is `error`.
"""

from collections.abc import Iterable


class Unavailable(FileNotFoundError):
    """A data set, a metric or an option that is not to be had without a network.

    The libraries raise a FileNotFoundError, too, where they find nothing: code may go on without.
    """


_lost: dict[str, Unavailable] = {}  # by the name that a module's code would have given it


def lose(names: Iterable[str], error: BaseException) -> None:
    """Keep in mind that these names of a student's file do not exist, if it is for our reason."""
    if (cause := cause_of(error)) is not None:
        _lost.update(dict.fromkeys(names, cause))


def cause_of(error: BaseException | None) -> Unavailable | None:
    """Return what was not available where an error came of that, through all that was raised."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, Unavailable):
            return error
        if isinstance(error, NameError) and error.name in _lost:
            return _lost[error.name]
        error = error.__cause__ or error.__context__
    return None
