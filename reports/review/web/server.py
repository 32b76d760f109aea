"""Serve the pages on this machine, let one browser in, and write the grades at the end."""

import contextlib
import getpass
import html
import os
import socket
import tempfile
import webbrowser
from collections.abc import Iterator
from pathlib import Path

import uvicorn
from rich.console import Console

from graders.course.review import open_review
from graders.errors import UsageError
from reports.grades import FILE as GRADES
from reports.review.outputs import is_older, write_grades
from reports.review.web.app import make_app
from reports.review.web.site import WRITTEN, Site

HOST = "127.0.0.1"
REDIRECT = """<!doctype html><meta charset="utf-8"><title>Softmark</title>
<meta http-equiv="refresh" content="0; url={0}"><p><a href="{0}">Open the page</a></p>
"""
OUT = Console(highlight=False, soft_wrap=True)


def serve(
    folder: Path,
    *,
    home: str = WRITTEN,
    port: int = 0,
    reviewer: str = "",
    open_browser: bool = True,
) -> None:
    """Serve the results in `folder` until interrupted; port 0 selects a free one.

    `home` is the page that opens first. Raises UsageError if that is the written part and there is
    nothing to review, or if the port is in use.
    """
    with open_review(folder) as review, contextlib.closing(listen(port)) as listening:
        if not review.material.answers and home == WRITTEN:
            remedy = "nothing to review; `serve` opens the other pages"
            raise UsageError(f"{folder}: nothing needs manual grading", remedy)
        site = Site(review, listening.getsockname()[1], home=home)
        address = entry(site, reviewer or getpass.getuser())
        name = "review" if home == WRITTEN else "staff"
        OUT.print(f"{name} page: {address}\nSingle-use link; press Ctrl+C to stop.", markup=False)
        with redirect_file(address) as file, contextlib.suppress(KeyboardInterrupt):
            if open_browser:
                webbrowser.open(file.as_uri())
            make_server(site).run(sockets=[listening])
        site.help.close()
        _write_at_the_end(site)


def listen(port: int) -> socket.socket:
    """Return a socket that only this machine can reach. Raises UsageError if the port is in use."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        listening.listen()
    except (OSError, OverflowError) as error:
        listening.close()
        raise UsageError(f"port {port} cannot be used: {error}", "choose another --port") from error
    return listening


def entry(site: Site, reviewer: str) -> str:
    """Return an address that lets one browser in, once, under this name."""
    return f"http://{HOST}:{site.port}/enter?token={site.sessions.invite(reviewer)}"


@contextlib.contextmanager
def redirect_file(address: str) -> Iterator[Path]:
    """Yield a page that redirects to the address and that no other account can read.

    Every account can see the command line of a browser, so it must not contain a token.
    """
    with tempfile.TemporaryDirectory(prefix="softmark-review-") as folder:  # mode 0700
        file = Path(folder) / "open.html"
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="utf-8") as page:
            page.write(REDIRECT.format(html.escape(address)))
        yield file


def make_server(site: Site) -> uvicorn.Server:
    """Return the server of a site; it answers one request at a time, in one thread."""
    config = uvicorn.Config(
        make_app(site),
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        lifespan="off",
        timeout_graceful_shutdown=5,
    )
    return uvicorn.Server(config)


def _write_at_the_end(site: Site) -> None:
    site.review.refresh()
    old = is_older(site.review.folder / GRADES, site.review.store)
    if site.review.unwritten() or site.outputs.are_behind or old:
        OUT.print(write_grades(site.review), markup=False)
