"""Define every error of Softmark, as a tree.

SoftmarkError
├── UserError            the user of the command can fix it: one line, a hint, exit code 2
│   ├── UsageError         a command, an assignment or a data folder is wrong
│   └── StorageError       a results folder or an output file cannot be read or written
├── StudentFault         the student's code gave no usable answer: a failed check
│   ├── StudentRaised      its code raised an exception
│   ├── StudentExited      its process exited (os._exit, sys.exit)
│   ├── StudentSignalled   its process died of a signal (segmentation fault, abort)
│   ├── StudentTimedOut    it used up its time
│   ├── StudentOutOfMemory it used up its memory
│   └── BadReply           the reply is not what was requested
└── GraderFault          our fault: the Result is incomplete, never a zero
    ├── SandboxFailed      the sandbox did not start, or broke before student code ran
    └── Unavailable        the student's code needs something that only a network has
"""

from typing import ClassVar

from graders.model import Outcome


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

    def __init__(self, message: str, where: str = "") -> None:
        super().__init__(message)
        self.where = where


class StudentRaised(StudentFault):
    """The student's code raised; `kind` is the exception's name, `where` file and line."""

    outcome = "raised"

    def __init__(self, message: str, where: str = "", kind: str = "") -> None:
        super().__init__(message, where)
        self.kind = kind


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


class GraderFault(SoftmarkError):
    """Softmark could not grade; the student loses no points."""


class SandboxFailed(GraderFault):
    """The sandbox did not start or broke before student code ran."""


class Unavailable(GraderFault):
    """The student's code needs something that only a network has, so it cannot be graded."""

    where: ClassVar[str] = ""  # as in a StudentFault; the message already contains it
