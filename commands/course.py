"""A course as a whole, for staff: what its submissions share, and who has which dates and attempts.

`similarity`, `agreement` and `attempts` only show something. `extend`, `late-days`, `merge` and
`drop` record what staff know about students, as rows of tables in the results folder.
"""

import getpass
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from commands.options import Folder, Reviewer, existing
from graders.course.best_attempts import ResultsFolder
from graders.course.extensions import late_in, read_extensions, spend, write_late_days
from graders.course.gathering import gathered, in_words
from graders.course.merges import Merge, read_merges, student_of
from graders.course.review import open_review
from graders.course.roster import drops_table
from graders.errors import UsageError
from graders.grading.options import stored_assignment
from graders.model import Assignment, FileSpec, Limits, Result
from graders.progress import follow
from graders.registry.discovery import load_assignment
from graders.similarity.pairs import compare
from graders.similarity.uploads import Upload, read_upload
from graders.storage.files import write_whole
from graders.storage.store import FILE, read_store, reopen_store
from graders.written.agreement import agreements, paces
from reports.attempts import write_attempts
from reports.course.files import write_course
from reports.review.dropping import Dropping
from reports.review.dropping import drop as store_drop
from reports.review.extending import Extension
from reports.review.extending import extend as store_extension
from reports.review.merging import merge as store_merge
from reports.similarity import write_similarity
from reports.terminal.results import progress_of
from reports.terminal.store import (
    show_accounts,
    show_agreement,
    show_drops,
    show_extensions,
    show_merges,
    show_paces,
    show_sentences,
)
from submissions.escaping import counted
from submissions.folder import CODE
from submissions.receive import identify

SECOND_READING = "second-reading.csv"
NOTHING_RUNS = Limits(0, 0, 0, 0, 0)
ANY = FileSpec(tuple(f"*{suffix}" for suffix in CODE), ())


def similarity(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Folder of submissions, as for `batch`.")
    ],
    assignment: Annotated[
        str, typer.Option(help="The assignment.", show_default="any Python code")
    ] = "",
    starter: Annotated[
        Path | None,
        typer.Option(help="Starter code to ignore.", show_default="the assignment's `starter/`"),
    ] = None,
    past: Annotated[
        list[Path] | None,
        typer.Option(help="Earlier submissions to compare with; repeatable.", metavar="DIR"),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the page.")] = Path("out"),
) -> None:
    """List the passages that submissions share, for staff to read.

    No grade depends on it. The exit code is 1 if a submission could not be read.
    """
    task = load_assignment(assignment) if assignment else _any_assignment()
    default = task.folder / "starter"
    handout = existing(starter) if starter else default if default.is_dir() else None
    handed_out = [] if handout is None else [read_upload(identify(handout, task.name))]
    if any(upload.is_empty for upload in handed_out):
        raise UsageError(
            f"{handout} has no files to compare", "give the folder of the starter code"
        )
    uploads = _read(folder, task)
    earlier = [
        replace(upload, id=f"{place.name}/{upload.id}")
        for place in past or ()
        for upload in _read(place, task)
    ]
    if len(uploads) + len(earlier) < 2:
        raise UsageError(f"{folder} contains only one submission", "add others, or --past DIR")
    if all(upload.is_empty for upload in uploads):
        raise UsageError(
            f"no submission in {folder} has files to compare",
            "add one folder or archive per student",
        )
    page = write_similarity(compare(uploads, earlier, handed_out), out)
    unread = [upload.id for upload in uploads if upload.is_empty]
    show_sentences(f"{name}: nothing to compare; the page says why" for name in unread)
    typer.echo(f"{len(uploads) - len(unread)} submissions compared: {page}")
    raise typer.Exit(int(bool(unread)))


def agreement(
    folder: Folder,
    again: Annotated[
        int,
        typer.Option(
            metavar="COUNT",
            min=0,
            help="Write up to this many decided answers to second-reading.csv for a second reader.",
            show_default="show the agreement",
        ),
    ] = 0,
) -> None:
    """Show how well graders of written answers agree, for each rubric item."""
    from reports.review.sheet import write_blind_sheet
    from reports.review.web.site import Site

    with open_review(folder) as review:
        review.refresh()
        if again:
            text, count = write_blind_sheet(Site(review, 0), again)
            if not count:
                raise UsageError(
                    f"{folder} has no decided answers that only one person read",
                    "grade some with `review` first",
                )
            path = write_whole(
                folder / SECOND_READING,
                text.encode("utf-8-sig", "replace"),
                remedy="check that the folder is writable",
            )
            typer.echo(f"{counted(count, 'answer')} for a second reader: {path}")
            typer.echo("They fill in `items` and import the file on the page of `review`.")
            return
        answers = review.material.answers.values()
        handles = {answer.key: answer.handle for some in answers for answer in some.values()}
        show_agreement(agreements(review.trail.rows), handles)
        show_paces(paces(review.trail.rows))


def attempts(
    folder: Folder,
    most: Annotated[int, typer.Option(min=2, help="Number of attempts to show.")] = 8,
) -> None:
    """Show which checks students fail over several attempts, and for how long."""
    with read_store(folder) as store:
        title = stored_assignment(store).title
        # Attempts that do not count are no longer listed, but still members.
        members = store.members()
        results = (store.result(member.submission, member.cache_key.address) for member in members)
        merges = read_merges(folder)
        progress = follow(title, (_as_attempt(result, merges) for result in results), most)
    page = write_attempts(progress, folder)
    typer.echo(f"{counted(progress.students, 'student')} with several attempts: {page}")


def _as_attempt(result: Result, merges: Mapping[str, Merge]) -> Result:
    """Return a Result as one of the submission that it is merged into."""
    submission = result.submission
    return replace(result, submission=replace(submission, id=student_of(merges, submission.id)))


def _read(folder: Path, task: Assignment) -> list[Upload]:
    with tempfile.TemporaryDirectory(prefix="softmark-") as work:
        if (folder / FILE).is_file():
            raise UsageError(
                f"{folder} is a results folder", "give the folder of submissions that `batch` read"
            )
        course = gathered(existing(folder), replace(task, due=None), Path(work))
        show_sentences(f"{folder}: {sentence}" for sentence in in_words(course))
        read = map(read_upload, course.submissions)
        return list(progress_of(read, len(course.submissions), "reading"))


def _any_assignment() -> Assignment:
    """Return an assignment that declares nothing but the kinds of files."""
    return Assignment("", "", 0, None, (), ANY, NOTHING_RUNS, 0, Path())


def extend(
    folder: Folder,
    student: Annotated[
        str, typer.Argument(help="Email, student number or submission.", show_default="list all")
    ] = "",
    due: Annotated[str, typer.Option(metavar="DATE", help="Such as 2026-12-03T23:59-08:00.")] = "",
    comment: Annotated[str, typer.Option(help="Why (for staff only).")] = "",
    reviewer: Reviewer = "",
) -> None:
    """Give a student more time, or list the extensions."""
    if bool(student) != bool(due):
        missing = "--due is missing" if student else "no student is named"
        raise UsageError(missing, "extend DIR STUDENT --due DATE; extend DIR lists all extensions")
    if not student:
        with read_store(folder) as store:
            task = stored_assignment(store)
            show_extensions(read_extensions(folder, task).granted)
        return
    extension = Extension(student, due, reviewer or getpass.getuser(), comment)
    with _changed(folder) as results:
        show_sentences((store_extension(results, extension),))


def merge(
    folder: Folder,
    other: Annotated[
        str, typer.Argument(help="Submission under another name.", show_default="list all")
    ] = "",
    into: Annotated[str, typer.Argument(help="Submission, email, number or full name.")] = "",
    attempts: Annotated[
        str, typer.Option(help="Which one counts: last, best or all, as for `batch`.")
    ] = "",
    undo: Annotated[bool, typer.Option("--undo", help="Separate OTHER again.")] = False,
    comment: Annotated[str, typer.Option(help="Why (for staff only).")] = "",
    reviewer: Reviewer = "",
) -> None:
    """Count a submission under another name as an attempt of a student, or list the merges."""
    if bool(other) != (undo or bool(into)) or (undo and into):
        raise UsageError("give OTHER and INTO, or OTHER and --undo", "merge DIR OTHER INTO")
    if not other:
        show_merges(read_merges(folder).values())
        return
    requested = Merge(other, into, attempts, reviewer or getpass.getuser(), comment)
    with _changed(folder) as results:
        show_sentences(store_merge(results, requested))


def drop(
    folder: Folder,
    student: Annotated[
        str, typer.Argument(help="Email, student number or submission.", show_default="list all")
    ] = "",
    undo: Annotated[bool, typer.Option("--undo", help="Remove the mark.")] = False,
    comment: Annotated[str, typer.Option(help="Why (for staff only).")] = "",
    reviewer: Reviewer = "",
) -> None:
    """Mark a student who left the course, or list the marks; nothing is graded or deleted."""
    if (undo or comment) and not student:
        raise UsageError("no student is named", "drop DIR STUDENT")
    if not student:
        show_drops(drops_table(folder).all_rows())
        return
    dropping = Dropping(student, not undo, reviewer or getpass.getuser(), comment)
    with _changed(folder) as results:
        show_sentences((store_drop(results, dropping),))


def late_days(
    folders: Annotated[list[Path], typer.Argument(help="Results folders.", metavar="DIR...")],
    bank: Annotated[
        int, typer.Option(min=0, help="Late days per student, for all folders together.")
    ],
) -> None:
    """Spend each student's late days, the earliest due date first."""
    with ExitStack() as stack:
        assignments = []
        for folder in {path.resolve(): path for path in folders}.values():
            store = stack.enter_context(reopen_store(folder))
            task = stored_assignment(store)
            if task.due is None:
                problem = f"{folder}: `{task.name}` has no due date"
                raise UsageError(problem, "set `due` in assignment.toml, or leave the folder out")
            if not task.grading.lateness.percent:
                show_sentences([f"{folder}: late work costs nothing, so it uses no late days"])
            owner = partial(student_of, read_merges(folder))
            late = late_in(store, folder, task, owner)
            assignments.append((task.due, folder, task, store, late))
        assignments.sort(key=lambda assignment: assignment[:2])
        spent, accounts = spend([late for *_, late in assignments], bank)
        for (_, folder, task, store, late), days in zip(assignments, spent, strict=True):
            write_late_days(folder, late, days)
            unused = read_extensions(folder, task).unused(entry.submission for entry in late)
            show_sentences(f"{folder}: {sentence}" for sentence in unused)
            write_course(store, task=task, out=folder, named=())
    places = [folder for _, folder, *_ in assignments]
    names = [place.resolve().name for place in places]
    unlike = len({*names}) == len(names)
    show_accounts(accounts, names if unlike else list(map(str, places)))


@contextmanager
def _changed(folder: Path) -> Iterator[ResultsFolder]:
    """Open a results folder to change what staff recorded; then write its files."""
    with reopen_store(folder) as store:
        task = stored_assignment(store)
        yield ResultsFolder(store, store.published, task, folder)
        write_course(store, task=task, out=folder, named=())
