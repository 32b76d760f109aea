"""Call the student's code only once for all checks that need the result of a function."""

import hashlib
from collections.abc import Callable
from typing import Any, TypeVar

from graders.boundary import wire
from graders.boundary.outcome import read_reply
from graders.boundary.student import Student
from graders.boundary.wire import Value

Read = TypeVar("Read")


def ask_once(
    student: Student, function: str, /, *, read: Callable[[Any], Read], **values: Value
) -> Read:
    """Return what `read` makes of the student's first result for this call.

    Each call of a function has the same seed, so the result would be the same. Exceptions are not
    cached: the next check calls again, in the new process after a crash or a timeout.
    """
    question = hashlib.sha256(wire.encode({"function": function, "values": values})).digest()
    answer = student.once(question, lambda: student.call(function, read=None, **values))
    return read_reply(read, answer)
