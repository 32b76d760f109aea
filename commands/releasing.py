"""Show students the criteria whose time staff decide."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from commands.options import Out
from graders.asked import stored_assignment
from graders.extensions import read_extensions
from graders.model import Assignment, Criterion
from graders.release import end_of, opened_in, still_closed
from graders.results import reopen_store
from reports.course.files import write_pages
from reports.store_terminal import show_sentences

Undo = Annotated[bool, typer.Option("--undo", help="Take it back: they are not shown again.")]


def release(out: Out = Path("out"), undo: Undo = False) -> None:
    """Show students the criteria that wait for the course to say so."""
    with reopen_store(out) as store:
        generation = store.generation().number
        task = stored_assignment(store, generation)
        end = end_of(task, read_extensions(out, task))
        store.keep_release(released=not undo)
        opened = opened_in(store, task, out)
        written, pages = write_pages(store, generation, opened=opened, out=out)
    show_sentences([_shown(task, opened, written, pages), *_closed(task, opened, end)])


def _shown(task: Assignment, opened: frozenset[str], written: int, pages: int) -> str:
    names = [each.id for each in task.rubric if each.id in opened]
    shown = " and ".join(["the visible criteria", *([", ".join(names)] if names else [])])
    return f"{written} of {pages} pages written anew; shown: {shown}"


def _closed(task: Assignment, opened: frozenset[str], end: datetime | None) -> Iterator[str]:
    """What waits for its time, and for what."""
    for each in still_closed(task, opened):
        yield f"not shown yet: {each.id}, {_waits_for(each, end)}"


def _waits_for(criterion: Criterion, end: datetime | None) -> str:
    if criterion.visibility == "after_published" or end is None:
        return "until you say `release`"
    return f"until nobody can hand in any more ({end:%Y-%m-%d %H:%M %Z})"
