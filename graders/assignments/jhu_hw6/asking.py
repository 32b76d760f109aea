"""Request expected values from the process without student code."""

from graders.boundary.student import Student
from graders.boundary.wire import Value
from graders.errors import GraderFault, StudentFault


def ask(sandbox: Student, question: str, **values: Value) -> Value:
    """Return the oracle's answer; if it has none, the fault is our own."""
    try:
        return sandbox.call(question, read=None, **values)
    except StudentFault as fault:
        raise GraderFault(f"the oracle did not answer `{question}`: {fault}") from None
