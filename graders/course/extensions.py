"""Read what individual students are granted: more time, and late days that cost nothing.

    extensions.csv   student, due         and by, made_at, comment in the rows of `extend`
    late_days.csv    student, days        and the same; only `late-days` replaces its own rows

Each student has a bank of late days for the course. They are spent in the order of the assignments'
due dates, as the student was late: one for each day begun.

A student is identified by the submission's ID, student number or email address. A name counts only
if nothing else is known, because students can choose their names.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from graders.course.final_grades import DAY, begun, days_to_spend, seconds_late
from graders.errors import UsageError
from graders.model import Assignment, Submission
from graders.storage.csv_cells import StaffTable, table
from graders.storage.files import write_whole
from graders.storage.store import Store
from submissions.people import Person, name_key, people_in

FILE = "extensions.csv"
LATE_DAYS = "late_days.csv"
SPENT = "late-days"  # who wrote a row of late_days.csv, if not a person
EXAMPLE = "ada,2026-12-03T23:59:00Z"


@dataclass(frozen=True, slots=True)
class Granted:
    """One row of extensions.csv: `student` is folded as `name_key` does."""

    student: str
    due: datetime
    by: str = ""
    made_at: str = ""
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Extensions:
    """All due dates: `due` is the assignment's, `later` is by student, as are free late days.

    `granted` are all extensions, the oldest first; the last one of a student counts.
    """

    due: datetime | None = None
    later: Mapping[str, datetime] = field(default_factory=dict)
    late_days: Mapping[str, int] = field(default_factory=dict)
    granted: Sequence[Granted] = ()

    def due_of(self, submission: Submission) -> datetime | None:
        """Return when it is due; a group has the latest due date of its members."""
        granted = [
            self.later[key]
            for key in keys_of(submission.id, submission.student)
            if key in self.later
        ]
        return max([*granted, *([self.due] if self.due else [])]) if granted else self.due

    def free_days(self, submission: Submission) -> int:
        """Return how many late days cost nothing; all members of a group need them."""
        if not self.late_days:
            return 0
        each_has = (
            max(self.late_days.get(k, 0) for k in (name_key(submission.id), *keys_of_one(person)))
            for person in people_in(submission.student)
        )
        return min(each_has, default=0)

    @property
    def last(self) -> datetime | None:
        """The latest due date of all, or None if there is none."""
        if self.due is None:
            return None
        return max(self.due, *self.later.values()) if self.later else self.due

    def unused(self, submissions: Iterable[Submission]) -> list[str]:
        """Return a line on each student without a submission: not submitted yet, or misspelled."""
        keys = {
            key for submission in submissions for key in keys_of(submission.id, submission.student)
        }
        return [
            f"{file}: {name} has no submission that counts"
            for file, students in ((FILE, self.later), (LATE_DAYS, self.late_days))
            for name in sorted(students.keys() - keys)
        ]


def extensions_table(out: Path) -> StaffTable:
    """Return the table of the extensions in DIR."""
    return StaffTable(out / FILE, ("student", "due"), ("by", "made_at", "comment"))


def late_days_table(out: Path) -> StaffTable:
    """Return the table of the late days that cost nothing in DIR."""
    return StaffTable(out / LATE_DAYS, ("student", "days"), ("by", "made_at", "comment"))


def read_extensions(out: Path, task: Assignment) -> Extensions:
    """Read the tables in DIR, if any; raises UsageError if one is invalid."""
    if task.due is None:
        return Extensions(None)
    granted = list[Granted]()
    for where, row in extensions_table(out).rows():
        granted.append(_granted(where, row, {extension.student for extension in granted}))
    later = {extension.student: extension.due for extension in granted}
    days = {name: count for name, (count, _) in read_late_days(out).items()}
    return Extensions(task.due, later, days, tuple(granted))


def read_late_days(out: Path) -> dict[str, tuple[int, str]]:
    """Read the late days that cost nothing in DIR, and who wrote the row, by student.

    The newest row of a person counts, or else that of `late-days`. A row without days withdraws
    the rows before it.
    """
    spent, fixed = dict[str, tuple[int, str]](), dict[str, tuple[int, str]]()
    for where, row in late_days_table(out).rows():
        student, days, by = name_key(row["student"]), row["days"], row["by"]
        if not student or not (days.isdecimal() or (by and not days)):
            raise UsageError(f"{where}: no student with a whole number of days", "ada,2")
        ledger = spent if by == SPENT else fixed
        if student in ledger and by in ("", SPENT):
            problem = f"{out / LATE_DAYS}: duplicate line for `{student}`"
            raise UsageError(problem, "keep the line that counts")
        ledger.pop(student, None)
        if days:
            ledger[student] = int(days), by
    return spent | fixed


def read_due(typed: str) -> datetime | None:
    """Return a date and time with its time zone; None if the text is not one."""
    try:
        moment = datetime.fromisoformat(typed.strip())
    except ValueError:
        return None
    return moment if moment.tzinfo else None


def _granted(where: str, row: Mapping[str, str], students: set[str]) -> Granted:
    student, due = name_key(row["student"]), read_due(row["due"])
    if not student:
        raise UsageError(f"{where}: there is no student", EXAMPLE)
    if due is None:
        problem = f"`{row['due']}` is not a date with a time and a time zone"
        raise UsageError(f"{where}: {problem}", EXAMPLE)
    if (
        student in students and not row["by"]
    ):  # of two lines without a name, either may be a mistake
        raise UsageError(f"{where}: duplicate line for `{student}`", "keep the line that counts")
    return Granted(student, due, row["by"], row["made_at"], row["comment"])


def keys_of_one(person: Person) -> list[str]:
    """Return what identifies a student, folded as `name_key` does: an email first."""
    identifiers = [text for text in (person.email, person.sid, person.canvas) if text]
    return [name_key(text) for text in identifiers or [person.name] if text]


def keys_of(submission: str, student: str) -> list[str]:
    """Return what identifies the students of a submission, folded; the submission is last."""
    keys = (key for person in people_in(student) for key in keys_of_one(person))
    return [*keys, name_key(submission)]


@dataclass(frozen=True, slots=True)
class Late:
    """A submission for which `days` late days could be used; `fixed` is what staff wrote.

    `owner` is another submission if it is an attempt of that one's student.
    """

    submission: Submission
    owner: str
    days: int
    fixed: int | None = None


@dataclass(frozen=True, slots=True)
class Account:
    """The late days that a student used in each results folder, and those that are left."""

    student: str
    used: tuple[int, ...]
    left: int


def late_in(
    store: Store, out: Path, task: Assignment, owner: Callable[[str], str] = str
) -> list[Late]:
    """Return the submissions of a results folder that count, by name."""
    dues, lateness, entries = read_extensions(out, task), task.grading.lateness, list[Late]()
    written = {name: days for name, (days, by) in read_late_days(out).items() if by != SPENT}
    for member in store.members():
        if member.listed and member.status != "rejected":
            student, moment = store.people_and_time(member)
            who = member.submission, student
            submission = Submission(*who, task.name, member.path, member.sha256, moment)
            late = begun(seconds_late(moment, dues.due_of(submission), lateness), DAY)
            days = days_to_spend(late, lateness)
            fixed = Extensions(late_days=written).free_days(submission)
            by_hand = not written.keys().isdisjoint(keys_of(*who))
            entries.append(
                Late(submission, owner(submission.id), days, min(fixed, days) if by_hand else None)
            )
    return entries


def spend(
    courses: Sequence[Sequence[Late]], bank: int
) -> tuple[list[dict[str, int]], list[Account]]:
    """Spend each student's bank in this order; return the days of each submission, and accounts.

    All members of a group spend the same, so that the group has what the last of them can pay.
    """
    members = [(entry, _members(entry)) for course in courses for entry in course]
    names = _names([keys for _, people in members for keys, _ in people])
    shown = {names[min(keys)]: person for _, people in members for keys, person in people}
    left, used = dict.fromkeys(shown, bank), {name: list[int]() for name in shown}
    spent = list[dict[str, int]]()
    for course in courses:
        here, paid = dict[str, int](), dict.fromkeys(shown, 0)
        for entry in course:
            students = {names[min(keys)] for keys, _ in _members(entry)}
            can = max(min(left[name] for name in students), 0)
            days = min(entry.days, can) if entry.fixed is None else entry.fixed
            here[entry.submission.id] = days
            paid |= {name: max(paid[name], days) for name in students}
        for name, days in paid.items():
            left[name] -= days
            used[name].append(days)
        spent.append(here)
    accounts = [Account(shown[name], tuple(used[name]), left[name]) for name in sorted(shown)]
    return spent, accounts


def write_late_days(out: Path, late: Sequence[Late], spent: Mapping[str, int]) -> None:
    """Write late_days.csv; the rows that staff wrote by hand stay."""
    names = (
        entry.submission.id for entry in late if entry.fixed is None and spent[entry.submission.id]
    )
    staff_table = late_days_table(out)
    columns = (*staff_table.needed, *staff_table.optional)
    old = [[row[name] for name in columns] for row in staff_table.all_rows() if row["by"] != SPENT]
    lines = [[name, str(spent[name]), SPENT, "", ""] for name in names]
    text = table([columns, *old, *lines])
    remedy = "make room and run the command again"
    write_whole(staff_table.file, text.encode(), remedy=remedy, durable=True)


def fix_late_days(out: Path, names: Sequence[str], days: str, signed: Mapping[str, str]) -> None:
    """Add rows on how many days a student uses, as staff decide; without `days`, the bank decides.

    `names` are all that identifies the student, the submission last.
    """
    before = read_late_days(out)
    keys = [name for name in dict.fromkeys(names) if name in before] or [names[-1]]
    late_days_table(out).append([{"student": name, "days": days} | dict(signed) for name in keys])


def _members(late: Late) -> list[tuple[frozenset[str], str]]:
    """Return what identifies each student of a submission in all folders, and who that is."""
    return [
        (_identity(person, late.owner), str(_short(person)) or late.owner)
        for person in people_in(late.submission.student)
    ]


def _short(person: Person) -> Person:
    return replace(person, section="", canvas="", sid="" if person.email else person.sid)


def _identity(person: Person, submission: str) -> frozenset[str]:
    identifiers = (("email", person.email), ("sid", person.sid), ("canvas", person.canvas))
    keys = {f"{kind} {name_key(text)}" for kind, text in identifiers if text}
    return frozenset(keys or {f"name {name_key(submission)} {name_key(person.name)}"})


def _names(identities: Iterable[frozenset[str]]) -> dict[str, str]:
    """Return one name by each key: of two folders, one may know the email and both the number."""
    joined = dict[str, frozenset[str]]()
    for keys in identities:
        whole = keys.union(*(joined[key] for key in keys if key in joined))
        joined |= dict.fromkeys(whole, whole)
    return {key: min(keys) for key, keys in joined.items()}
