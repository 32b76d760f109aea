"""Reading what a student's process answered: whatever goes wrong there is the answer's fault."""

from collections.abc import Iterator
from contextlib import contextmanager

from graders.checks.compare import CheckFailed, CheckSkipped
from graders.errors import BadReply, SoftmarkError

UNREADABLE = "What your code answered could not be read."


@contextmanager
def reading(message: str = UNREADABLE) -> Iterator[None]:
    """Turn any exception into a BadReply with this message; a decorator, or a block.

    A reply may hold anything, so no list of exceptions is complete. Put it around code that turns
    a reply into values of the check's own, and around nothing else: what raises behind it is a
    fault of the check, which costs no points.
    """
    try:
        yield
    except (SoftmarkError, CheckFailed, CheckSkipped):
        raise
    except Exception as error:
        raise BadReply(message) from error
