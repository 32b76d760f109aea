"""Each question is put to a submission once: all checks that ask it judge the one answer."""

import hashlib
from collections.abc import Callable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from graders.boundary import wire
from graders.boundary.outcome import read_reply
from graders.boundary.student import Student
from graders.boundary.wire import Value

Read = TypeVar("Read")
_ANSWERS: WeakKeyDictionary[Student, dict[bytes, Value]] = WeakKeyDictionary()


def ask_once(
    student: Student, function: str, /, *, read: Callable[[Any], Read], **values: Value
) -> Read:
    """Return what `read` makes of what the student's code answered when it was first asked.

    Each call of a function has the same seed, so it would say the same again. What raises is no
    answer: the next check asks anew, in the fresh process that a crash or a time-out leaves.
    """
    answers = _ANSWERS.setdefault(student, {})
    question = hashlib.sha256(wire.encode({"function": function, "values": values})).digest()
    if question not in answers:
        answers[question] = student.call(function, read=None, **values)
    return read_reply(read, answers[question])
