"""Ask the process that holds no student's code for expected values."""

from graders.boundary.student import Student
from graders.boundary.wire import Value
from graders.errors import GraderFault, StudentFault


def ask(sandbox: Student, question: str, **values: Value) -> Value:
    """The oracle's answer; where it has none, the fault is ours."""
    try:
        return sandbox.call(question, read=None, **values)
    except StudentFault as fault:
        raise GraderFault(f"the oracle did not answer `{question}`: {fault}") from None
