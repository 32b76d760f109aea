"""Give one student more time: a new row in extensions.csv, or other late days in late_days.csv."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from graders.course.best_attempts import ResultsFolder
from graders.course.extensions import (
    LATE_DAYS,
    Extensions,
    Granted,
    extensions_table,
    fix_late_days,
    keys_of,
    keys_of_one,
    read_due,
    read_extensions,
    read_late_days,
)
from graders.course.roster import FILE as ROSTER
from graders.course.roster import read_roster
from graders.errors import UsageError, did_you_mean
from graders.storage.database import now
from reports.review.verdicts import NOTHING, in_one_line
from submissions.escaping import counted
from submissions.identity import safe_id
from submissions.people import name_key, people_in


@dataclass(frozen=True, slots=True)
class Extension:
    """An extension as it was typed.

    `seen` is the number of rows when the page was opened, None for a command.
    """

    student: str
    due: str
    reviewer: str
    comment: str = ""
    seen: int | None = None


def extend(folder: ResultsFolder, typed: Extension) -> str:
    """Store an extension and return a sentence about it; raises UsageError if it is not possible.

    The results folder must be locked.
    """
    out, dues = folder.out, read_extensions(folder.out, folder.task)
    due, by = _due(typed, dues), signed(typed.reviewer, typed.comment)
    names = names_of(folder, typed.student)
    before = extensions_of(dues, names)
    last = before[-1] if before else None
    if last and (last.due, last.by, last.comment) == (due, typed.reviewer, by["comment"]):
        return f"{names[0]}: due {shown(due)}: stored already"
    if last and typed.seen is not None and last in dues.granted[typed.seen :]:
        raise UsageError(
            f"{last.by or 'somebody'} changed the due date of {last.student} in the meantime: "
            f"{shown(last.due)}; {NOTHING}",
            "change it again if yours should count",
        )
    # An earlier row may name the same student by email, this one by number: both get the new date.
    keys = list(dict.fromkeys(extension.student for extension in before)) or names[:1]
    extensions_table(out).append([{"student": name, "due": due.isoformat()} | by for name in keys])
    was = last.due if last else dues.due
    end = _of_group(folder, names)
    if (out / LATE_DAYS).exists():
        end += "; run `late-days` again"
    return f"{', '.join(keys)}: due {shown(was)} -> {shown(due)}{end}"


@dataclass(frozen=True, slots=True)
class LateDays:
    """The late days of a submission as they were typed; `seen` are those that were seen."""

    submission: str
    days: str
    reviewer: str
    comment: str
    seen: str


def set_late_days(folder: ResultsFolder, late_days: LateDays) -> str:
    """Store how many late days a submission uses; return a sentence. Without days, the bank says.

    Raises UsageError if it is not possible. The results folder must be locked.
    """
    names = keys_of(late_days.submission, folder.people()[late_days.submission])
    before, typed = late_days_of(folder.out, names), late_days.days.strip()
    if typed and not (typed.isdecimal() and len(typed) <= 3):
        raise UsageError(f"`{typed}` is not a whole number of days; {NOTHING}", "0, 1, 2 ...")
    if late_days.seen != before:
        raise UsageError(
            f"{late_days.submission} has other late days by now: {before or 'none'}; {NOTHING}",
            "change them again if yours should count",
        )
    fix_late_days(folder.out, names, typed, signed(late_days.reviewer, late_days.comment))
    said = "as many late days as `late-days` says; run it again"
    amount = counted(int(typed), "late day") if typed else said
    return f"{late_days.submission} uses {amount}"


def late_days_of(out: Path, names: Sequence[str]) -> str:
    """Return how many late days are written for the student with these names, and by whom."""
    by_student = read_late_days(out)
    rows = (by_student[name] for name in dict.fromkeys(names) if name in by_student)
    return ", ".join(f"{days} ({by})" if by else str(days) for days, by in rows)


def extensions_of(dues: Extensions, names: Sequence[str]) -> list[Granted]:
    """Return the extensions of the student with these names, the oldest first."""
    return [extension for extension in dues.granted if extension.student in names]


def shown(moment: datetime | None) -> str:
    """Return a date as staff read it."""
    return f"{moment:%Y-%m-%d %H:%M %Z}".strip() if moment else "-"


def signed(reviewer: str, comment: str) -> dict[str, str]:
    """Return who writes a row now, and why; raises UsageError for a comment that is too long."""
    return {"by": reviewer, "made_at": now(), "comment": in_one_line(comment)}


def _due(typed: Extension, dues: Extensions) -> datetime:
    """Return the date that was typed."""
    if dues.due is None:
        problem = "the assignment has no due date, so nobody needs an extension"
        raise UsageError(problem, "set `due` in assignment.toml")
    example = dues.due.isoformat()
    due = read_due(typed.due)
    if due is None:
        problem = f"`{typed.due}` is not a date with a time and a time zone; {NOTHING}"
        raise UsageError(problem, f"write it as in {example}")
    if due < dues.due:
        problem = f"{shown(due)} is before the assignment's due date, {shown(dues.due)}; {NOTHING}"
        raise UsageError(problem, f"to withdraw an extension, pass {example}")
    return due


def names_of(folder: ResultsFolder, typed: str) -> list[str]:
    """Return all that identifies the student, the best first; raises UsageError for nobody."""
    key, names, keys = name_key(typed), list[str](), set[str]()
    for submission, identifiers in _identities(folder):
        keys |= {*identifiers, submission} - {""}
        if key in identifiers or submission in (key, name_key(safe_id(typed))):
            names += identifiers
            # The submission of a group is not one member's.
            names += [submission] if submission else []
    if not key or not names:
        end = did_you_mean(key, keys)
        hint = f"it must be an email, number or submission of the results or of {ROSTER}"
        raise UsageError(f"there is no student `{typed}`{end}", hint)
    return list(dict.fromkeys(names))


def _identities(folder: ResultsFolder) -> Iterator[tuple[str, list[str]]]:
    """Yield the submission, if it is of one person, and what else identifies that person."""
    for submission, student in folder.people().items():
        people, name = people_in(student), name_key(submission)
        alone = len(people) == 1
        yield from ((name if alone else "", keys_of_one(person)) for person in people)
        if not alone:
            yield name, []
    file = folder.out / ROSTER
    roster = read_roster(file) if file.exists() else None
    for name, rows in roster.by_submission.items() if roster else ():
        yield name, keys_of_one(rows[0]) if len(rows) == 1 else []
    for person in roster.people if roster else ():
        yield "", keys_of_one(person)


def _of_group(folder: ResultsFolder, names: Sequence[str]) -> str:
    """Return the end of the sentence if a group has another date than its member."""
    dues = read_extensions(folder.out, folder.task)
    due = extensions_of(dues, names)[-1].due
    for submission, student in folder.people().items():
        keys = {*keys_of(submission, student)}
        latest = max((dues.later[key] for key in keys if key in dues.later), default=due)
        if keys & {*names} and latest > due:
            return f"; {submission} has until {shown(latest)}, as another member of the group"
    return ""
