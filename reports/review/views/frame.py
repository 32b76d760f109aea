"""The parts that all pages show: questions, progress, the reviewer, what can be undone."""

from dataclasses import dataclass

from reports.review.web.sessions import Session
from reports.review.web.site import REQUESTS, WRITTEN, Site


@dataclass(frozen=True, slots=True)
class Tab:
    """A question in the list of questions, and its progress."""

    id: str
    title: str
    decided: int
    contested: int
    answers: int


@dataclass(frozen=True, slots=True)
class Part:
    """A link to a part of the site, and what waits there."""

    name: str
    address: str
    current: bool
    waiting: int = 0
    word: str = ""


@dataclass(frozen=True, slots=True)
class Frame:
    """The parts that all pages share; `here` is the page's own address."""

    title: str
    reviewer: str
    token: str
    names: bool
    undecided: bool
    notice: str
    here: str
    parts: tuple[Part, ...]
    tabs: tuple[Tab, ...]
    undoable: int
    unwritten: int

    @property
    def decided(self) -> int:
        """The number of decided answers."""
        return sum(tab.decided for tab in self.tabs)

    @property
    def answers(self) -> int:
        """The number of answers."""
        return sum(tab.answers for tab in self.tabs)


def frame(site: Site, session: Session, here: str) -> Frame:
    """Return the frame of a page at the address `here`."""
    tabs = tuple(_tab(site, name) for name in site.review.material.answers)
    requests = site.review.store.requests().all()
    return Frame(
        title=site.review.material.assignment.title,
        reviewer=session.reviewer,
        token=session.form_token,
        names=session.names,
        undecided=session.undecided,
        notice=session.take_notice(),
        here=here,
        parts=_parts(here, tabs, sum(request.is_open for request in requests)),
        tabs=tabs,
        undoable=len(site.last_action(session.reviewer)),
        unwritten=site.review.unwritten(),
    )


def _parts(here: str, tabs: tuple[Tab, ...], requests: int) -> tuple[Part, ...]:
    written, asked = here.startswith((WRITTEN, "/q/")), here.startswith(REQUESTS)
    undecided = sum(tab.answers - tab.decided for tab in tabs)
    return (
        Part("Students", "/", not (written or asked)),
        Part("Manual grading", WRITTEN, written, undecided, "undecided"),
        Part("Regrade requests", REQUESTS, asked, requests, "open"),
    )


def _tab(site: Site, name: str) -> Tab:
    answers = site.answers(name).values()
    states = [site.review.standing(answer).state for answer in answers]
    question, _ = site.question(name)
    return Tab(
        name, question.title, states.count("decided"), states.count("contested"), len(states)
    )
