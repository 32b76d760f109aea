"""The view of the regrade requests."""

from collections.abc import Mapping
from dataclasses import dataclass

from graders.storage.requests import Request
from reports.review.views.frame import Frame, frame
from reports.review.web.sessions import Session
from reports.review.web.site import REQUESTS, Site
from reports.student.requests import WORDS
from reports.words import marked


@dataclass(frozen=True, slots=True)
class Typed:
    """Input that could not be stored, and why; number 0 is the form for a new request."""

    number: int = 0
    text: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class RequestsView:
    """The view of all requests, the open ones first.

    `known` are the submissions in the results, each with the names of its students.
    """

    frame: Frame
    open: tuple[Request, ...]
    closed: tuple[Request, ...]
    known: Mapping[str, str]
    typed: Typed
    words: dict[str, str]


def requests_view(site: Site, session: Session, typed: Typed | None = None) -> RequestsView:
    """Return the page of requests, as it is now."""
    everything = site.review.store.requests().all()
    submissions = (student.row.submission for student in site.students.all())
    return RequestsView(
        frame=frame(site, session, REQUESTS),
        open=tuple(request for request in everything if request.is_open),
        closed=tuple(request for request in reversed(everything) if not request.is_open),
        known={
            submission.id: marked(submission.student).strip() or submission.id
            for submission in submissions
        },
        typed=typed or Typed(),
        words=WORDS | {"open": "Open"},
    )
