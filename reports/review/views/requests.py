"""The view of the regrade requests."""

from dataclasses import dataclass

from graders.storage.requests import Request
from reports.review.views.frame import Frame, frame
from reports.review.web.sessions import Session
from reports.review.web.site import REQUESTS, Site
from reports.student.requests import WORDS


@dataclass(frozen=True, slots=True)
class Typed:
    """Input that could not be stored, and why; number 0 is the form for a new request."""

    number: int = 0
    text: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class RequestsView:
    """The view of all requests, the open ones first; `known` are the submissions in the results."""

    frame: Frame
    open: tuple[Request, ...]
    closed: tuple[Request, ...]
    known: frozenset[str]
    typed: Typed
    words: dict[str, str]


def requests_view(site: Site, session: Session, typed: Typed | None = None) -> RequestsView:
    """Return the page of requests, as it is now."""
    everything = site.review.store.requests()
    return RequestsView(
        frame=frame(site, session, REQUESTS),
        open=tuple(each for each in everything if each.is_open),
        closed=tuple(each for each in reversed(everything) if not each.is_open),
        known=frozenset(site.students.ids()),
        typed=typed or Typed(),
        words=WORDS | {"open": "Open"},
    )
