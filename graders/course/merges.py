"""Merge submissions under different names that are one student's.

The newest row of `DIR/merged.csv` about a submission says whose attempt it is, and each batch
applies it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from graders.course.best_attempts import (
    NAMED,
    RULES,
    Attempt,
    ResultsFolder,
    attempts_by_person,
    graded_attempts,
)
from graders.errors import UsageError
from graders.model import Submission
from graders.storage.csv_cells import StaffTable
from graders.storage.database import now
from submissions.escaping import first_few
from submissions.imports.last_attempts import key_of
from submissions.people import Person, people_in

MERGED = "merged.csv"


@dataclass(frozen=True, slots=True)
class Merge:
    """A row of merged.csv: this submission is an attempt of the student of `into`.

    `was` is who submitted it as far as was known; without `into`, the submission is separate again.
    """

    submission: str
    into: str
    attempts: str
    reviewer: str
    comment: str = ""
    was: str = ""
    made_at: str = ""


def merges_table(out: Path) -> StaffTable:
    """Return the table of the merged submissions in DIR."""
    return StaffTable(
        out / MERGED, ("submission", "into", "attempts"), ("by", "made_at", "comment", "was")
    )


def read_merges(out: Path) -> dict[str, Merge]:
    """Read which submissions are merged, by submission; raises UsageError for an invalid file."""
    merges = dict[str, Merge]()
    for where, row in merges_table(out).rows():
        attempts = row["attempts"]
        if not row["submission"] or attempts not in RULES:
            raise UsageError(
                f"{where}: no submission, or other attempts than {NAMED}", "correct it"
            )
        details = attempts, row["by"], row["comment"], row["was"], row["made_at"]
        merges.pop(row["submission"], None)  # the newest is last
        merges[row["submission"]] = Merge(row["submission"], row["into"], *details)
    return {name: merge for name, merge in merges.items() if merge.into}


def student_of(merges: Mapping[str, Merge], name: str) -> str:
    """Return the submission of whose student this one is an attempt; also over several merges."""
    seen = set[str]()
    while name in merges and name not in seen:
        seen.add(name)
        name = merges[name].into
    return name


def student_key(person: Person, submission: str, merges: Mapping[str, Merge]) -> str:
    """Return a text that is equal for all submissions of one student, also if they are merged."""
    return key_of(person, student_of(merges, submission))


def merge_into(folder: ResultsFolder, new: Merge) -> tuple[str, ...]:
    """Store a merge and apply it; raises UsageError if it is not possible."""
    merges, name = read_merges(folder.out), new.submission
    into = student_of(merges, new.into)
    if new.attempts not in RULES:
        problem = f"--attempts: there is no `{new.attempts}`"
        problem = problem if new.attempts else "which attempt counts? --attempts is missing"
        raise UsageError(problem, f"pass the same --attempts as to `batch`: {NAMED}")
    if into == name:
        same = "they are one submission" if new.into == name else f"{new.into} is one of {name}"
        raise UsageError(f"{same} already; nothing is stored", "give two submissions")
    merge = merges.get(name)
    if merge is None or (student_of(merges, name), merge.attempts) != (into, new.attempts):
        was = merge.was if merge else folder.people()[name]
        _add(folder.out, replace(new, into=into, was=was))
    # Those that did not count under another rule are chosen from, too.
    _list_again(folder, into)
    return apply_merges(folder)


def separate(folder: ResultsFolder, new: Merge) -> tuple[str, ...]:
    """Take a merge back: the submission belongs to its student again; return notes."""
    merges, name = read_merges(folder.out), new.submission
    merge = merges.get(name)
    if merge is None:
        raise UsageError(f"{name} is not merged; nothing is stored", "`merge DIR` lists what is")
    _add(folder.out, replace(new, attempts=merge.attempts, was=merge.was))
    root = student_of(merges, name)
    folder.relist({name: merge.was})
    _list_again(folder, name)
    _list_again(folder, root)
    notes = apply_merges(folder)
    if root not in folder.people():  # after a regrading, which leaves out what did not count
        notes = (*notes, f"{root} is not in these results: run the same `batch` again")
    else:
        notes = (*notes, *_choose(folder, root, merge.attempts, folder.people()))
    return (f"{name} belongs to {merge.was} again", *dict.fromkeys(notes))


def apply_merges(folder: ResultsFolder) -> tuple[str, ...]:
    """Name merged submissions by their student, of whose attempts one counts; return notes."""
    merges = read_merges(folder.out)
    if not merges:
        return ()
    people, listed = folder.people(), folder.listed()
    roots = {name: student_of(merges, name) for name in merges}
    wrong = {
        name: people[root]
        for name, root in roots.items()
        if name in listed and root in people and people[name] != people[root]
    }
    folder.relist(wrong)
    people |= wrong
    rules = {roots[name]: merge.attempts for name, merge in merges.items()}  # the newest of each
    pairs = ((root, rule) for root, rule in rules.items() if root in people)
    return tuple(note for pair in pairs for note in _choose(folder, *pair, people))


def _choose(
    folder: ResultsFolder, root: str, rule: str, people: Mapping[str, str]
) -> tuple[str, ...]:
    """Leave one of the student's submissions in the reports, if it is known which."""
    merges, student = read_merges(folder.out), people[root]
    known = any(person.email or person.sid or person.canvas for person in people_in(student))
    names = {
        name
        for name, text in people.items()
        if student_of(merges, name) == root or (known and text == student)
    }
    attempts = [
        replace(attempt, submission=replace(attempt.submission, student=str(Person("", root))))
        for attempt in graded_attempts(folder, names)
    ]
    best = RULES[rule](attempts)
    folder.store.unlist(folder.generation, best.others)
    left = [
        attempt.submission.id for attempt in attempts if attempt.submission.id not in best.others
    ]
    of_all = ", ".join(attempt.submission.id for attempt in attempts)
    count = "counts" if len(left) == 1 else "count"
    counts = f"{', '.join(left)} {count} for {student}; attempts: {of_all}"
    return (*best.notes, *([counts] if len(attempts) > 1 else []))


def _list_again(folder: ResultsFolder, root: str) -> None:
    """List a submission and those that are merged into it, to choose among all of them."""
    merges, people = read_merges(folder.out), folder.people()
    names = (name for name in (root, *merges) if student_of(merges, name) == root)
    folder.relist({name: people[name] for name in names if name in people})


def replaced_attempts(folder: ResultsFolder) -> list[str]:
    """Return the submissions that do not count because another one of the same student does.

    Submissions that are not in the reports for another reason, such as those of an earlier batch
    of other folders, are not among them.
    """
    listed, members = folder.listed(), folder.store.members(folder.generation)
    if len(listed) == len(members):
        return []
    people, merges = folder.people(), read_merges(folder.out)
    counting = {key for name in listed for key in _keys(name, people[name], merges)}
    return [
        name
        for name, student in people.items()
        if name not in listed and counting.issuperset(_keys(name, student, merges))
    ]


def _keys(name: str, student: str, merges: Mapping[str, Merge]) -> set[str]:
    return {student_key(person, name, merges) for person in people_in(student)}


def _add(out: Path, merge: Merge) -> None:
    row = {"submission": merge.submission, "into": merge.into, "attempts": merge.attempts}
    rest = {"by": merge.reviewer, "comment": merge.comment, "was": merge.was}
    merges_table(out).append([row | rest | {"made_at": now()}])


def all_counting(submissions: Sequence[Submission], merges: Mapping[str, Merge]) -> tuple[str, ...]:
    """Return a line on the students with several submissions of which `last` chose none.

    It chooses before a roster says that two folders are of one student.
    """
    merged = {name for merge in merges.values() for name in (merge.submission, merge.into)}
    unmerged = [
        Attempt(submission, None) for submission in submissions if submission.id not in merged
    ]
    several = [attempts for attempts in attempts_by_person(unmerged).values() if len(attempts) > 1]
    names = [" and ".join(attempt.submission.id for attempt in attempts) for attempts in several]
    who = "1 student has" if len(names) == 1 else f"{len(names)} students have"
    sentence = f"{who} several submissions, and all of them count: {first_few(names)}"
    return (f"{sentence} (`--attempts best` chooses one)",) if names else ()
