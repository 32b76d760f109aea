"""Collect what a student's page says about regrade requests, and the comments on the student."""

from dataclasses import dataclass

from graders.course.release import CourseRules
from graders.model import Result
from graders.storage.requests import code_of
from reports.student.withheld import is_shown

WORDS = {
    "open": "Waiting for the course staff",
    "answered": "Answered, still open",
    "granted": "Granted",
    "rejected": "Rejected",
}


@dataclass(frozen=True, slots=True)
class ShownRequest:
    """One request: the criterion's title, its state, the reason, and the replies."""

    title: str
    state: str
    words: str
    reason: str
    comments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AboutRequests:
    """The code for a new request, empty if there can be none, and the requests so far."""

    code: str = ""
    requests: tuple[ShownRequest, ...] = ()


def about_requests(result: Result, rules: CourseRules) -> AboutRequests:
    """Return what the page says; requests about criteria that are not shown are left out."""
    if not rules.key:
        return AboutRequests()
    titles = {
        graded.criterion.id: graded.criterion.title
        for graded in result.criteria
        if is_shown(graded.criterion, rules.opened)
    }
    name = result.submission.id
    return AboutRequests(
        code_of(rules.key, name),
        tuple(
            ShownRequest(
                title=titles[request.criterion],
                state=request.state,
                words=WORDS[request.state],
                reason=request.reason,
                comments=tuple(reply.comment for reply in request.replies if reply.comment),
            )
            for request in rules.requests.get(name, ())
            if request.criterion in titles
        ),
    )


def comments_on(result: Result, rules: CourseRules) -> tuple[str, ...]:
    """Return what staff wrote to this student, without who wrote it."""
    return tuple(comment.comment for comment in rules.comments.get(result.submission.id, ()))
