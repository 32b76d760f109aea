"""Actions on the pages for manual grading: decide, undo, import a CSV, write the grades.

Adjustments, comments, requests and releases are in `staff_actions.py`.
"""

from collections.abc import Sequence
from dataclasses import replace

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from graders.storage.decisions import Overtaken
from graders.written.decisions import Decision
from reports.review.outputs import write_grades
from reports.review.sheet import read_sheet
from reports.review.verdicts import (
    NONE,
    Mistyped,
    Verdict,
    make_decision,
    new_action,
    read_verdict,
    whole,
)
from reports.review.views.answer import Shown, answer_view
from reports.review.views.overview import overview_view
from reports.review.views.render import render
from reports.review.web.forms import Form, sent
from reports.review.web.site import WRITTEN, Refusal, Site, answer_address
from reports.text import number, points
from submissions.escaping import counted

CONTESTED = "Someone else decided differently in the meantime. Both decisions are kept."


async def decide(request: Request, question: str, handle: str) -> Response:
    """Store the decision on an answer or a group, and redirect to the next undecided answer."""
    site, session, form = await sent(request)
    await site.prepared(question, handle)
    answer, (_, rubric) = site.answer(question, handle), site.question(question)
    try:
        verdict = read_verdict(
            form.all("item"), form.one("adjustment"), form.one("comment"), rubric
        )
    except Mistyped as error:
        shown = Shown(question, handle, draft=_draft(form), problem=str(error))
        page = answer_view(site, session, shown)
        return HTMLResponse(render("answer.html.jinja", page), 422)
    targets = [(site.answer(question, name), seen) for name, seen in _targets(form, handle)]
    decisions = [
        make_decision(verdict, rubric, target, reviewer=session.reviewer, seen=seen)
        for target, seen in targets
    ]
    store(site, decisions)
    contested = [
        target for target, _ in targets if site.review.standing(target).state == "contested"
    ]
    if contested:
        session.notice = CONTESTED
        return RedirectResponse(answer_address(question, contested[0].handle), 303)
    earned = [target.points_of(row) for (target, _), row in zip(targets, decisions, strict=True)]
    session.notice = saved_notice(earned, answer.place)
    return RedirectResponse(site.next_waiting(question, handle) or WRITTEN, 303)


def store(site: Site, decisions: list[Decision], *, unseen: bool = True) -> None:
    """Store the decisions of one action, all or none."""
    action = new_action()
    rows = [replace(decision, action=action) for decision in decisions]
    site.review.decisions.add(rows, unseen=unseen)
    site.review.refresh()


def saved_notice(scores: Sequence[float], place: int) -> str:
    """Return a sentence that says what was saved."""
    rest = f" and {len(scores) - 1} more in its group" if len(scores) > 1 else ""
    least = f"{number(min(scores))} to " if number(min(scores)) != number(max(scores)) else ""
    return f"Saved: {least}{points(max(scores))} for answer {place}{rest}."


def _draft(form: Form) -> Verdict:
    """Return the ticked items and the comment of a form with invalid input."""
    ticked = form.all("item")
    return Verdict(frozenset(map(whole, ticked)), comment=form.one("comment"), none=NONE in ticked)


def _targets(form: Form, handle: str) -> list[tuple[str, int]]:
    """Return the answers that a decision is for, each with the newest decision the reviewer saw."""
    targets = [(handle, whole(form.one("seen")))]
    if form.one("scope") == "group":
        for name, _, seen in (member.partition(":") for member in form.all("member")):
            if name != handle:
                targets.append((name, whole(seen)))
    return targets


async def undo(request: Request) -> Response:
    """Undo this reviewer's last action; both remain in the history."""
    site, session, _ = await sent(request)
    last = site.last_action(session.reviewer)
    if not last:
        session.notice = "There is nothing to undo."
        return RedirectResponse(WRITTEN, 303)
    taken = [
        replace(
            decision,
            undoes=decision.number,
            items=(),
            adjustment=0.0,
            comment="",
            reviewer=session.reviewer,
            seen=decision.number,
            number=0,
        )
        for decision in last
    ]
    store(site, taken)
    session.notice = f"Undone: {counted(len(last), 'decision')}."
    return RedirectResponse(_address(site, last[0]), 303)


async def view(request: Request) -> Response:
    """Show or hide names, or the answers that are already decided."""
    _, session, form = await sent(request)
    match form.one("show"):
        case "names":
            session.names = not session.names
        case "undecided":
            session.undecided = not session.undecided
    back = form.one("back")
    local = back.startswith("/") and not back.startswith(("//", "/\\"))
    return RedirectResponse(back if local else "/", 303)


async def invite(request: Request) -> Response:
    """Create an invite link for one more reviewer."""
    site, session, form = await sent(request)
    token = site.sessions.invite(form.one("reviewer"), anybody=True)
    view = overview_view(site, session, invitation=f"{request.base_url}enter?token={token}")
    return HTMLResponse(render("overview.html.jinja", view))


async def write(request: Request) -> Response:
    """Write all output files."""
    site, session, _ = await sent(request)
    async with site.outputs.lock:
        session.notice = write_grades(site.review)
    return RedirectResponse(WRITTEN, 303)


async def take_in(request: Request) -> Response:
    """Import a CSV of decisions: all of it, or nothing and one line per error."""
    site, session, form = await sent(request)
    sheet = read_sheet(site, form.file, session.reviewer)
    if sheet.problems:
        page = overview_view(site, session, problems=sheet.problems)
        return HTMLResponse(render("overview.html.jinja", page), 422)
    try:
        store(site, list(sheet.decisions), unseen=sheet.blind)
    except Overtaken as error:
        why = "Nothing was imported. Download the CSV again and fill it in."
        raise Refusal(409, "Someone decided in the meantime", why) from error
    session.notice = f"{len(sheet.decisions)} decisions imported, {sheet.unchanged} unchanged."
    return RedirectResponse(WRITTEN, 303)


def _address(site: Site, decision: Decision) -> str:
    for question, answers in site.review.material.answers.items():
        for handle, answer in answers.items():
            if answer.key == (decision.submission, decision.check, decision.answer):
                return answer_address(question, handle)
    return WRITTEN
