"""Let people decide what machines do not."""

import getpass
from pathlib import Path
from typing import Annotated

import typer

from graders.errors import Misuse
from graders.review import open_review
from reports.store_terminal import show_kinds, show_sentences

Folder = Annotated[Path, typer.Argument(help="A results folder.", metavar="DIR")]
Reviewer = Annotated[str, typer.Option(help="Who decides.", show_default="your login")]


def review(
    folder: Folder,
    port: Annotated[int, typer.Option(help="Of this machine.", show_default="a free one")] = 0,
    reviewer: Reviewer = "",
    browser: Annotated[bool, typer.Option(help="Open the page.")] = True,
) -> None:
    """Open a page on this machine where people decide what waits for them."""
    # The web server is imported by nobody else.
    from reports.review.server import serve

    serve(folder, port=port, reviewer=reviewer, open_browser=browser)


def decide(
    folder: Folder,
    kinds: Annotated[str, typer.Option(metavar="KIND,KIND", help="Which; `all` for all.")] = "",
    accept: Annotated[
        bool | None,
        typer.Option("--accept/--reject", help="Count the points, or none.", show_default="list"),
    ] = None,
    only: Annotated[str, typer.Option(metavar="ID,ID", help="Submissions; without it all.")] = "",
    comment: Annotated[str, typer.Option(help="What the students read.")] = "",
    reviewer: Reviewer = "",
) -> None:
    """List or decide what waits for a person outside the written part, a kind at a time."""
    from reports.review.kinds import decide_kinds
    from reports.review.kinds import kinds as kinds_of
    from reports.review.outputs import write_grades
    from reports.review.verdicts import Mistyped

    if (accept is None) != (not kinds):
        raise Misuse("--kinds goes with --accept or --reject", "without them, `decide` lists kinds")
    with open_review(folder) as review:
        found = kinds_of(review, _names(only))
        if accept is None:
            show_kinds([(each.name, each.submissions, each.checks, each.text) for each in found])
            return
        wanted = _names(kinds)
        known = {each.name for each in found}
        for name in sorted(wanted - known - {"all"}):
            raise Misuse(f"nothing waits of the kind `{name}`", "`decide DIR` lists the kinds")
        chosen = [each for each in found if "all" in wanted or each.name in wanted]
        who = reviewer or getpass.getuser()
        try:
            count = decide_kinds(review, chosen, accept=accept, comment=comment, reviewer=who)
        except Mistyped as error:
            raise Misuse(str(error), "shorten --comment") from error
        said = f"{count} check{'' if count == 1 else 's'} {'accepted' if accept else 'rejected'}"
        show_sentences((said, write_grades(review)))


def _names(text: str) -> frozenset[str]:
    return frozenset(each.strip() for each in text.split(",") if each.strip())
