"""Calls of the student's classifier, each made once for all checks that use the result."""

from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

from graders.boundary.student import Student
from graders.checks.compare import CheckFailed, fail
from graders.errors import BadReply, StudentFault, StudentRaised, Unavailable

Answer = TypeVar("Answer")
ABSENT = "NotHandedIn"
MOST_NOTES = 50
SEGMENTS = "token_type_ids"  # BERT's tokenizer returns them, RoBERTa's does not
NO_SEGMENTS = f"RoBERTa's tokenizer returns input_ids and attention_mask, but no {SEGMENTS}."


def answer_once(student: Student, question: str, ask: Callable[[], Answer]) -> Answer:
    """Return or raise what `ask` does; repeated calls use the cached result."""
    return student.once(question, lambda: _explained(ask), (StudentFault, Unavailable, CheckFailed))


def _explained(ask: Callable[[], Answer]) -> Answer:
    """Return or raise what `ask` does, with a hint if the exception identifies the mistake."""
    try:
        return ask()
    except StudentRaised as problem:
        if problem.kind == ABSENT:  # the sentence says which name is missing, and where
            raise CheckFailed(
                str(problem).partition(f"{ABSENT}: ")[2],
                hint="Submit the file that defines it under the handout's name.",
            ) from None
        if problem.kind == "KeyError" and SEGMENTS in str(problem):
            raise CheckFailed(str(problem), hint=NO_SEGMENTS, actual=problem.where) from problem
        raise


def note_file(student: Student, score: Any) -> None:
    """Add a note on the file that is used, if there was a choice or the upload is unusual."""
    file, notes = answer_once(student, "file", lambda: student.call("sst2_file", read=_file))
    for note in notes:
        score.note(note)
    if notes and file:
        score.note(f"The classifier was read from `{file}`.")


def _file(reply: Any) -> tuple[str, list[str]]:
    return str(reply["file"])[:100], [str(note)[:300] for note in reply["notes"][:MOST_NOTES]]


def first_that_holds(claims: list[Callable[[], None]]) -> None:
    """Pass if one of these passes; otherwise fail like the first."""
    problems: list[Exception] = []
    for claim in claims:
        try:
            return claim()
        except (CheckFailed, StudentFault) as problem:
            problems.append(problem)
    raise problems[0]


def unreadable() -> NoReturn:
    """Fail because a reply is malformed."""
    raise BadReply


def not_written(what: str) -> NoReturn:
    """Fail because a part is not implemented."""
    fail(what, hint="Have you implemented this yet? Other checks are skipped until then.")
