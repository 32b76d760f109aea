"""Let people decide what machines do not."""

from pathlib import Path
from typing import Annotated

import typer


def review(
    folder: Annotated[Path, typer.Argument(help="A results folder.", metavar="DIR")],
    port: Annotated[int, typer.Option(help="Of this machine.", show_default="a free one")] = 0,
    reviewer: Annotated[str, typer.Option(help="Who decides.", show_default="your login")] = "",
    browser: Annotated[bool, typer.Option(help="Open the page.")] = True,
) -> None:
    """Open a page on this machine where people decide free-text answers."""
    # The web server is imported by nobody else.
    from reports.review.server import serve

    serve(folder, port=port, reviewer=reviewer, open_browser=browser)
