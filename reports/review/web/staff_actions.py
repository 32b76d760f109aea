"""Actions on the pages about students: adjust points, comment, answer requests, release.

    form ── the function behind the command of the same name ── a row in the store ── files in DIR

The row is on disk before the page says so; `Outputs.changed` then writes the files.
"""

from dataclasses import dataclass

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from graders.course.merges import Merge, read_merges, student_of
from graders.course.roster import DROPPED
from graders.errors import UsageError, UserError
from graders.storage.requests import ANSWERS, Comment, Overtaken, Reply
from reports.review.adjusting import Adjusting, TypedAdjustment
from reports.review.commenting import comment as store_comment
from reports.review.commenting import withdraw
from reports.review.dropping import Dropping
from reports.review.dropping import drop as store_drop
from reports.review.extending import Extension, LateDays, set_late_days
from reports.review.extending import extend as store_extension
from reports.review.merging import merge as store_merge
from reports.review.outputs import Act
from reports.review.requests import request_in
from reports.review.verdicts import Mistyped, read_comment, whole
from reports.review.views.render import render
from reports.review.views.requests import Typed, requests_view
from reports.review.views.student import (
    ENROLLING,
    EXTENDING,
    MERGING,
    SPENDING,
    Draft,
    result_of,
    student_desk,
)
from reports.review.web.forms import Form, sent
from reports.review.web.sessions import Session
from reports.review.web.site import REQUESTS, Refusal, Site, student_address

PASTED = "the pasted text"


async def adjust(request: Request, submission: str) -> Response:
    """Adjust one criterion of a student."""
    site, session, form = await sent(request)
    criterion, action = form.one("criterion"), form.one("action")
    graded = result_of(site, submission).criteria
    if form.one("points").strip() and action != "points":
        problem = "You typed points but chose something else. Clear them or choose `These points`."
        return _again(site, session, submission, Draft(criterion, _typed(form), problem))
    adjustment = TypedAdjustment(
        submission,
        criterion,
        form.one("points").strip() if action == "points" else "",
        action if action != "points" else "",
        form.one("comment"),
        seen=whole(form.one("seen")),
    )
    try:
        store = site.review.store
        (sentence,) = Adjusting(store).adjust([adjustment], session.reviewer)
    except UsageError as error:
        problem = f"{error}; {error.hint}"
        return _again(site, session, submission, Draft(criterion, _typed(form), problem))
    session.notice = f"Saved: {sentence}"
    await site.outputs.changed()
    place = next((n for n, result in enumerate(graded, 1) if result.criterion.id == criterion), 0)
    return RedirectResponse(f"{student_address(submission)}#c{place}", 303)


async def comment(request: Request, submission: str) -> Response:
    """Comment on a student or on everyone who made the same mistake, or withdraw a comment."""
    site, session, form = await sent(request)
    result_of(site, submission)
    entry = Comment(submission, session.reviewer, form.one("comment"))
    number, store = whole(form.one("withdraw")), site.review.store
    try:
        if number:
            session.notice = withdraw(store, submission, session.reviewer, number)
        else:
            session.notice = store_comment(store, entry, form.one("check"))
    except UsageError as error:
        return _again(site, session, submission, Draft("", _typed(form), str(error)))
    await site.outputs.changed()
    return RedirectResponse(f"{student_address(submission)}#comments", 303)


async def extend(request: Request, submission: str) -> Response:
    """Give a student more time."""
    site, session, form = await sent(request)
    extension = Extension(
        submission, form.one("due"), session.reviewer, form.one("why"), whole(form.one("seen"))
    )
    change = Change(EXTENDING, lambda folder: store_extension(folder, extension))
    return await _changed(site, session, submission, form, change)


async def late_days(request: Request, submission: str) -> Response:
    """Set how many late days a submission uses, whatever the bank says."""
    site, session, form = await sent(request)
    days = LateDays(
        submission, form.one("days"), session.reviewer, form.one("why"), form.one("seen")
    )
    change = Change(SPENDING, lambda folder: set_late_days(folder, days))
    return await _changed(site, session, submission, form, change)


async def drop(request: Request, submission: str) -> Response:
    """Mark a student as one who left the course, or as one who is in it."""
    site, session, form = await sent(request)
    words = (form.one("student") or submission, form.one("status") == DROPPED, session.reviewer)
    dropping = Dropping(*words, form.one("why"), whole(form.one("seen")))
    change = Change(ENROLLING, lambda folder: store_drop(folder, dropping))
    return await _changed(site, session, submission, form, change)


async def merge(request: Request, submission: str) -> Response:
    """Count this submission as an attempt of another student, or separate a submission again."""
    site, session, form = await sent(request)
    other, into = form.one("separate"), form.one("into").strip()
    if not (other or into):
        problem = "Write whose it is: a submission, email, number or name."
        return _again(site, session, submission, Draft(MERGING, _typed(form), problem))
    words = (form.one("attempts"), session.reviewer, form.one("why"))
    merging = Merge(other or submission, "" if other else into, *words)
    seen = whole(form.one("seen"))
    change = Change(MERGING, lambda folder: "; ".join(store_merge(folder, merging, seen=seen)))
    return await _changed(site, session, submission, form, change)


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a table in DIR, and the part of the page with its form."""

    part: str
    act: Act


async def _changed(
    site: Site, session: Session, submission: str, form: Form, change: Change
) -> Response:
    """Make a change, and show the student who was changed."""
    result_of(site, submission)
    try:
        session.notice = f"Saved: {await site.outputs.change(change.act)}"
    except UserError as error:  # also a grading that is running
        problem = f"{error}; {error.hint}"
        return _again(site, session, submission, Draft(change.part, _typed(form), problem))
    await site.outputs.changed()
    merges, ids = read_merges(site.review.folder), site.students.ids()
    # A merged submission may not count any more; the page is that of the attempt that does.
    root = student_of(merges, submission)
    names = (name for name in (submission, root, *ids) if student_of(merges, name) == root)
    counts = next((name for name in names if name in ids), "")
    return RedirectResponse(
        f"{student_address(counts)}#{change.part.strip()}" if counts else "/", 303
    )


def _typed(form: Form) -> dict[str, str]:
    return {name: form.one(name) for name in form.fields}


def _again(site: Site, session: Session, submission: str, draft: Draft) -> Response:
    """Show the form again with what was typed, and the newest state of everything else."""
    page = student_desk(site, session, submission, draft)
    return HTMLResponse(render("student_desk.html.jinja", page), 422)


async def take(request: Request) -> Response:
    """Store a request that was pasted or uploaded as a file."""
    site, session, form = await sent(request)
    text, store = form.one("text"), site.review.store
    content, named = (form.file, "the file") if form.file else (text.encode(), PASTED)
    try:
        message = request_in(content, named, store, site.review.assignment_now())
    except UsageError as error:
        typed = Typed(text=text, problem=f"{error}; {error.hint}")
        return HTMLResponse(render("requests.html.jinja", requests_view(site, session, typed)), 422)
    ending = "" if store.requests().add(message.request, message.content) else " is stored already"
    session.notice = (
        f"{message.request.submission}, {message.request.criterion}: request{ending or ' imported'}"
    )
    await site.outputs.changed()
    return RedirectResponse(REQUESTS, 303)


async def reply(request: Request, number: int) -> Response:
    """Answer, grant or reject a request."""
    site, session, form = await sent(request)
    store = site.review.store
    requests = store.requests().all()
    regrade_request = next((stored for stored in requests if stored.number == number), None)
    answer = next((kind for kind in ANSWERS if kind == form.one("answer")), None)
    if regrade_request is None or answer is None:
        raise Refusal(404, "No such request", "It may have been removed in the meantime.")
    try:
        text = read_comment(form.one("comment"))
        if not text:
            raise Mistyped("Write what the student reads.")
        new_reply = Reply(answer, text, session.reviewer)
        store.requests().reply(number, new_reply, seen=whole(form.one("seen")))
    except (Mistyped, Overtaken) as error:
        problem = _overtaken(error) if isinstance(error, Overtaken) else str(error)
        typed = Typed(number, form.one("comment"), problem)
        return HTMLResponse(render("requests.html.jinja", requests_view(site, session, typed)), 422)
    await site.outputs.changed()
    session.notice = f"Request {number} of {regrade_request.submission}: {answer}."
    if answer == "granted" and regrade_request.submission in site.students.ids():
        session.notice += " The points have not changed: adjust them here, or correct the check."
        return RedirectResponse(student_address(regrade_request.submission), 303)
    return RedirectResponse(f"{REQUESTS}#r{number}", 303)


def _overtaken(error: Overtaken) -> str:
    newest = error.newest
    return f"{newest.reviewer} replied in the meantime: {newest.answer}. Nothing was stored."


async def release(request: Request) -> Response:
    """Release the criteria that wait for a release, or withdraw the release."""
    site, session, form = await sent(request)
    sentences = await site.outputs.release(session.reviewer, released=form.one("released") == "yes")
    session.notice = "; ".join(sentences)
    return RedirectResponse("/#release", 303)


async def write(request: Request) -> Response:
    """Write all files again, as after a crash or after a grading that blocked them."""
    site, session, _ = await sent(request)
    await site.outputs.changed()
    behind = "The files are being written." if site.outputs.are_behind else "All files are written."
    session.notice = site.outputs.problem or behind
    return RedirectResponse("/", 303)
