"""The view of the page of one answer."""

from dataclasses import dataclass

from markupsafe import Markup

from graders.course.review import Answer
from graders.model import CriterionResult
from graders.written.decisions import Decision, Standing
from graders.written.free_text.manual import is_confirmation
from graders.written.question import Question, Review
from reports.review.verdicts import Verdict, same_rubric, verdict_of
from reports.review.views.frame import Frame, frame
from reports.review.views.help import Suggestion
from reports.review.views.text import Evidence, answer_html
from reports.review.web.sessions import Session
from reports.review.web.site import Site, answer_address
from reports.text import sentence
from reports.words import for_staff


@dataclass(frozen=True, slots=True)
class Shown:
    """An answer, and the contents of its form: a decision's number, or invalid input."""

    question: str
    handle: str
    start_from: int = 0
    draft: Verdict | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A rubric item, with the automatic suggestions for it."""

    number: int
    text: str
    points: float
    ticked: bool
    suggestions: tuple[Suggestion, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """A decision in the history of an answer."""

    decision: Decision
    holds: bool
    undone: bool


@dataclass(frozen=True, slots=True)
class Member:
    """An answer in a list, with its address and its state."""

    answer: Answer
    address: str
    standing: Standing
    current: bool


@dataclass(frozen=True, slots=True)
class Group:
    """A group in the list of groups: its size, how many answers are undecided, where to start."""

    number: int
    size: int
    waiting: int
    address: str
    current: bool


@dataclass(frozen=True, slots=True)
class AnswerView:
    """The view of the page of one answer.

    `confirms` is True if the question is whether the points of a check of code or predictions
    count: all its answers have the same text, and differ in their reason and their points.
    """

    frame: Frame
    question: Question
    rubric: Review
    answer: Answer
    confirms: bool
    text: Markup
    lines: tuple[Line, ...]
    draft: Verdict
    standing: Standing
    trail: tuple[Entry, ...]
    old_rubric: bool
    adjusted: CriterionResult | None
    members: tuple[Member, ...]
    groups: tuple[Group, ...]
    before: str
    after: str
    place: tuple[int, int]
    problem: str

    @property
    def ticked(self) -> int:
        """The number of answers that a group decision applies to by default."""
        waiting = (member for member in self.members if member.standing.state == "undecided")
        return 1 + sum(not member.current for member in waiting)


def answer_view(site: Site, session: Session, shown: Shown) -> AnswerView:
    """Return the page of an answer, as this visitor sees it."""
    question, rubric = site.question(shown.question)
    answer = site.answer(shown.question, shown.handle)
    standing, trail = site.review.standing(answer), site.review.history(answer)
    suggestions = site.suggestions(shown.question, answer)
    draft = shown.draft or _draft(trail, standing, rubric, shown.start_from)
    holds = standing.holds
    order = _walk(site, session, shown)
    here = order.index(shown.handle)
    mine = next(group for group in site.groups(question.id) if shown.handle in group)
    confirms = is_confirmation(question)
    return AnswerView(
        frame=frame(site, session, answer_address(question.id, answer.handle)),
        question=question,
        rubric=rubric,
        answer=answer,
        confirms=confirms,
        text=sentence(for_staff(answer.text))
        if confirms
        else answer_html(answer.text, _evidence(suggestions)),
        lines=_lines(rubric, draft, suggestions),
        draft=draft,
        standing=standing,
        trail=_entries(trail, standing),
        old_rubric=holds is not None and not same_rubric(holds, rubric),
        adjusted=_adjusted(site, answer),
        members=tuple(_member(site, shown, handle) for handle in mine),
        groups=_groups(site, session, shown),
        before=answer_address(question.id, order[here - 1]) if here else "",
        after=answer_address(question.id, order[here + 1]) if here + 1 < len(order) else "",
        place=(here + 1, len(order)),
        problem=shown.problem,
    )


def _adjusted(site: Site, answer: Answer) -> CriterionResult | None:
    """Return this answer's criterion if somebody adjusted its points by hand."""
    criteria = site.review.counted(answer.submission).criteria
    matches = (c for c in criteria if any(check.id == answer.check for check in c.checks))
    return next((graded for graded in matches if graded.adjusted), None)


def _evidence(suggestions: list[Suggestion]) -> list[Evidence]:
    """Return the marked passages of the answer: probable support, and contradictions."""
    return [
        Evidence(
            suggestion.start,
            suggestion.end,
            f"not {suggestion.item}" if suggestion.against else str(suggestion.item),
        )
        for suggestion in suggestions
        if suggestion.likely or suggestion.against
    ]


def _draft(trail: list[Decision], standing: Standing, rubric: Review, start_from: int) -> Verdict:
    """Return the form's initial contents: the requested decision, or else the one that counts."""
    requested = [row for row in trail if row.number == start_from and not row.undoes]
    begin = requested[0] if requested else standing.holds
    return verdict_of(begin, rubric) if begin else Verdict(frozenset())


def _lines(rubric: Review, draft: Verdict, suggestions: list[Suggestion]) -> tuple[Line, ...]:
    return tuple(
        Line(
            n,
            item.text,
            item.points,
            n in draft.items,
            tuple(suggestion for suggestion in suggestions if suggestion.item == n),
        )
        for n, item in enumerate(rubric.items, 1)
    )


def _entries(trail: list[Decision], standing: Standing) -> tuple[Entry, ...]:
    undone, open_ = {row.undoes for row in trail}, {row.number for row in standing.open}
    return tuple(Entry(row, row.number in open_, row.number in undone) for row in reversed(trail))


def _walk(site: Site, session: Session, shown: Shown) -> list[str]:
    """Return the answers that j and k go through; this one is always included."""
    order = site.order(shown.question)
    if not session.undecided:
        return order
    return [
        handle
        for handle in order
        if handle == shown.handle or site.waits(site.answer(shown.question, handle))
    ]


def _member(site: Site, shown: Shown, handle: str) -> Member:
    answer = site.answer(shown.question, handle)
    address = answer_address(shown.question, handle)
    return Member(answer, address, site.review.standing(answer), handle == shown.handle)


def _groups(site: Site, session: Session, shown: Shown) -> tuple[Group, ...]:
    groups = []
    for number, handles in enumerate(site.groups(shown.question), 1):
        waiting = [handle for handle in handles if site.waits(site.answer(shown.question, handle))]
        current = shown.handle in handles
        if waiting or current or not session.undecided:
            address = answer_address(shown.question, (waiting or handles)[0])
            groups.append(Group(number, len(handles), len(waiting), address, current))
    return tuple(groups)
