"""Show stored results, or write them as a file of another system."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from commands.options import Out
from graders.course.extensions import FILE, read_extensions
from graders.errors import UsageError
from graders.grading.asked import stored_assignment
from graders.grading.choices import existing
from graders.model import Result, Submission
from graders.storage.results import Store, read_store
from graders.storage.store import write_text
from reports.exports import FORMATS, Course, Export, Writer
from reports.terminal import results as terminal
from reports.terminal import store as store_terminal
from reports.terminal.store import show_sentences

File = Annotated[Path | None, typer.Option("-o", "--output", help="File.", show_default="stdout")]


def show(
    submission: Annotated[str, typer.Argument(help="Its id.", show_default="list all")] = "",
    out: Out = Path("out"),
    generation: Annotated[int, typer.Option(help="Its number.", show_default="published")] = 0,
) -> None:
    """Show stored results: generations, scores, or one submission."""
    with read_store(out) as store:
        chosen = store.generation(generation)
        if submission:
            terminal.show_result(store.member_result(chosen.number, submission))
        else:
            store_terminal.show_generations(store.generations(), chosen.number)
            terminal.show_scores(store.results(chosen.number))


def export(
    format_: Annotated[str, typer.Argument(metavar="FORMAT", help=f"{', '.join(FORMATS)}.")],
    out: Out = Path("out"),
    output: File = None,
    roster: Annotated[Path | None, typer.Option(help="The gradebook that Canvas exported.")] = None,
    title: Annotated[
        str, typer.Option(help="Assignment name in that system.", show_default="its title")
    ] = "",
    only: Annotated[
        str, typer.Option(metavar="ID,ID", help="Only these submissions.", show_default="all")
    ] = "",
) -> None:
    """Export grades for another system."""
    writer = _writer(format_)
    known = roster and existing(roster, "the gradebook that Canvas exported")
    with read_store(out) as store:
        number = store.generation().number
        # Use the policy as it is now: after a change of the policy, no new grading is needed.
        task, wanted = stored_assignment(store, number), _wanted(store, number, only)
        dues, seen = read_extensions(out, task), list[Submission]()
        results = _noted(store.results(number, wanted), seen)
        written = writer(Course(task, results, known, title or task.title, dues))
    _hand_over(written, output)
    unused = [] if only else [f"{FILE}: {each} has no submission" for each in dues.unused(seen)]
    show_sentences((*written.notes, *unused, *written.problems))
    raise typer.Exit(int(bool(written.problems)))


def _writer(name: str) -> Writer:
    if name not in FORMATS:
        known = ", ".join(f"`{each}`" for each in FORMATS)
        raise UsageError(f"there is no format `{name}`", f"there is {known}")
    return FORMATS[name]


def _wanted(store: Store, generation: int, only: str) -> frozenset[str] | None:
    known = {each.submission for each in store.members(generation) if each.listed}
    names = [only] if only in known else only.split(",")  # a folder's name may have a comma
    wanted = frozenset(name.strip() for name in names if name.strip())
    for name in sorted(wanted - known):
        raise UsageError(f"--only: there is no submission `{name}`", "`show` lists what there is")
    return wanted or None


def _noted(results: Iterable[Result], seen: list[Submission]) -> Iterator[Result]:
    """Yield the results, and keep only their submissions."""
    for result in results:
        seen.append(result.submission)
        yield result


def _hand_over(written: Export, output: Path | None) -> None:
    if output is None:
        sys.stdout.write(written.text)
    else:
        write_text(output, written.text)
