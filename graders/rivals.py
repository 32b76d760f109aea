"""Several files may be the one that a student meant: each is judged, and the best counts.

    results, and files that may as well be meant (the student's side says which)
        -> the files taken are removed -> the criteria that lost points are judged again

So no file that lies beside the right one can lower a score, and removing one cannot raise it.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from graders.boundary.student import Student
from graders.errors import StudentFault
from graders.model import Assignment, CheckResult
from graders.scoring import criterion_points

QUESTION = "rivals"  # asked of the adapters, where they have it
ROUNDS = 2  # further files tried
MOST = 20  # files of a reply

# Judges some criteria on the files that are left; returns also those taken that are ambiguous then.
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
        again, taken = judge(lost)
        gains = {
            id for id in lost if _points(again, assignment, id) > _points(results, assignment, id)
        }
        if gains:
            notes.append(f"other files than {names} earn more for {', '.join(sorted(gains))}")
        kept = [each for each in results if each.check.criterion not in gains]
        results = [*kept, *(each for each in again if each.check.criterion in gains)]
        lost = _lost(results, assignment)
    return results, notes


def _lost(results: Sequence[CheckResult], assignment: Assignment) -> frozenset[str]:
    """Return the code criteria that lost points."""
    judged = {each.check.criterion for each in results}
    return frozenset(
        each.id
        for each in assignment.rubric
        if each.id in judged
        and each.kind == "code"
        and _points(results, assignment, each.id) < each.points
    )


def _points(results: Sequence[CheckResult], assignment: Assignment, criterion: str) -> float:
    """Return the points of a criterion; the most where it is not decided."""
    known = next(each for each in assignment.rubric if each.id == criterion)
    points = criterion_points(
        known, [each for each in results if each.check.criterion == criterion]
    )
    return known.points if points is None else points


def ambiguous(student: Student, code: Path) -> list[Path]:
    """Return the files taken beside which others may as well be meant."""
    if not student.can(QUESTION):
        return []
    student.begin_check()
    try:
        reply = student.call(QUESTION)
    except StudentFault:
        return []
    names = [each for each in reply if isinstance(each, str)] if isinstance(reply, dict) else []
    paths = [code / name for name in names[:MOST]]
    inside = [path for path in paths if path.resolve().is_relative_to(code.resolve())]
    return [path for path in inside if path.is_file()]
