"""Choose which of a submission's definitions of a name are graded.

Both scripts may have their own.
"""

from collections.abc import Callable, Sequence
from typing import Any

from graders.boundary.outcome import clean
from graders.boundary.student import Student
from graders.checks.compare import CheckFailed, fail
from graders.checks.score import Score
from graders.errors import StudentFault

from .calls import ask_once

FILES = "base_classification.py and classification.py, or a notebook"
MOST = 4  # definitions of one name


def in_each_file(student: Student, score: Score, name: str, judge: Callable[[str], None]) -> None:
    """Grade the name in each file that counts; each has an equal part of the check.

    A failure names its file and line.
    """
    places = definitions(student, name)
    if not places:
        fail(
            f"No file defines `{name}`.",
            hint=f"Softmark searches every .py and .ipynb file; the homework uses {FILES}.",
        )
    failures = [
        failure for file, place in places if (failure := _failure(judge, file, name, place))
    ]
    if not failures:
        return
    problem = failures[0]
    if len(failures) == len(places):
        raise problem
    score.partial_for(1 - len(failures) / len(places), problem.explanation)


def _failure(judge: Callable[[str], None], file: str, name: str, place: str) -> CheckFailed | None:
    """Return what is wrong with the name in this file."""
    try:
        judge(file)
    except CheckFailed as problem:
        problem.message = f"`{name}` in {place}: {problem.message}"
        return problem
    except StudentFault as fault:
        failed = CheckFailed(f"`{name}` in {place}: {fault}", actual=fault.where)
        failed.__cause__ = fault
        return failed
    return None


def definitions(student: Student, name: str) -> Sequence[tuple[str, str]]:
    """Return file and place of each graded definition of the name."""
    return ask_once(student, "definitions", name=name, read=_places)


def _places(reply: Any) -> list[tuple[str, str]]:
    return [(clean(str(entry["file"])), clean(str(entry["place"]))) for entry in reply[:MOST]]
