"""Decide what a student's page says about the final grade, without revealing hidden points."""

from collections.abc import Iterator
from dataclasses import dataclass

from graders.course.final_grades import (
    FinalGrade,
    free_words,
    late_words,
    policy_words,
    times_words,
)
from graders.course.release import CourseRules
from graders.model import Result
from reports.student.withheld import is_shown

CLOSED = "It counts all criteria, so it is not shown while some of them are not."
OPEN = "There is no final grade until everything is graded."
MAY_CHANGE = "It can still change, because part of this needs manual grading."


@dataclass(frozen=True, slots=True)
class AboutGrade:
    """The final grade (None if there is none or it cannot be shown), and sentences about it."""

    final: float | None
    maximum: float
    words: str


def about_grade(result: Result, rules: CourseRules) -> AboutGrade | None:
    """Return what the page says about the final grade; None if there is nothing to say."""
    grade = rules.grade(result)
    if grade is None or result.status == "rejected":
        return None
    closed = _counts_what_is_closed(result, rules)
    if closed or grade.raw is None:
        words = (
            CLOSED if closed else OPEN,
            *_late(result, grade, rules),
            policy_words(rules.policy),
        )
        # An excuse from what is closed would show in the maximum.
        return AboutGrade(None, 0.0, " ".join(words))
    change = f" {MAY_CHANGE}" if result.status == "needs_review" else ""
    return AboutGrade(grade.final, grade.maximum, grade.words + change)


def _counts_what_is_closed(result: Result, rules: CourseRules) -> bool:
    """Return True if the grade depends on points that the student cannot see, or on their drops."""
    dropped_from = {name for drop in rules.policy.drops for name in drop.criteria}
    closed = [c.declared for c in result.criteria if not is_shown(c.criterion, rules.opened)]
    return any(criterion.points or criterion.id in dropped_from for criterion in closed)


def _late(result: Result, grade: FinalGrade, rules: CourseRules) -> Iterator[str]:
    submission = result.submission
    if grade.days_late:
        times = times_words(submission.submitted_at, rules.dues.due_of(submission))
        yield f"You submitted {late_words(grade.days_late, rules.policy.lateness)} ({times})."
    if grade.free_days:
        yield f"You used {free_words(grade.free_days)}."
