"""What people decided of checks that wait for a person, laid over a Result as it was graded.

    decisions of one answer, oldest first ── standing ──┬── undecided: none
                                                        ├── decided: one, or several that agree
                                                        └── contested: they differ, and nobody
                                                            decided having seen all of them

A decision holds for one answer of one submission to one question. Where an answer has changed, the
decisions of the old one stay what they are, and the new one needs manual grading. What a check of
code or predictions found is decided in the same way: there, what the check says is the answer.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from graders import scoring
from graders.model import CheckResult, CheckStatus, CriterionResult, Result

REVIEW, MACHINE = "/review", "/machine"
# What a check says that the machine could not read; the reason follows.
BY_HAND = "Needs manual grading; it costs you no points until a person has decided."
State = Literal["undecided", "decided", "contested"]


@dataclass(frozen=True, slots=True)
class JudgedItem:
    """One line of the rubric as it stood when somebody decided."""

    text: str
    points: float
    ticked: bool


@dataclass(frozen=True, slots=True)
class Decision:
    """What one person said of one answer, at one moment; never changed once it is stored.

    `answer` is the sum of the answer's text, `points` what it can earn. `seen` is the number of the
    newest decision of this answer that the person knew of. All that was said in one go has one
    `action`. One that `undoes` another says nothing else.
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
        """The points that this decision gives, within what the answer can earn."""
        ticked = sum(each.points for each in self.items if each.ticked)
        return min(max(ticked + self.adjustment, 0.0), self.points)

    @property
    def verdict(self) -> tuple[object, ...]:
        """What two decisions have in common that agree."""
        return tuple((each.text, each.points, each.ticked) for each in self.items), self.adjustment


@dataclass(frozen=True, slots=True)
class Standing:
    """Where an answer stands: the decisions that nobody has replaced, and the newest of all."""

    open: tuple[Decision, ...]
    newest: int

    @property
    def state(self) -> State:
        """Whether somebody has decided, and whether those who did agree."""
        if not self.open:
            return "undecided"
        return "decided" if len({each.verdict for each in self.open}) == 1 else "contested"

    @property
    def holds(self) -> Decision | None:
        """The decision that counts, or None while there is none or they differ."""
        return self.open[-1] if self.state == "decided" else None


def answer_sum(text: str) -> str:
    """The sum by which an answer is known again."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def standing(decisions: Sequence[Decision]) -> Standing:
    """Where the answer stands that these decisions, in the order of their numbers, are of."""
    undone = {each.undoes for each in decisions}
    live = [each for each in decisions if not each.undoes and each.number not in undone]
    unreplaced = (each for each in live if not any(later.seen >= each.number for later in live))
    return Standing(tuple(unreplaced), max((each.number for each in decisions), default=0))


def decided(result: Result, decisions: Iterable[Decision]) -> Result:
    """The Result with what people decided of its free-text answers, and the totals that follow."""
    rows = list(decisions)
    if not rows or result.status == "rejected":
        return result
    criteria = tuple(_criterion(each, rows) for each in result.criteria)
    if all(new is old for new, old in zip(criteria, result.criteria, strict=True)):
        return result
    status, score = scoring.result_status(criteria), scoring.total(criteria)
    return replace(result, criteria=criteria, status=status, score=score)


def waits(found: CheckResult) -> bool:
    """Return True if a person decides this check."""
    return found.status == "needs_review"


def is_written(found: CheckResult) -> bool:
    """Return True if a check is of a written answer: a free text, or one for the machine."""
    return found.check.id.endswith((REVIEW, MACHINE))


def decided_sum(found: CheckResult) -> str:
    """Return the sum of what a decision about this check is about: the answer, or what was found.

    A decision stops holding when this changes.
    """
    if is_written(found):
        return answer_sum(found.actual)
    rows = (f"{label}\t{value}" for label, value in found.counterexample)
    said = (found.message, found.expected, found.actual, *rows, f"{found.fraction:g}")
    return answer_sum("\n".join(said))


def unread(found: CheckResult) -> bool:
    """Whether the machine was to judge this check, and could not read the answer."""
    return waits(found) and found.message.startswith(BY_HAND)


def decided_as(check: str) -> str:
    """The name under which people decide a check: `1b`, or `1b:machine` for its machine part."""
    if check.endswith(MACHINE):
        return f"{check.removesuffix(MACHINE)}:{MACHINE.removeprefix('/')}"
    return check.removesuffix(REVIEW)


def _criterion(graded: CriterionResult, rows: Sequence[Decision]) -> CriterionResult:
    checks = tuple(_check(each, rows) for each in graded.checks)
    if checks == graded.checks:
        return graded
    return scoring.criterion_result(graded.criterion, checks)


def _check(found: CheckResult, rows: Sequence[Decision]) -> CheckResult:
    if not waits(found):
        return found
    answer = decided_sum(found)
    own = [each for each in rows if (each.check, each.answer) == (found.check.id, answer)]
    holds = standing(own).holds
    if holds is None:
        return found
    share, notes = _fraction(holds), found.message.split("\n")[1:]
    if is_written(found):
        fraction, said = share, message_of(holds)
    else:
        # What a check earned provisionally is confirmed or not; it never becomes more.
        fraction, said = share * (found.fraction or 1.0), _message_about(holds, share)
    message = "\n".join((said, *notes))
    return replace(found, status=_status(fraction), fraction=fraction, message=message, hint="")


def _message_about(holds: Decision, share: float) -> str:
    """What the student reads of a decision about code or predictions."""
    verdicts = {
        1.0: "A person looked at this and accepted it.",
        0.0: "A person did not accept this.",
    }
    said = verdicts.get(share, f"A person accepted {share:.0%} of this.")
    return "\n".join((said, holds.comment)) if holds.comment else said


def _fraction(holds: Decision) -> float:
    if holds.points <= 0:
        return float(any(each.ticked for each in holds.items)) if holds.items else 1.0
    # Shares of a point such as .3333 add up to it but for rounding.
    return round(holds.earned / holds.points, 9)


def _status(fraction: float) -> CheckStatus:
    if fraction == 1.0:
        return "passed"
    return "partial" if fraction > 0 else "failed"


def message_of(decision: Decision) -> str:
    """What the student reads: the points, the comment, and the rubric's lines."""
    lines = [f"{decision.earned:g} of {decision.points:g} points, decided by a person."]
    lines += [decision.comment] if decision.comment else []
    lines += [f"Given: {_item(each)}" for each in decision.items if each.ticked]
    lines += [f"Not given: {_item(each)}" for each in decision.items if not each.ticked]
    if decision.adjustment:
        lines.append(f"Adjusted by {decision.adjustment:+g}.")
    return "\n".join(lines)


def _item(item: JudgedItem) -> str:
    return f"{item.text} ({item.points:+g})"
