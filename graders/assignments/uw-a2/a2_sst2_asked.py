"""Questions to the student's classifier, each asked once for all checks that look at its answer."""

from collections.abc import Callable
from typing import Any, NoReturn, TypeVar
from weakref import WeakKeyDictionary

from graders.boundary.student import Student
from graders.checks.compare import CheckFailed, fail
from graders.errors import BadReply, GraderFault, StudentFault, StudentRaised

Answer = TypeVar("Answer")
ABSENT = "NotHandedIn"
MOST_NOTES = 50
SEGMENTS = "token_type_ids"  # BERT's tokenizer gives them, RoBERTa's does not
NO_SEGMENTS = f"RoBERTa's tokenizer gives input_ids and attention_mask, and no {SEGMENTS}."
_SEEN: WeakKeyDictionary[Student, dict[str, Any]] = WeakKeyDictionary()


def asked(student: Student, question: str, ask: Callable[[], Answer]) -> Answer:
    """What `ask` returns or raises; the second time a question is asked, from memory."""
    seen = _SEEN.setdefault(student, {})
    if question not in seen:
        try:
            seen[question] = ask()
        except StudentRaised as problem:
            seen[question] = _explained(problem)
        except (StudentFault, CheckFailed) as problem:
            seen[question] = problem
    answer: Answer = seen[question]
    if isinstance(answer, StudentFault | CheckFailed):
        raise answer
    return answer


def oracle(sandbox: Student, question: str, function: str, **values: Any) -> Any:
    """What the oracle says; where it does not answer, the fault is ours."""
    try:
        return asked(sandbox, question, lambda: sandbox.call(function, **values))
    except StudentFault as problem:
        raise GraderFault(f"the oracle did not answer: {problem}") from None


def _explained(problem: StudentRaised) -> StudentRaised | CheckFailed:
    """Return the failure with a hint where the exception says which mistake it is."""
    if problem.kind == ABSENT:  # the sentence says which name was looked for, and where
        return CheckFailed(
            str(problem).removeprefix(f"Your code raised {ABSENT}: "),
            hint="Hand in the file that defines it under the handout's name.",
        )
    if problem.kind == "KeyError" and SEGMENTS in str(problem):
        failed = CheckFailed(str(problem), hint=NO_SEGMENTS, actual=problem.where)
        failed.__cause__ = problem
        return failed
    return problem


def note_file(student: Student, score: Any) -> None:
    """Say which file was taken, where there was a choice or something is odd about the upload."""
    file, notes = asked(student, "file", lambda: student.call("sst2_file", read=_file))
    for each in notes:
        score.note(each)
    if notes and file:
        score.note(f"The classifier was read from `{file}`.")


def _file(reply: Any) -> tuple[str, list[str]]:
    return str(reply["file"])[:100], [str(each)[:300] for each in reply["notes"][:MOST_NOTES]]


def first_that_holds(claims: list[Callable[[], None]]) -> None:
    """Pass where one of these does; otherwise fail as the first did."""
    problems: list[Exception] = []
    for claim in claims:
        try:
            return claim()
        except (CheckFailed, StudentFault) as problem:
            problems.append(problem)
    raise problems[0]


def unreadable() -> NoReturn:
    """Fail because a reply is none."""
    raise BadReply("What your code answered could not be read.")


def not_written(what: str) -> NoReturn:
    """Fail because a part does nothing of what it is for."""
    fail(what, hint="Is it still to be written? Checks that hold of any such code are not counted.")
