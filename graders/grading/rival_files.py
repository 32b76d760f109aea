"""If several of a student's files could be the intended one, grade each and keep the best result.

    results, and other files that may be the intended ones (the student side says which)
        -> the files taken are removed -> the criteria that lost points are graded again

So an extra file in the upload can never lower a score, and removing one cannot raise it.
"""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from graders.boundary.outcome import clean
from graders.boundary.student import Student
from graders.errors import SandboxFailed, StudentFault, Unavailable
from graders.model import Assignment, CheckResult
from graders.scoring import criterion_points

QUESTIONS = RIVALS, PLACES, NOTES = ("rivals", "places", "notes")  # called if they are defined
Read = TypeVar("Read")
ROUNDS = 2  # further files tried
MOST = 20  # entries of a reply
LONGEST = 200  # characters of a place
WORD = re.compile(r"\w+")

# Grade some criteria on the remaining files; also return the files taken that are ambiguous then.
Judge = Callable[[frozenset[str]], tuple[Sequence[CheckResult], Sequence[Path]]]


def best_of_rivals(
    results: Sequence[CheckResult],
    assignment: Assignment,
    code: Path,
    student: Student,
    judge: Judge,
) -> tuple[Sequence[CheckResult], list[str]]:
    """Return the results with the better ones of other files, and a note on each change."""
    notes: list[str] = []
    lost = _lost(results, assignment)
    taken: Sequence[Path] = ambiguous(student, code) if lost else []
    for _ in range(ROUNDS):
        if not taken or not lost:
            break
        for path in taken:
            path.unlink(missing_ok=True)
        names = ", ".join(f"`{path.relative_to(code).as_posix()}`" for path in taken)
        it = "it" if len(taken) == 1 else "them"
        again, taken = judge(lost)
        gains = {
            criterion
            for criterion in lost
            if _earned(again, assignment, criterion) > _points(results, assignment, criterion)
        }
        if gains:
            earn = "earns" if len(gains) == 1 else "earn"
            more = f"{', '.join(sorted(gains))} {earn} more points without {it}"
            notes.append(f"Ignored {names}: {more}")
        unchanged = [result for result in results if result.check.criterion not in gains]
        results = [*unchanged, *(result for result in again if result.check.criterion in gains)]
        lost = _lost(results, assignment)
    return results, notes


def _lost(results: Sequence[CheckResult], assignment: Assignment) -> frozenset[str]:
    """Return the code criteria that lost points."""
    judged = {result.check.criterion for result in results}
    return frozenset(
        criterion.id
        for criterion in assignment.rubric
        if criterion.id in judged
        and criterion.kind == "code"
        and _points(results, assignment, criterion.id) < criterion.points
    )


def _points(results: Sequence[CheckResult], assignment: Assignment, criterion: str) -> float:
    """Return the points of a criterion; the maximum if it is undecided."""
    entry = next(entry for entry in assignment.rubric if entry.id == criterion)
    points = criterion_points(
        entry, [result for result in results if result.check.criterion == criterion]
    )
    return entry.points if points is None else points


def _earned(results: Sequence[CheckResult], assignment: Assignment, criterion: str) -> float:
    """Return the points of a criterion; 0 if our own error leaves it undecided."""
    ours = any(
        result.status == "error" and result.check.criterion == criterion for result in results
    )
    return 0.0 if ours else _points(results, assignment, criterion)


def ambiguous(student: Student, code: Path) -> list[Path]:
    """Return the files taken for which other files may be the intended ones."""

    def read(reply: Any) -> list[Path]:
        paths = [code / name for name in _pairs(reply)]
        inside = [path for path in paths if path.resolve().is_relative_to(code.resolve())]
        return [path for path in inside if path.is_file()]

    return _reply(student, RIVALS, read, [])


def placed(results: Sequence[CheckResult], student: Student) -> list[CheckResult]:
    """Return the results, each failure with the place of the definition that it judges.

    This is the place of the first name in the check's description that the student side knows,
    or else of the criterion. A failure that already has a place is unchanged.
    """
    failed = [
        result for result in results if result.status == "failed" and ", line " not in result.actual
    ]
    places: dict[str, str] = _reply(student, PLACES, _texts, {}) if failed else {}

    def place(result: CheckResult) -> str:
        words = (*WORD.findall(result.check.description), result.check.criterion)
        return next((places[word] for word in words if word in places), "")

    return [
        replace(result, message=f"{result.message}\nThis check judges {text}.".lstrip())
        if result in failed
        and (text := place(result))
        and text.partition(",")[0] not in result.message
        else result
        for result in results
    ]


def notes_on_files(student: Student) -> list[str]:
    """Return what the student side says about the choice of files."""
    return _reply(student, NOTES, _lines, [])


def _lines(reply: Any) -> list[str]:
    return [clean(line)[:LONGEST] for line in reply[:MOST] if isinstance(line, str)]


def _texts(reply: Any) -> dict[str, str]:
    pairs = _pairs(reply).items()
    return {name: clean(text)[:LONGEST] for name, text in pairs if isinstance(text, str)}


def _pairs(reply: Any) -> dict[str, Any]:
    """Return the first entries of a dict."""
    return dict(islice(reply.items(), MOST))


def _reply(student: Student, question: str, read: Callable[[Any], Read], without: Read) -> Read:
    """Return the student side's reply, or `without` if there is none."""
    if not student.can(question):
        return without
    for _ in range(2):  # a brief shortage of memory must not hide the other files
        student.begin_check()
        with suppress(SandboxFailed):
            try:
                return student.call(question, read=read)
            except (StudentFault, Unavailable):
                break
    return without
