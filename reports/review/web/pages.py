"""The pages for manual grading: the overview, one answer at a time, the decisions as CSV.

The entry to all pages is here, too; the pages about students are in `staff_pages.py`.
"""

from fastapi import Request
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse, Response

from reports.review.sheet import write_sheet
from reports.review.verdicts import whole
from reports.review.views.answer import Shown, answer_view
from reports.review.views.overview import overview_view
from reports.review.views.render import STATIC, render
from reports.review.web.account import is_own
from reports.review.web.sessions import Session
from reports.review.web.site import Refusal, Site, answer_address

CLOSED = "Open the link that the terminal shows. It works once, in one browser."
OTHER = "Only the account that started the review may open it. Ask its owner for an invite link."


async def enter(request: Request) -> Response:
    """Turn a token into a cookie that scripts cannot read and other sites cannot send."""
    site: Site = request.app.state.site
    token = request.query_params.get("token", "")
    if site.sessions.is_for_this_account(token) and not _from_this_account(request, site):
        raise Refusal(403, "This page belongs to another account on this machine", OTHER)
    cookie = site.sessions.enter(token)
    if cookie is None:
        raise Refusal(403, "This link has already been used", CLOSED)
    # Not a redirect: if another page led here, the browser would not send the cookie with it.
    answer = HTMLResponse(render("enter.html.jinja", site.home))
    name = cookie_name(site)
    answer.set_cookie(name, cookie, httponly=True, samesite="strict", path="/")
    return answer


def _from_this_account(request: Request, site: Site) -> bool:
    return request.client is not None and is_own(request.client.port, site.port)


def visitor(request: Request) -> tuple[Site, Session]:
    """Return the current site and the visitor's session. Raises Refusal without a session."""
    site: Site = request.app.state.site
    session = site.sessions.session(request.cookies.get(cookie_name(site)))
    if session is None:
        raise Refusal(403, "You do not have access to this page", CLOSED)
    site.refresh()
    return site, session


def cookie_name(site: Site) -> str:
    """Return a cookie name for this port, because all servers on a machine share cookies."""
    return f"softmark_review_{site.port}"


async def overview(request: Request) -> Response:
    """Show the questions, the progress of each, and the totals."""
    site, session = visitor(request)
    site.help.load()
    return HTMLResponse(render("overview.html.jinja", overview_view(site, session)))


async def question(request: Request, question: str) -> Response:
    """Redirect to the first undecided answer, or to the first of all."""
    site, _ = visitor(request)
    await site.sorted(question)
    order = site.order(question)
    waiting = [handle for handle in order if site.waits(site.answer(question, handle))]
    return RedirectResponse(answer_address(question, (waiting or order)[0]), 303)


async def answer(request: Request, question: str, handle: str) -> Response:
    """Show one answer next to its rubric."""
    site, session = visitor(request)
    await site.prepared(question, handle)
    shown = Shown(question, handle, whole(request.query_params.get("from", "")))
    return HTMLResponse(render("answer.html.jinja", answer_view(site, session, shown)))


async def whole_text(request: Request, question: str, handle: str) -> Response:
    """Return an answer as a file, which the browser downloads without showing it."""
    site, _ = visitor(request)
    text = site.answer(question, handle).text.encode("utf-8", "replace")
    named = {"Content-Disposition": f'attachment; filename="{handle}.txt"'}
    return Response(text, media_type="text/plain; charset=utf-8", headers=named)


async def sheet(request: Request) -> Response:
    """Return all answers and decisions, for a spreadsheet."""
    site, session = visitor(request)
    table = write_sheet(site, names=session.names).encode("utf-8-sig", "replace")
    named = {"Content-Disposition": 'attachment; filename="decisions.csv"'}
    return Response(table, media_type="text/csv; charset=utf-8", headers=named)


async def static(name: str) -> Response:
    """Return our own style or script, the only ones that a page may use."""
    if name not in STATIC:
        raise Refusal(404, "No such file", "There is no file with this name.")
    kind, path = STATIC[name]
    return FileResponse(path, media_type=kind)
