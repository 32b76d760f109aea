"""The web application: the function for each address, and what all responses have in common."""

from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, PlainTextResponse, Response
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from graders.errors import UserError
from reports.review.views.render import render
from reports.review.web import actions, pages, staff_actions, staff_pages
from reports.review.web.site import Refusal, Site

OURS = frozenset({"127.0.0.1", "localhost"})
BODY_LIMIT = 64 * 2**20
TYPED = ("comment", "text")  # fields that take long to type again
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
GETS: dict[str, Callable[..., Any]] = {
    "/enter": pages.enter,
    "/": staff_pages.start,
    "/s/{submission}": staff_pages.student,
    "/s/{submission}/code": staff_pages.code,
    "/s/{submission}/page": staff_pages.page_of,
    "/reports/{submission}.html": staff_pages.linked,
    "/requests": staff_pages.requests,
    "/requests/{number}/attachment": staff_pages.attachment,
    "/tables/{name}": staff_pages.table,
    "/{name}.html": staff_pages.course_page,
    "/written": pages.overview,
    "/q/{question}": pages.question,
    "/q/{question}/{handle}": pages.answer,
    "/q/{question}/{handle}/text": pages.whole_text,
    "/decisions.csv": pages.sheet,
    "/static/{name}": pages.static,
}
POSTS: dict[str, Callable[..., Any]] = {
    "/s/{submission}/adjust": staff_actions.adjust,
    "/s/{submission}/comment": staff_actions.comment,
    "/s/{submission}/extend": staff_actions.extend,
    "/s/{submission}/late-days": staff_actions.late_days,
    "/s/{submission}/drop": staff_actions.drop,
    "/s/{submission}/merge": staff_actions.merge,
    "/requests": staff_actions.take,
    "/requests/{number}": staff_actions.reply,
    "/release": staff_actions.release,
    "/files": staff_actions.write,
    "/q/{question}/{handle}": actions.decide,
    "/undo": actions.undo,
    "/view": actions.view,
    "/invite": actions.invite,
    "/write": actions.write,
    "/decisions.csv": actions.take_in,
}
Answering = Callable[[Request], Awaitable[Response]]


def make_app(site: Site) -> FastAPI:
    """Return the application of one server."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    app.state.site = site
    for path, page in GETS.items():
        app.add_api_route(path, page, methods=["GET"], response_model=None)
    for path, action in POSTS.items():
        app.add_api_route(path, action, methods=["POST"], response_model=None)
    app.middleware("http")(guard)
    app.add_exception_handler(Refusal, refuse)
    app.add_exception_handler(UserError, explain)
    for unread in (HTTPException, RequestValidationError, ClientDisconnect):
        app.add_exception_handler(unread, no_page)
    return app


async def guard(request: Request, answering: Answering) -> Response:
    """Answer requests that use this machine's own name and are not too large."""
    # If another site's domain points to this machine (DNS rebinding), the browser sends that
    # domain.
    if named(request.headers.get("host", "")) not in OURS:
        return PlainTextResponse("This page is only available at 127.0.0.1.", 421, HEADERS)
    length = request.headers.get("content-length", "")
    if request.method == "POST" and not (length.isdecimal() and int(length) <= BODY_LIMIT):
        return PlainTextResponse(
            "The request is too large, or its length is missing.", 413, HEADERS
        )
    answer = await answering(request)
    csp = answer.headers.get("Content-Security-Policy")  # of a page with a style and script in it
    answer.headers.update(HEADERS | ({"Content-Security-Policy": csp} if csp else {}))
    return answer


def named(host: str) -> str:
    """Return the name in a Host header, without its port; empty if it is malformed."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


async def refuse(_: Request, error: Exception) -> Response:
    """Return the page of a Refusal."""
    assert isinstance(error, Refusal)  # noqa: S101  it is registered for this type
    return HTMLResponse(render("refusal.html.jinja", error), error.status)


async def explain(request: Request, error: Exception) -> Response:
    """Return the page of a UsageError: what staff can fix, how, and what they typed."""
    assert isinstance(error, UserError)  # noqa: S101  it is registered for this type
    form = await request.form() if request.method == "POST" else {}
    typed = "\n".join(str(form[name]) for name in TYPED if form.get(name))
    why = f"{error}; {error.hint}".strip("; ")
    refusal = Refusal(409, "This is not possible right now", why, typed)
    return HTMLResponse(render("refusal.html.jinja", refusal), refusal.status)


async def no_page(_: Request, error: Exception) -> Response:
    """Return the page for a wrong address, or for a form that cannot be read or was not sent."""
    status = error.status_code if isinstance(error, HTTPException) else 404
    refusal = Refusal(status, "There is no such page", "The address is not one of this server.")
    if status == 400:
        refusal = Refusal(status, "The form cannot be read", "Reload the page and try again.")
    return HTMLResponse(render("refusal.html.jinja", refusal), status)
