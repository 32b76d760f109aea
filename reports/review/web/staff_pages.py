"""The pages for staff: all students, one student, the code, regrade requests, files."""

import os

from fastapi import Request
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse, Response

from reports.page import policy
from reports.page import render as render_page
from reports.review.verdicts import whole
from reports.review.views.code import code_view
from reports.review.views.render import render
from reports.review.views.requests import requests_view
from reports.review.views.student import result_of, student_desk
from reports.review.views.students import SHOWN, Search, start_view, tables
from reports.review.web.pages import visitor
from reports.review.web.site import Refusal, student_address
from reports.student.page import TEMPLATE, student_view

# Pages in DIR with the only script and style that they may use.
COURSE = ("course.js", "course.css")
OWN_PAGES = {"index": COURSE, "regrade": (None, "course.css")}


async def start(request: Request) -> Response:
    """Show the list of students."""
    site, session = visitor(request)
    query = request.query_params
    page = max(1, whole(query.get("page", "")))
    show = query.get("show", "")
    search = Search(query.get("q", "")[:200], show if show in SHOWN else "", page)
    return HTMLResponse(render("students.html.jinja", start_view(site, session, search)))


async def student(request: Request, submission: str) -> Response:
    """Show one student."""
    site, session = visitor(request)
    return HTMLResponse(render("student_desk.html.jinja", student_desk(site, session, submission)))


async def code(request: Request, submission: str) -> Response:
    """Show the student's code."""
    site, session = visitor(request)
    return HTMLResponse(render("code.html.jinja", code_view(site, session, submission)))


async def page_of(request: Request, submission: str) -> Response:
    """Show the page that the student sees now."""
    site, _ = visitor(request)
    view = student_view(result_of(site, submission), site.students.rules())
    return HTMLResponse(render_page(TEMPLATE, view), headers=_own_policy())


async def linked(request: Request, submission: str) -> Response:
    """Follow a link of the course page to a student."""
    visitor(request)
    return RedirectResponse(student_address(submission), 303)


async def course_page(request: Request, name: str) -> Response:
    """Show the course page, or a page next to it, from the file in DIR."""
    site, _ = visitor(request)
    script, style = OWN_PAGES.get(name, (None, "course.css"))
    path = site.review.folder / f"{name}.html"
    if not (name in OWN_PAGES or name.startswith("submissions-")) or not os.path.isfile(path):
        raise Refusal(404, "No such page", "Write the files first: they are not in the folder.")
    return HTMLResponse(path.read_bytes(), headers=_own_policy(script, style))


def _own_policy(script: str | None = None, style: str | None = None) -> dict[str, str]:
    rules = f"{policy(script, style)}; frame-ancestors 'none'"
    return {"Content-Security-Policy": rules}


async def table(request: Request, name: str) -> Response:
    """Return one of the CSV files in DIR as a download."""
    site, _ = visitor(request)
    if name not in tables(site.review.folder):
        raise Refusal(404, "No such file", "There is no CSV file with this name in the folder.")
    return FileResponse(site.review.folder / name, media_type="text/csv", filename=name)


async def requests(request: Request) -> Response:
    """Show the regrade requests, the open ones first."""
    site, session = visitor(request)
    return HTMLResponse(render("requests.html.jinja", requests_view(site, session)))


async def attachment(request: Request, number: int) -> Response:
    """Return a request's attachment as a download; no browser may take it for a page."""
    site, _ = visitor(request)
    matches = [stored for stored in site.review.store.requests().all() if stored.number == number]
    if not matches or not matches[0].attached:
        raise Refusal(404, "No such attachment", "The request may have been removed.")
    content = site.review.store.requests().attachment(number)
    name = f"request-{number}{_suffix(matches[0].attached)}"
    named = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type="application/octet-stream", headers=named)


def _suffix(name: str) -> str:
    """Return the end of a file's name if it is harmless in a header."""
    end = name.rpartition(".")[2]
    return f".{end}" if "." in name and end.isascii() and end.isalnum() and len(end) < 9 else ""
