"""Apply an assignment's `[grading]` to a score: late penalty, drops, rounding."""

from graders.course.final_grades import FinalGrade
from graders.model import Result
from reports.gradescope.markdown import escaped
from reports.text import number

Json = dict[str, object]


def with_final_grade(document: Json, result: Result, grade: FinalGrade | None) -> Json:
    """The document with the grade as its score, where the assignment declares how to make it.

    The tests keep their raw points: Gradescope shows the score at the top instead of their sum. A
    submission that is too late to be accepted has no score, and staff decide.
    """
    if grade is None or result.score is None:
        return document
    final = document | {"output": _output(document, grade, result)}
    if grade.final is None:
        return {key: final[key] for key in final if key not in ("tests", "score", "leaderboard")}
    return final | {"score": grade.final}


def _output(document: Json, grade: FinalGrade, result: Result) -> str:
    """How the grade came, first; not where that would tell of hidden points."""
    hidden = any(graded.criterion.visibility != "visible" for graded in result.criteria)
    before = str(document.get("output", ""))
    if hidden and grade.final is not None:
        return before
    words = "Too late to be accepted." if hidden else f"{_score(grade)}: {grade.words}"
    return f"{escaped(words)}\n\n{before}".strip()


def _score(grade: FinalGrade) -> str:
    return "There is no score" if grade.final is None else f"Your score is {number(grade.final)}"
