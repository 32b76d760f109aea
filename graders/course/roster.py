"""Read the course's students from `DIR/roster.csv`, and match them to submissions.

    submission,name,email,student_id,section,status
    ada,Ada Lovelace,ada@example.edu,1815,A,

A row is matched by the name of the folder or archive, or by the email or number that came with the
submission. Every member of a group has a row. The status of a student who left the course is
`dropped`. Rows of `DIR/dropped.csv`, which `drop` writes, count more than the roster:

    student,status,by,made_at,comment
    ada@example.edu,dropped,rea,2026-10-09T12:00:00+00:00,Left on October 8.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from graders.course.extensions import keys_of_one
from graders.course.merges import MERGED, Merge, read_merges
from graders.errors import UsageError, did_you_mean
from graders.model import Submission
from graders.storage.csv_cells import StaffTable
from graders.storage.files import write_whole
from graders.storage.store import Member, Store
from submissions.escaping import first_few, split_names
from submissions.identity import safe_id
from submissions.people import Person, folded, name_key, people_in, student_text

FILE = "roster.csv"
EARLIER = "roster-earlier.csv"  # replaced by another --roster
COLUMNS = ("submission", "name", "email", "student_id", "section", "status")
DROPS = "dropped.csv"
DROPPED, ENROLLED = "dropped", ("enrolled", "active", "")  # as the status of a student
NAMED = 10  # in one sentence


@dataclass(frozen=True, slots=True)
class Roster:
    """The students of a course, by submission and by email or number."""

    by_submission: Mapping[str, Sequence[Person]]
    by_number: Mapping[str, Person]

    @property
    def people(self) -> frozenset[Person]:
        """Everybody in the course."""
        rows = (person for people in self.by_submission.values() for person in people)
        return frozenset((*rows, *self.by_number.values()))

    def people_of(self, submission: Submission) -> tuple[Person, ...]:
        """Return who submitted it according to the roster; nobody if none of them is in it."""
        keys = (name_key(submission.id), name_key(submission.path.name))
        rows = [person for key in keys for person in self.by_submission.get(key, ())]
        if rows:
            return tuple(dict.fromkeys(rows))
        people = people_in(submission.student)
        students = [self._on_roster(person) for person in people]
        return tuple(new or old for old, new in zip(people, students, strict=True)) * any(students)

    def _on_roster(self, person: Person) -> Person | None:
        numbers = [number for number in (person.email, person.sid) if number] or [person.name]
        rows = (self.by_number.get(name_key(number)) for number in numbers)
        student = next((row for row in rows if row is not None), None)
        return student and replace(student, canvas=person.canvas)


@dataclass(frozen=True, slots=True)
class Enrolled:
    """Submissions with the people of a roster, and notes for staff."""

    submissions: tuple[Submission, ...]
    notes: tuple[str, ...] = ()


def by_roster(
    submissions: Sequence[Submission],
    roster_file: Path | None,
    out: Path,
    *,
    whole: bool = False,
) -> Enrolled:
    """Return the submissions with the people of the roster.

    Without `roster_file`, use the copy in `out`, if any. `whole` means that these are all
    submissions of the course. Raises UsageError if the file is not a roster.
    """
    file = roster_file or out / FILE
    roster = read_roster(file) if roster_file or file.exists() else None
    drops, merged = read_drops(out), read_merges(out)
    people = [roster.people_of(submission) if roster else () for submission in submissions]
    named = tuple(
        replace(
            submission,
            student=with_drops(submission.id, student_text(group) or submission.student, drops),
        )
        for submission, group in zip(submissions, people, strict=True)
    )
    notes = _naming_nobody(named, roster, drops, merged) if whole else ()
    if roster is None:
        return Enrolled(named, notes)
    unknown = [
        submission.id for submission, group in zip(submissions, people, strict=True) if not group
    ]
    notes += _listed("not in the roster", [name for name in unknown if name not in merged])
    if whole:
        here = {replace(person, canvas="") for group in people for person in group}
        absent = sorted(
            str(person) for person in roster.people - here if not _marked(person, "", drops).dropped
        )
        notes += _listed("no submission from", absent)
    return Enrolled(named, notes)


def _naming_nobody(
    submissions: Sequence[Submission],
    roster: Roster | None,
    drops: Mapping[str, str],
    merges: Mapping[str, Merge],
) -> tuple[str, ...]:
    """Return lines on rows of the tables without effect: perhaps a name is misspelled."""
    ids = {submission.id for submission in submissions}
    people = {person for submission in submissions for person in people_in(submission.student)}
    keys = {name_key(name) for name in ids}
    if roster is not None:
        people |= roster.people
        keys |= roster.by_submission.keys()
    keys.update(key for person in people for key in keys_of_one(person))
    merged = {name for row in merges.values() for name in (row.submission, row.into)}
    return (
        *_listed(f"{DROPS}: no student matches", sorted(drops.keys() - keys)),
        *_listed(f"{MERGED}: no submission matches", sorted(merged - ids)),
    )


def drops_table(out: Path) -> StaffTable:
    """Return the table of the students who dropped, or are enrolled whatever the roster says."""
    return StaffTable(out / DROPS, ("student", "status"), ("by", "made_at", "comment"))


def read_drops(out: Path) -> dict[str, str]:
    """Return the status of students by what identifies them, folded; the newest is last.

    Raises UsageError if the table is invalid.
    """
    statuses = dict[str, str]()
    for where, row in drops_table(out).rows():
        student, status = name_key(row["student"]), _status(where, row["status"])
        if not student:
            raise UsageError(f"{where}: no student", f"ada,{DROPPED}")
        statuses.pop(student, None)
        statuses[student] = status
    return statuses


def with_drops(submission: str, student: str, drops: Mapping[str, str]) -> str:
    """Return who submitted it, with a mark at everyone who left the course."""
    people = people_in(student)
    marked = tuple(_marked(person, submission, drops) for person in people)
    return student if marked == people else student_text(marked)


def _marked(person: Person, submission: str, drops: Mapping[str, str]) -> Person:
    keys = {*keys_of_one(person), name_key(submission)}
    newest = [status for name, status in drops.items() if name in keys][-1:]
    return replace(person, dropped=newest[0]) if newest else person


def search(store: Store, generation: int, text: str) -> list[str]:
    """Return the submission with this ID, or those whose ID, people or numbers contain all words.

    Raises StorageError if there is none.
    """
    members, words = store.members(generation), folded(text).split()
    ids = {member.submission for member in members}
    for name in (text, safe_id(text)):
        if name in ids:
            return [name]
    matches = [
        member.submission
        for member in members
        if all(word in _searched(store, member) for word in words)
    ]
    return matches or [store.member_result(generation, text).submission.id]


def wanted_submissions(store: Store, only: str) -> frozenset[str] | None:
    """Return the submissions named by `--only`, or None for all; UsageError for unknown ones."""
    members = store.members()
    ids = {member.submission for member in members if member.listed}
    chosen = frozenset({only}) if only in ids else split_names(only)  # a name may have a comma
    for name in sorted(chosen - ids):
        problem = f"--only: there is no submission `{name}`{did_you_mean(name, ids)}"
        raise UsageError(problem, "`show` lists what there is")
    return chosen or None


def by_identity(store: Store) -> dict[str, list[str]]:
    """Return the submissions by everything that identifies a student, folded by `name_key`.

    That is the submission, its file or folder, an email or a number, or else a name: students
    choose their names, so a name that is also one of the others means the others. Earlier attempts
    are left out for a student who has one that counts.
    """
    by_rank = [defaultdict[str, list[str]](list) for _ in range(4)]
    for member in store.members():
        student, _ = store.people_and_time(member)
        people = people_in(student)
        identifiers = {text for p in people for text in (p.email, p.sid, p.canvas)}
        identifiers |= {member.submission, member.path.name}
        for rank, texts in ((2, identifiers), (0, {person.name for person in people})):
            for key in {name_key(text) for text in texts if text}:
                by_rank[rank + member.listed][key].append(member.submission)
    return by_rank[0] | by_rank[1] | by_rank[2] | by_rank[3]


def _searched(store: Store, member: Member) -> str:
    student, _ = store.people_and_time(member)
    return folded(f"{member.submission}\n{student}")


def keep_roster(roster_file: Path | None, out: Path) -> None:
    """Copy the roster to `out` for later commands; another one that is there is kept beside it."""
    if roster_file is None:
        return
    file = out / FILE
    if file.exists() and file.read_bytes() != roster_file.read_bytes():
        file.replace(out / EARLIER)  # somebody may have edited it in DIR
    write_whole(
        file, roster_file.read_bytes(), remedy="free some space, then run the command again"
    )


def read_roster(file: Path) -> Roster:
    """Return the students in a file; raises UsageError with the line if it is not a roster."""
    if not file.exists():
        raise UsageError(f"{file} does not exist", "check the name of the file")
    by_submission: dict[str, list[Person]] = defaultdict(list)
    by_number: dict[str, Person] = {}
    for where, cells in StaffTable(file, (), COLUMNS).rows():
        _add(where, cells, by_submission, by_number)
    return Roster(by_submission, by_number)


def _add(
    where: str,
    cells: Mapping[str, str],
    by_submission: dict[str, list[Person]],
    by_number: dict[str, Person],
) -> None:
    submission, name, email, sid, section, status = (cells[column] for column in COLUMNS)
    if not name or not (submission or email or sid):
        problem = f"{where}: a student needs a name, and a submission, an email or a student_id"
        raise UsageError(problem, f"{','.join(COLUMNS)}: ada,Ada Lovelace,ada@example.edu,1815,A,")
    person = Person(name, email, sid, section=section, dropped=_status(where, status))
    for number in filter(None, map(name_key, (email, sid))):
        if by_number.setdefault(number, person) != person:
            problem = f"{where}: `{number}` already belongs to {by_number[number].name}"
            raise UsageError(problem, "correct one of the two lines")
    for key in {name_key(submission), name_key(safe_id(submission))} if submission else ():
        by_submission[key].append(person)


def _status(where: str, status: str) -> str:
    """Return the word for a student who left, or nothing."""
    if status.casefold() not in (DROPPED, *ENROLLED):
        raise UsageError(
            f"{where}: the status `{status}` is unknown", "`dropped`, or leave it empty"
        )
    return DROPPED if status.casefold() == DROPPED else ""


def _listed(what: str, names: Sequence[str]) -> tuple[str, ...]:
    return (f"{what}: {first_few(names, NAMED)}",) if names else ()
