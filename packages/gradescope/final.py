"""Apply an assignment's `[grading]` to a score: late penalty, drops, rounding."""

from datetime import datetime

from graders.course.final_grades import FinalGrade, final_grade
from graders.model import Assignment, Result
from reports.gradescope.markdown import escaped
from reports.gradescope.results_json import Json
from reports.text import number


def with_final_grade(
    document: Json, result: Result, assignment: Assignment, due: datetime | None
) -> Json:
    """Return the document with the final grade as its score if the assignment declares `[grading]`.

    The tests keep their raw points: Gradescope shows the score at the top instead of their sum. A
    submission that is too late to be accepted has no score, and staff decide.
    """
    if not assignment.grading.declared or result.score is None:
        return document
    grade = final_grade(result, assignment.grading, due)
    made = document | {"output": _output(document, grade, assignment)}
    if grade.final is None:
        return {key: made[key] for key in made if key not in ("tests", "score", "leaderboard")}
    return made | {"score": grade.final}


def _output(document: Json, grade: FinalGrade, assignment: Assignment) -> str:
    """Return the output, with how the grade was computed first unless it reveals hidden points."""
    hidden = any(each.visibility != "visible" for each in assignment.rubric)
    before = str(document.get("output", ""))
    if hidden and grade.final is not None:
        return before
    words = "Too late to be accepted." if hidden else f"{_score(grade)}: {grade.words}"
    return f"{escaped(words)}\n\n{before}".strip()


def _score(grade: FinalGrade) -> str:
    return "There is no score" if grade.final is None else f"Your score is {number(grade.final)}"
