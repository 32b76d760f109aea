"""The view of the overview: progress, totals, recent decisions, errors in an imported CSV."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from graders.model import Result
from graders.written.decisions import Decision, decided_as
from reports.review.sheet import Problem
from reports.review.views.frame import Frame, frame
from reports.review.web.sessions import Session
from reports.review.web.site import WRITTEN, Site, answer_address

RECENT = 20


@dataclass(frozen=True, slots=True)
class Total:
    """A submission's points so far; `name` is anonymous unless names are shown."""

    name: str
    so_far: float
    most: float
    complete: bool
    status: str


@dataclass(frozen=True, slots=True)
class RecentDecision:
    """A decision in the list of recent ones, and the points that the answer got by it."""

    decision: Decision
    points: float
    question: str
    place: int
    address: str


@dataclass(frozen=True, slots=True)
class OverviewView:
    """The view of the overview."""

    frame: Frame
    totals: tuple[Total, ...]
    recent: tuple[RecentDecision, ...]
    unknown: tuple[str, ...]
    problems: tuple[Problem, ...]
    invitation: str

    @property
    def complete(self) -> int:
        """The number of submissions that have a total."""
        return sum(total.complete for total in self.totals)


def overview_view(
    site: Site, session: Session, *, problems: Sequence[Problem] = (), invitation: str = ""
) -> OverviewView:
    """Return the overview, as this visitor sees it."""
    material = site.review.material
    results = [site.review.counted(name) for name in material.results]
    results.sort(key=lambda result: _by(session, result))
    return OverviewView(
        frame=frame(site, session, WRITTEN),
        totals=tuple(_total(n, result, session) for n, result in enumerate(results, 1)),
        recent=_recent(site),
        unknown=material.unknown,
        problems=tuple(problems),
        invitation=invitation,
    )


def _by(session: Session, result: Result) -> str:
    name = result.submission.id
    return name if session.names else hashlib.sha256(name.encode()).hexdigest()


def _total(place: int, result: Result, session: Session) -> Total:
    return Total(
        name=result.submission.id if session.names else f"Submission {place}",
        so_far=sum(criterion.points or 0.0 for criterion in result.criteria),
        most=result.max_score,
        complete=result.score is not None,
        status=result.status,
    )


def _recent(site: Site) -> tuple[RecentDecision, ...]:
    latest = site.review.trail.rows[: -RECENT - 1 : -1]
    keys = {(row.submission, row.check, row.answer) for row in latest}
    by_key = {
        answer.key: answer
        for answers in site.review.material.answers.values()
        for answer in answers.values()
        if answer.key in keys
    }
    recent = []
    for row in latest:
        answer = by_key.get((row.submission, row.check, row.answer))
        question = decided_as(row.check)
        address = answer_address(question, answer.handle) if answer else ""
        points = answer.points_of(row) if answer else row.earned
        recent.append(RecentDecision(row, points, question, answer.place if answer else 0, address))
    return tuple(recent)
