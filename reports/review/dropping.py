"""Mark a student who left the course, or say that they are in it: a new row in dropped.csv."""

from dataclasses import dataclass

from graders.course.best_attempts import ResultsFolder
from graders.course.roster import DROPPED, ENROLLED, drops_table, read_drops, with_drops
from graders.errors import UsageError
from reports.review.extending import names_of, signed
from reports.review.verdicts import NOTHING
from submissions.people import name_key


@dataclass(frozen=True, slots=True)
class Dropping:
    """Who left, or is in the course, as it was typed.

    `seen` is the number of rows when the page was opened, None for a command.
    """

    student: str
    has_left: bool
    reviewer: str
    comment: str = ""
    seen: int | None = None


def drop(folder: ResultsFolder, dropping: Dropping) -> str:
    """Store who left, mark their submissions, and return a sentence.

    The results folder must be locked. Raises UsageError if it is not possible.
    """
    names, out = names_of(folder, dropping.student), folder.out
    status = DROPPED if dropping.has_left else ENROLLED[0]
    by = signed(dropping.reviewer, dropping.comment)
    rows = drops_table(out).all_rows()
    marks = [row for row in rows if name_key(row["student"]) in names]
    if marks and dropping.seen is not None and marks[-1] in rows[dropping.seen :]:
        raise UsageError(
            f"{marks[-1]['by'] or 'somebody'} marked {names[0]} as {marks[-1]['status']} in the "
            f"meantime; {NOTHING}",
            "mark them again if yours should count",
        )
    if not marks or marks[-1]["status"] != status:
        drops_table(out).append([{"student": names[0], "status": status} | by])
    # Also if the row was stored already: the command may have been interrupted after it.
    changed = _mark(folder)
    return f"{names[0]}: {status} ({', '.join(changed) or 'no submission changes'})"


def _mark(folder: ResultsFolder) -> list[str]:
    """Mark in the store who left; return the submissions that were marked in another way."""
    drops, changed = read_drops(folder.out), list[str]()
    for name, student in folder.people().items():
        marked = with_drops(name, student, drops)
        if marked != student:
            folder.store.rename(name, marked)
            changed.append(name)
    return changed
