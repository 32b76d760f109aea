"""Define every error of Softmark, as a tree.

SoftmarkError
├── UserError            the user of the command can fix it: one line, a hint, exit code 2
│   ├── UsageError         a command, an assignment or a data folder is wrong
│   └── StorageError       a results folder or an output file cannot be read or written
├── StudentFault         the student's code gave no usable answer: a failed check
│   ├── StudentRaised      the code raised an exception
│   │   └── StudentFileMissing the file with this code was not submitted
│   ├── StudentExited      the process ended itself (os._exit, sys.exit)
│   ├── StudentSignalled   a signal ended the process (segmentation fault, abort)
│   ├── StudentTimedOut    the time limit was reached
│   ├── StudentOutOfMemory the memory limit was reached
│   └── BadReply           the reply is not what was requested
└── GraderFault          our fault: the Result is incomplete, never a zero
    ├── SandboxFailed      the sandbox did not start, or something outside killed its process
    └── Unavailable        the student's code needs something that only a network has
"""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import ClassVar

from graders.model import Outcome

# The hint of code that names a device which grading does not have; staff are warned of it, too.
ON_A_GPU = (
    "Your code asks for a GPU, and it is graded on a CPU. Put tensors on the device of the input, "
    'such as `.to(x.device)`, instead of naming "cuda".'
)
LONG_NUMBER = re.compile(r"\d{4}")  # long numbers are student IDs, not question numbers
MOST_NAMES = 12  # that a sentence can list
UNREADABLE = "Your code's return value could not be read."


class SoftmarkError(Exception):
    """The root of all errors raised on purpose."""


class UserError(SoftmarkError):
    """An error that the user of the command can fix; says which file is wrong and what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(UserError):
    """A command, an assignment or a data folder is wrong."""


class StorageError(UserError):
    """A results folder or an output file cannot be read or written."""


class StudentFault(SoftmarkError):
    """The student's code gave no usable answer; the message is a sentence for the student."""

    outcome: ClassVar[Outcome] = ""

    def __init__(self, message: str, where: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.where = where
        self.hint = hint


class StudentRaised(StudentFault):
    """The student's code raised; `kind` is the exception's name, `where` file and line."""

    outcome: ClassVar[Outcome] = "raised"

    def __init__(self, message: str, where: str = "", kind: str = "", hint: str = "") -> None:
        super().__init__(message, where, hint)
        self.kind = kind


class StudentFileMissing(StudentRaised):
    """A file whose code the checks call was not submitted."""

    outcome = ""


class StudentExited(StudentFault):
    """The student's process exited before it answered."""

    outcome = "exited"


class StudentSignalled(StudentFault):
    """The student's process died of a signal."""

    outcome = "signalled"


class StudentTimedOut(StudentFault):
    """The student's code used up its wall clock or CPU time."""

    outcome = "timed_out"


class StudentOutOfMemory(StudentFault):
    """The student's code used up its memory."""

    outcome = "out_of_memory"


class BadReply(StudentFault):
    """The reply is malformed, too large, or of a type that is not accepted."""

    outcome = "bad_reply"

    def __init__(self, message: str = UNREADABLE, where: str = "", *, hint: str = "") -> None:
        super().__init__(message, where, hint=hint)


class GraderFault(SoftmarkError):
    """Softmark could not grade; the student loses no points."""


class SandboxFailed(GraderFault):
    """The sandbox did not start, or its process was killed from outside."""


class Unavailable(GraderFault):
    """The student's code needs something that only a network has, so it cannot be graded."""

    where: ClassVar[str] = ""  # as of a StudentFault; the message has it already


def did_you_mean(name: str, choices: Iterable[str]) -> str:
    """Return the end of a sentence about an unknown name: the nearest known one, or all of them.

    The nearest address or number would be another person's, so there is none for these.
    """
    if "@" in name or LONG_NUMBER.search(name):
        return ""
    names = sorted(choices)
    for nearest in get_close_matches(name, names, n=1):
        return f"; did you mean `{nearest}`?"
    listed = ", ".join(f"`{each}`" for each in names)
    return f"; choose from: {listed}" if 0 < len(names) <= MOST_NAMES else ""
