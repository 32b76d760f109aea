"""Apply people's decisions on checks that need manual grading to a Result.

    decisions of one answer, oldest first ── standing ──┬── undecided: none
                                                        ├── decided: one, or several that agree
                                                        └── contested: they differ, and nobody
                                                            decided having seen all of them

A decision applies to one answer of one submission to one question. If an answer changes, the
decisions on the old answer are kept, and the new one needs manual grading. Checks of code or
predictions are decided in the same way; the result of the check then takes the place of the answer.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from graders import scoring
from graders.model import MACHINE, REVIEW, CheckResult, CheckStatus, CriterionResult, Result

# The message of a check whose answer could not be read automatically; the reason follows.
PERSON_READS = "A person reads this and decides."
CONTESTED = "Contested: two decisions differ, so a person reads this again."
BY_HAND = "Needs manual grading; it costs you no points until a person has decided."
State = Literal["undecided", "decided", "contested"]


@dataclass(frozen=True, slots=True)
class JudgedItem:
    """One rubric item as it was when somebody decided."""

    text: str
    points: float
    ticked: bool


@dataclass(frozen=True, slots=True)
class Decision:
    """One person's decision on one answer; it never changes once it is stored.

    `answer` is the hash of the answer's text, `points` its maximum. `seen` is the number of the
    newest decision on this answer that the person knew. All decisions of one step share an
    `action`. A decision that `undoes` another has no other content.
    """

    submission: str
    check: str
    answer: str
    reviewer: str
    points: float
    items: tuple[JudgedItem, ...] = ()
    adjustment: float = 0.0
    comment: str = ""
    action: str = ""
    seen: int = 0
    undoes: int = 0
    number: int = 0
    decided_at: str = ""

    @property
    def earned(self) -> float:
        """The points of this decision, limited to those that the answer can earn."""
        ticked = sum(item.points for item in self.items if item.ticked)
        return min(max(ticked + self.adjustment, 0.0), self.points)

    @property
    def verdict(self) -> tuple[object, ...]:
        """A key that is equal for decisions that agree."""
        return tuple((item.text, item.points, item.ticked) for item in self.items), self.adjustment


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of an answer: the decisions that nobody has replaced, and the newest of all."""

    open: tuple[Decision, ...]
    newest: int

    @property
    def state(self) -> State:
        """Return whether somebody has decided, and whether all of them agree."""
        if not self.open:
            return "undecided"
        return "decided" if len({decision.verdict for decision in self.open}) == 1 else "contested"

    @property
    def holds(self) -> Decision | None:
        """The decision that counts, or None if there is none or they differ."""
        return self.open[-1] if self.state == "decided" else None


def answer_sum(text: str) -> str:
    """Return the hash that identifies an answer."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def standing(decisions: Sequence[Decision]) -> Standing:
    """Return the state of an answer from its decisions, which are sorted by number."""
    undone = {decision.undoes for decision in decisions}
    live = [
        decision for decision in decisions if not decision.undoes and decision.number not in undone
    ]
    unreplaced = (
        decision for decision in live if not any(later.seen >= decision.number for later in live)
    )
    return Standing(tuple(unreplaced), max((decision.number for decision in decisions), default=0))


def decided(result: Result, decisions: Iterable[Decision]) -> Result:
    """Return the Result with people's decisions on its answers, and updated totals."""
    rows = list(decisions)
    if not rows or result.status == "rejected":
        return result
    criteria = tuple(_criterion(criterion, rows) for criterion in result.criteria)
    if all(new is old for new, old in zip(criteria, result.criteria, strict=True)):
        return result
    status, score = scoring.result_status(criteria), scoring.total(criteria)
    return replace(result, criteria=criteria, status=status, score=score)


def waits(result: CheckResult) -> bool:
    return result.status == "needs_review"


def is_written(result: CheckResult) -> bool:
    """Return True if a check grades a written answer.

    Written answers are free text, or read automatically.
    """
    return result.id.endswith((REVIEW, MACHINE))


def decided_sum(result: CheckResult) -> str:
    """Return the hash of what a decision on this check refers to: the answer, or the result.

    A decision no longer applies when this changes.
    """
    if is_written(result):
        return answer_sum(result.actual)
    rows = (f"{label}\t{value}" for label, value in result.counterexample)
    lines = (result.message, result.expected, result.actual, *rows, f"{result.fraction:g}")
    return answer_sum("\n".join(lines))


def unread(result: CheckResult) -> bool:
    """Return whether this automatic check could not read the answer."""
    return waits(result) and result.message.startswith(BY_HAND)


def decided_as(check: str) -> str:
    """Return the check's name in decisions: `1b`, or `1b:machine` for its automatic part."""
    if check.endswith(MACHINE):
        return f"{check.removesuffix(MACHINE)}:{MACHINE.removeprefix('/')}"
    return check.removesuffix(REVIEW)


def _criterion(graded: CriterionResult, rows: Sequence[Decision]) -> CriterionResult:
    checks = tuple(_check(check, rows) for check in graded.checks)
    if checks == graded.checks:
        return graded
    return scoring.criterion_result(graded.criterion, checks)


def _check(result: CheckResult, rows: Sequence[Decision]) -> CheckResult:
    if not waits(result):
        return result
    answer = decided_sum(result)
    decisions = [row for row in rows if (row.check, row.answer) == (result.id, answer)]
    stands = standing(decisions)
    holds = stands.holds
    if stands.state == "contested":
        return replace(result, message=_contested(result))
    if holds is None:
        return result
    share, notes = _fraction(holds), result.message.split("\n")[1:]
    if is_written(result):
        fraction, text = share, message_of(holds)
    else:
        # Points that a check earned provisionally are confirmed or not; they are never increased.
        fraction, text = share * (result.fraction or 1.0), _message_about(holds, share)
    message = "\n".join((text, *notes))
    return replace(result, status=_status(fraction), fraction=fraction, message=message, hint="")


def _contested(result: CheckResult) -> str:
    rest = result.message.removeprefix(PERSON_READS)
    return CONTESTED + rest if rest[:1] in ("", "\n") else f"{CONTESTED} {rest}"


def _message_about(holds: Decision, share: float) -> str:
    """Return the student's message for a decision on code or predictions."""
    verdicts = {
        1.0: "A person looked at this and accepted it.",
        0.0: "A person did not accept this.",
    }
    sentence = verdicts.get(share, f"A person accepted {share:.0%} of this.")
    return "\n".join((sentence, holds.comment)) if holds.comment else sentence


def _fraction(holds: Decision) -> float:
    if holds.points <= 0:
        return float(any(item.ticked for item in holds.items)) if holds.items else 1.0
    # Fractions of a point such as .3333 add up to one except for rounding.
    return round(holds.earned / holds.points, 9)


def _status(fraction: float) -> CheckStatus:
    if fraction == 1.0:
        return "passed"
    return "partial" if fraction > 0 else "failed"


def message_of(decision: Decision) -> str:
    """Return the student's message: the points, the comment, and the rubric's items."""
    unit = "point" if decision.points == 1 else "points"
    lines = [f"{decision.earned:g} of {decision.points:g} {unit}, graded by a person."]
    lines += [decision.comment] if decision.comment else []
    lines += [f"Given: {_item(item)}" for item in decision.items if item.ticked]
    lines += [f"Not given: {_item(item)}" for item in decision.items if not item.ticked]
    if decision.adjustment:
        lines.append(f"Adjusted by {decision.adjustment:+g}.")
    return "\n".join(lines)


def _item(item: JudgedItem) -> str:
    return f"{item.text} ({item.points:+g})"
