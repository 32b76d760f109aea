"""Make adjustments from what staff typed, or from a CSV with one per row.

    student,criterion,points,action,comment
    ada,double,3,,The handout allows this.
    bob,answer,,waive,The file was lost.

A row has points or an action: `waive`, `excuse` or `undo`. All rows are stored or none.
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import get_args

from graders.adjustments import Adjustment
from graders.course.roster import by_identity, search
from graders.errors import UsageError, did_you_mean
from graders.model import AdjustAction, CriterionResult, Result
from graders.storage.adjustments import Overtaken
from graders.storage.csv_cells import StaffTable
from graders.storage.store import Store
from reports.review.verdicts import Mistyped, read_comment
from reports.text import number, number_or_dash
from submissions.people import name_key

ACTIONS: dict[str, AdjustAction] = {action: action for action in get_args(AdjustAction)}


@dataclass(frozen=True, slots=True)
class TypedAdjustment:
    """One adjustment as it was typed, with points or an action; `where` is its line in a file.

    `seen` is the number of this criterion's newest adjustment on the page that the person used;
    None means the newest one now.
    """

    student: str
    criterion: str
    points: str = ""
    action: str = ""
    comment: str = ""
    where: str = ""
    seen: int | None = None


class Adjusting:
    """List the adjustments in a store, and add new ones."""

    def __init__(self, store: Store) -> None:
        self._store, self._generation = store, store.published
        self._rows = store.adjustments().all()
        self._newest = {row.key: row for row in self._rows}
        self._ids = {member.submission for member in store.members(self._generation)}

    def adjust(self, rows: Iterable[TypedAdjustment], reviewer: str) -> list[str]:
        """Store all of these adjustments or none, and return a sentence for each.

        An adjustment that the same person has already made is not stored again. Raises UsageError,
        with a sentence for each invalid row.
        """
        changes, sentences, wrong = dict[tuple[str, str], Adjustment](), list[str](), list[str]()
        for row in rows:
            try:
                adjustment, sentence = self._adjustment(row, reviewer)
                if adjustment.key in changes:
                    raise Mistyped(f"{', '.join(adjustment.key)} is in an earlier row, too")
            except Mistyped as error:
                wrong.append(": ".join(filter(None, (row.where, str(error)))))
                continue
            changes[adjustment.key] = adjustment
            sentences.append(self._repeated(adjustment) or sentence)
        if wrong:
            raise Refused(wrong)
        try:
            new = [change for change in changes.values() if not self._repeated(change)]
            self._store.adjustments().add(new)
        except Overtaken as error:
            raise UsageError(
                f"{error.newest.reviewer} adjusted {', '.join(error.newest.key)} in the meantime: "
                f"{_what(error.newest)}; nothing is stored",
                "adjust it again if yours should count",
            ) from error
        return sentences

    def listed(self, student: str) -> Iterator[tuple[str, ...]]:
        """Yield a row for each adjustment, of one student or of all, the oldest first."""
        names = search(self._store, self._generation, student) if student else None
        for row in self._rows:
            if names is None or row.submission in names:
                state = self._state(row) if row.submission in self._ids else "no submission"
                when = row.made_at[:16].replace("T", " ")
                yield (*row.key, _what(row), state, row.reviewer, f"{when} UTC", row.comment)

    def _adjustment(self, row: TypedAdjustment, reviewer: str) -> tuple[Adjustment, str]:
        result = self._result(row.student)
        graded = _criterion(result, row.criterion)
        action, points = _action_and_points(row, graded)
        comment, name = read_comment(row.comment), result.submission.id
        newest = self._newest.get((name, graded.criterion.id))
        if action == "undo" and newest is None:
            raise Mistyped(f"{name}, {graded.criterion.id}: there is no adjustment to undo")
        if action != "undo" and not comment:
            raise Mistyped(f"{name}, {graded.criterion.id}: a comment for the student is missing")
        adjustment = Adjustment(
            name, graded.criterion.id, result.submission.sha256, reviewer, action,
            points, graded.machine, comment,
            (newest.number if newest else 0) if row.seen is None else row.seen,
        )  # fmt: skip
        return adjustment, _sentence(graded, adjustment, newest)

    def _result(self, student: str) -> Result:
        submission = submission_of(student, self._ids, lambda: self._students)
        result = self._store.member_result(self._generation, submission)
        if result.status == "rejected":
            raise Mistyped(f"{submission}: the upload was not accepted, so it has no points")
        return result

    @cached_property
    def _students(self) -> dict[str, list[str]]:
        """The submissions by everything that identifies a student; a part of a name does not."""
        return by_identity(self._store)

    def _repeated(self, adjustment: Adjustment) -> str:
        """Return a sentence if this is stored already, as when a command is repeated."""
        newest = self._newest.get(adjustment.key)
        if newest is None:
            return ""
        both_undo = adjustment.action == newest.action == "undo"
        if not both_undo and adjustment.content != newest.content:
            return ""
        return (
            f"{', '.join(adjustment.key)}: stored already (by {newest.reviewer}: {_what(newest)})"
        )

    def _state(self, adjustment: Adjustment) -> str:
        if adjustment != self._newest[adjustment.key]:
            return "replaced"
        if adjustment.action == "undo":
            return ""
        result = self._store.member_result(self._generation, adjustment.submission)
        if not adjustment.applies_to(result.submission.sha256):
            return "made for an earlier upload"
        graded = next((c for c in result.criteria if c.criterion.id == adjustment.criterion), None)
        if graded is None or graded.adjusted is None:
            return "no such criterion"
        changed = graded.machine != adjustment.machine
        return f"counts; machine now {number_or_dash(graded.machine)}" if changed else "counts"


def submission_of(
    typed: str, ids: Collection[str], students: Callable[[], Mapping[str, list[str]]]
) -> str:
    """Return the submission with this ID or of this student. Raises Mistyped unless it is one."""
    if typed in ids:
        return typed
    by_name = students()
    submissions = by_name.get(name_key(typed), [])
    if not submissions:
        end = did_you_mean(name_key(typed), by_name)
        raise Mistyped(f"there is no submission of `{typed}`{end}")
    if len(submissions) > 1:
        raise Mistyped(f"`{typed}` means several submissions: {', '.join(submissions)}; name one")
    return submissions[0]


class Refused(UsageError):
    """Invalid adjustments, with a sentence for each."""

    def __init__(self, sentences: Sequence[str]) -> None:
        super().__init__(sentences[-1], "nothing was adjusted")
        self.others = sentences[:-1]


def read_changes(file: Path) -> list[TypedAdjustment]:
    """Return the adjustments in a CSV; raises UsageError if it is invalid."""
    table = StaffTable(file, ("student", "criterion", "comment"), ("points", "action"))
    rows = list[TypedAdjustment]()
    for where, row in table.rows():
        student, criterion, comment = row["student"], row["criterion"], row["comment"]
        rows.append(
            TypedAdjustment(student, criterion, row["points"], row["action"], comment, where)
        )
    if not rows:
        problem = f"{file} has no rows"
        raise UsageError(problem, "its columns are student, criterion, points or action, comment")
    return rows


def _criterion(result: Result, name: str) -> CriterionResult:
    criteria = {graded.criterion.id: graded for graded in result.criteria}
    if name not in criteria:
        raise Mistyped(f"there is no criterion `{name}`{did_you_mean(name, criteria)}")
    return criteria[name]


def _action_and_points(
    row: TypedAdjustment, graded: CriterionResult
) -> tuple[AdjustAction, float | None]:
    """Return the action and the points of a change."""
    if bool(row.points) == bool(row.action):
        raise Mistyped("give either points or one of waive, excuse and undo")
    action = ACTIONS.get(row.action.casefold() or "points")
    if action is None or (row.action and action == "points"):
        raise Mistyped(f"`{row.action}` is not possible; choose one of waive, excuse and undo")
    if action in ("points", "waive") and graded.declared.points <= 0:
        raise Mistyped(f"`{graded.criterion.id}` is worth no points")
    return action, _read_points(row.points, graded) if row.points else None


def _read_points(typed: str, graded: CriterionResult) -> float:
    if typed.startswith("+"):
        now = f"{number_or_dash(graded.points)} of {number(graded.declared.points)} now"
        rule = f"`{graded.criterion.id}` has {now}: write the points that count, not the difference"
        raise Mistyped(f"{rule}; `{typed}` is not possible")
    try:
        value = float(typed.replace(",", "."))
    except ValueError:
        value = math.nan
    most = graded.declared.points
    if not 0 <= value <= most or round(value, 2) != value:
        rule = f"`{graded.criterion.id}` has 0 to {number(most)} points, with at most two decimals"
        raise Mistyped(f"{rule}; `{typed}` is not possible")
    return value + 0.0


def _sentence(graded: CriterionResult, adjustment: Adjustment, newest: Adjustment | None) -> str:
    after = {"waive": graded.declared.points, "undo": graded.machine}.get(
        adjustment.action, adjustment.points
    )
    now = "excused" if adjustment.action == "excuse" else number_or_dash(after)
    before = "excused" if graded.is_excused else number_or_dash(graded.points)
    last = f" (before, by {newest.reviewer}: {_what(newest)})" if newest else ""
    return f"{', '.join(adjustment.key)}: {before} -> {now}{last}"


def _what(adjustment: Adjustment) -> str:
    """Describe an adjustment in a few words."""
    if adjustment.action in ("excuse", "undo"):
        return {"excuse": "excused", "undo": "undone"}[adjustment.action]
    points = "full" if adjustment.points is None else number(adjustment.points)
    return f"{number_or_dash(adjustment.machine)} -> {points}"
