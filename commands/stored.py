"""Show stored results, write them as a file of another system, or remove a student from them."""

import getpass
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from commands.options import Folder, Out, Reviewer, existing
from graders.course.best_attempts import ResultsFolder, which_count
from graders.course.merges import read_merges
from graders.course.release import CourseRules, rules_of
from graders.course.roster import search, wanted_submissions
from graders.errors import UsageError
from graders.grading.options import stored_assignment
from graders.model import Result, Submission
from graders.privacy.forgetting import (
    StoredStudent,
    find_student,
    forget_rows_of,
    still_named_in,
    without,
)
from graders.privacy.pseudonyms import Names
from graders.storage.files import remove_file, write_whole
from graders.storage.result_json import write_text
from graders.storage.store import FILE as STORE
from graders.storage.store import Store, read_store, reopen_store
from reports.course.files import keep_edited, write_course, write_pages
from reports.course.regrade import FILE as REGRADE_PAGE
from reports.exports import FORMATS, Course, Export, Writer
from reports.exports.pages import pages_export
from reports.exports.research import research_export
from reports.submission_files import has_old_page, remove_files
from reports.terminal import results as terminal
from reports.terminal import store as store_terminal
from reports.terminal.store import show_lines, show_sentences
from submissions.escaping import counted, first_few
from submissions.people import people_in

File = Annotated[
    Path | None,
    typer.Option(
        "-o", "--output", help="File; for `pages` and `research`, a folder.", show_default="stdout"
    ),
]


def show(
    submission: Annotated[
        str,
        typer.Argument(help="Submission ID, or words of a name or email.", show_default="list all"),
    ] = "",
    out: Out = Path("out"),
    generation: Annotated[
        int, typer.Option(help="Generation to show.", show_default="published")
    ] = 0,
) -> None:
    """Show stored results: generations, scores, or one submission."""
    with read_store(out) as store:
        chosen = store.generation(generation)
        task = stored_assignment(store, chosen.number)
        rules, folder = rules_of(store, task, out), ResultsFolder(store, chosen.number, task, out)
        names = search(store, chosen.number, submission) if submission else []
        if len(names) == 1:
            result = store.member_result(chosen.number, names[0])
            terminal.show_result(result, rules.grade(result))
            counts = which_count(folder.people(), folder.listed(), names[0])
            show_lines([f"Attempts: {counts}"] if counts else [])
            return
        if not submission:
            store_terminal.show_generations(store.generations(), store.published, chosen.number)
        results = store.results(chosen.number)
        if names:
            results = (store.member_result(chosen.number, name) for name in names)
        terminal.show_scores((result, rules.grade(result)) for result in results)
        left_out = [name for name in names if name not in folder.listed()]
        show_lines([f"does not count: {', '.join(left_out)}"] if left_out else [])


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
    writer, names = _writer(format_), None
    if writer is pages_export:
        _refuse_file(format_, output)
        _write_pages(out)
    elif writer is research_export:
        _refuse_file(format_, output)
        names = _names(out)
    gradebook = roster and existing(roster, "the gradebook that Canvas exported")
    with read_store(out) as store:
        # Use the policy as it is now: after a change of the policy, no new grading is needed.
        task, ids = stored_assignment(store), wanted_submissions(store, only)
        rules, seen = rules_of(store, task, out), Seen()
        results = _noted(store.results(only=ids), seen, rules, out)
        written = writer(Course(task, results, gradebook, title or task.title, rules, out, names))
    earlier = _hand_over(written, output)
    unused = [] if only else rules.dues.unused(seen.submissions)
    people = _about_people(seen) if written.problems else ()
    if earlier and not only:
        unused += [f"{output}: do not hand out pages of an earlier export: {first_few(earlier)}"]
    notes = (*written.notes, *_about_provisional(seen, out), *_about_pages(seen), *unused)
    show_sentences((*notes, *written.problems, *people))
    raise typer.Exit(int(bool(written.problems)))


def _writer(name: str) -> Writer:
    if name not in FORMATS:
        formats = ", ".join(f"`{format_}`" for format_ in FORMATS)
        raise UsageError(f"there is no format `{name}`", f"choose from: {formats}")
    return FORMATS[name]


@dataclass(slots=True)
class Seen:
    """The submissions of the exported Results, those with provisional grades, and old pages."""

    submissions: list[Submission] = field(default_factory=list)
    provisional: list[str] = field(default_factory=list)
    old_pages: int = 0


def _noted(
    results: Iterable[Result], seen: Seen, rules: CourseRules, out: Path
) -> Iterator[Result]:
    """Yield the results, and note submissions, provisional grades and old pages in `seen`."""
    for result in results:
        seen.submissions.append(result.submission)
        seen.old_pages += has_old_page(result, out, rules)
        if result.status == "needs_review" and result.score is not None:
            seen.provisional.append(result.submission.id)
        yield result


def _about_pages(seen: Seen) -> Iterator[str]:
    if seen.old_pages:
        pages = (
            "1 student page is" if seen.old_pages == 1 else f"{seen.old_pages} student pages are"
        )
        yield f"{pages} older than these grades: run the same `batch` again"


def _about_provisional(seen: Seen, out: Path) -> Iterator[str]:
    if count := len(seen.provisional):
        yield (
            f"{count} of {len(seen.submissions)} grades {'is' if count == 1 else 'are'} provisional"
            f", because points need to be confirmed (`decide {out}` or `review {out}`): "
            f"{first_few(seen.provisional)}"
        )


def _about_people(seen: Seen) -> Iterator[str]:
    people = [who for submission in seen.submissions for who in people_in(submission.student)]
    if not any(person.email or person.sid or person.canvas for person in people):
        yield "no email or number is known: run the same `batch` again with --roster, then export"


def _refuse_file(format_: str, output: Path | None) -> None:
    if output is None or output.is_file():
        raise UsageError(f"{format_}: there is no folder to write into", f"add -o {format_}/")
    if format_ == "research" and output.is_dir() and any(output.iterdir()):
        raise UsageError(f"{output} is not empty", "remove it, or choose another folder")


def _write_pages(out: Path) -> None:
    """Bring the students' pages up to date before they are handed out."""
    with reopen_store(out) as store:
        rules = rules_of(store, stored_assignment(store), out)
        write_pages(store, rules=rules, out=out)


def _names(out: Path) -> Names:
    """Return the names of everybody in the store, to be replaced."""
    with reopen_store(out) as store:
        names = Names(store.course_key())
        for member in store.members():
            student, _ = store.people_and_time(member)
            names.add(member.submission, member.path.name, people_in(student))
    return names


def _hand_over(written: Export, output: Path | None) -> list[str]:
    """Write an export; return the zips in its folder that it did not write."""
    if output is None:
        sys.stdout.write(written.text)
    elif written.files is None:
        write_text(output, written.text)
    else:
        names = set()
        for name, content in written.files:
            write_whole(output / name, content, remedy="free some space, then export again")
            names.add(name)
        write_text(output / written.table, written.text)
        return sorted(path.name for path in output.glob("*.zip") if path.name not in names)
    return []


def forget(
    folder: Folder,
    student: Annotated[str, typer.Argument(help="Submission, email, number or full name.")],
    yes: Annotated[bool, typer.Option("--yes", help="Remove the student.")] = False,
    reviewer: Reviewer = "",
) -> None:
    """Remove a student from a results folder, and print a receipt.

    Without --yes, it only prints who would be removed.
    """
    with reopen_store(folder) as store:
        records = find_student(store, student, read_merges(folder))
        who = tuple(map(_whom, records))
        if not yes:
            show_sentences((*who, "Nothing was removed: add --yes to remove it."))
            return
        task = stored_assignment(store)
        keep_edited(store, folder)
        # The files go before the rows: if this is interrupted, the same command still finds them.
        remove_files([record.submission for record in records], folder)
        remove_file(folder / REGRADE_PAGE)
        receipt = [
            *who,
            *(sentence for record in records for sentence in forget_rows_of(record, folder)),
        ]
        for record in records:
            receipt += _forgotten(store, record, reviewer or getpass.getuser())
        write_course(store, task=task, out=folder, named=())
    left = still_named_in(records, folder)
    if records[0].namesake:
        receipt.append(
            f"another student is called {records[0].person.name}: no file was searched for it"
        )
    receipt += [_still_named(folder / path) for path in left]
    receipt += [
        f"the upload itself is still at {record.upload}: the next `batch` would grade it again"
        for record in records
        if record.upload.exists()
    ]
    show_lines(receipt)


def _still_named(file: Path) -> str:
    if file.name == STORE:
        return f"still named in {file}: in what others submitted, or in comments about others"
    return f"still named in {file}: remove the name or the file"


def _whom(student: StoredStudent) -> str:
    if student.others:
        return f"{student.person} in the submission {student.submission}, which stays"
    return f"{student.person}: submission {student.submission}"


def _forgotten(store: Store, student: StoredStudent, reviewer: str) -> list[str]:
    """Remove the student from the store, and say what was removed."""
    if student.others:
        store.rename(student.submission, without(student))
        return [f"results of {student.submission}: the name is removed"]
    gone = store.forget(student.submission, reviewer)
    counts = {
        "result": gone.results,
        "decision": gone.decisions,
        "adjustment": gone.adjustments,
        "comment": gone.comments,
        "request": gone.requests,
    }
    rows = ", ".join(counted(count, name) for name, count in counts.items())
    rows += f" (with {gone.replies} repl{'y' if gone.replies == 1 else 'ies'})"
    return [
        f"store: {rows}; receipt {gone.number} of {gone.made_at}, by {reviewer}",
        f"results, gradescope, reports: the files of {student.submission}",
    ]
