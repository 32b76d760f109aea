"""Decide when students may see the criteria that are not visible immediately.

visible           immediately
after_due_date    after the last possible submission; if no date determines it, after `release`
after_published   after `release`
hidden            never

*Opened* criteria are those that are shown now in addition to the visible ones.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from graders.course.extensions import Extensions, read_extensions
from graders.course.final_grades import DAY, FinalGrade, final_grade
from graders.grading_policy import GradingPolicy, Lateness
from graders.model import Assignment, Criterion, Result
from graders.storage.requests import Comment, Request
from graders.storage.store import Store

LATER = ("after_due_date", "after_published")


@dataclass(frozen=True, slots=True)
class CourseRules:
    """The rules by which a Result is shown today: the opened criteria, and the final grade.

    They can change without a new grading: the date, a release, an extension, `[grading]`. `key` is
    the secret behind the codes for regrade requests. `requests` and `comments` are by submission.
    """

    opened: frozenset[str] = frozenset()
    policy: GradingPolicy = field(default_factory=GradingPolicy)
    dues: Extensions = field(default_factory=Extensions)
    key: bytes = field(default=b"", repr=False)
    requests: Mapping[str, Sequence[Request]] = field(default_factory=dict)
    comments: Mapping[str, Sequence[Comment]] = field(default_factory=dict)

    def grade(self, result: Result) -> FinalGrade | None:
        """Return the final grade; None if the assignment has no `[grading]` table."""
        if not self.policy.declared:
            return None
        due = self.dues.due_of(result.submission)
        return final_grade(result, self.policy, due, self.dues.free_days(result.submission))


PLAIN = CourseRules()  # only the visible criteria, and no final grade


def rules_of(store: Store, task: Assignment, out: Path) -> CourseRules:
    """Return the current rules of the store in `out`."""
    dues = read_extensions(out, task)
    shown = opened(task, end_of(task, dues), released=store.released(), now=datetime.now(UTC))
    requests: dict[str, list[Request]] = defaultdict(list)
    for request in store.requests().all():
        requests[request.submission].append(request)
    comments: dict[str, list[Comment]] = defaultdict(list)
    for comment in store.comments().shown():
        comments[comment.submission].append(comment)
    return CourseRules(shown, task.grading, dues, store.course_key(), requests, comments)


def opened(
    task: Assignment, end: datetime | None, *, released: bool, now: datetime
) -> frozenset[str]:
    """Return the opened criteria; submissions are possible until `end`."""
    over = released if end is None else now > end
    shown = {"after_due_date": over, "after_published": released}
    return frozenset(criterion.id for criterion in task.rubric if shown.get(criterion.visibility))


def end_of(task: Assignment, dues: Extensions) -> datetime | None:
    """Return when the last submission can earn points, or None if no date determines it."""
    last, late = dues.last, task.grading.lateness
    if last is None or _has_no_end(late):
        return None
    try:
        return last + _accepted(late)
    except OverflowError:  # a date that means "never"
        return datetime.max.replace(tzinfo=UTC)


def still_closed(task: Assignment, shown: frozenset[str]) -> tuple[Criterion, ...]:
    """Return the criteria that may be opened later."""
    later = [criterion for criterion in task.rubric if criterion.visibility in LATER]
    return tuple(criterion for criterion in later if criterion.id not in shown)


def _has_no_end(late: Lateness) -> bool:
    """Return whether late work has a penalty and no last day."""
    return bool(late.percent) and late.max_days is None


def _accepted(late: Lateness) -> timedelta:
    """Return how long after its due date work is accepted: the late days or the grace period."""
    return max(timedelta(minutes=late.grace_minutes), timedelta(seconds=DAY * (late.max_days or 0)))
