"""The sections of a student's page: one per criterion, and one per message that many share."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from graders.model import CheckResult, CriterionResult, Result
from graders.scoring import points_lost
from graders.written.decisions import PERSON_READS
from reports.student.cards import Card, criterion_cards
from reports.student.words import Command, command

MANY = 3  # criteria with the same message are shown together


@dataclass(frozen=True, slots=True)
class SharedMessage:
    """A message that is the only one of several criteria, and the hint if all have the same.

    If their hints differ, `hint` is empty, and `own_hints` are shown.
    """

    anchor: str
    message: str
    hint: str
    criteria: tuple[CriterionResult, ...]

    @property
    def points(self) -> float:
        """The number of points that these criteria are worth."""
        return sum(graded.criterion.points for graded in self.criteria)

    @property
    def own_hints(self) -> list[tuple[CriterionResult, tuple[str, ...]]]:
        """Each criterion with its hints, if they are not the same."""
        several = [(graded, _hints([graded])) for graded in self.criteria]
        return [] if self.hint else [(graded, hints) for graded, hints in several if hints]


@dataclass(frozen=True, slots=True)
class Section:
    """A criterion: where it is told (nowhere if `anchor` is empty), and how to see it fail.

    It is not `is_separate` if a shared message tells it. `passed` and `skipped` are the checks that
    are on none of the `cards`.
    """

    graded: CriterionResult
    anchor: str
    is_separate: bool
    command: Command | None
    cards: tuple[Card, ...]
    passed: tuple[CheckResult, ...]
    skipped: tuple[CheckResult, ...]

    @property
    def waiting(self) -> tuple[CheckResult, ...]:
        """The answers that a person will read, if there is nothing else to say on the criterion."""
        checks = tuple(check for check in self.graded.checks if check.status != "passed")
        only = self.graded.points is None and all(c.message == PERSON_READS for c in checks)
        return checks if only else ()

    @property
    def has_lost_points(self) -> bool:
        """Whether points are lost already, even if others still need a person."""
        graded = self.graded
        if graded.criterion.extra_credit:
            return False
        if graded.points is None:
            failed = [check for check in graded.checks if check.status in ("failed", "partial")]
            return points_lost(graded, failed) > 0
        return graded.points < graded.criterion.points


def sections(
    result: Result, shown: Sequence[CriterionResult], shared: Sequence[SharedMessage]
) -> tuple[Section, ...]:
    """Return all criteria that are shown, in the rubric's order."""
    anchors = {
        graded.criterion.id: message.anchor for message in shared for graded in message.criteria
    }
    return tuple(
        Section(
            graded,
            anchors.get(graded.criterion.id) or _anchor(graded, number),
            graded.criterion.id not in anchors,
            command(graded, result),
            cards,
            tuple(check for check in graded.checks if _is_worth_telling(check, graded)),
            _skipped(graded, cards),
        )
        for number, (graded, cards) in enumerate(zip(shown, criterion_cards(shown), strict=True), 1)
    )


def shared_messages(shown: Sequence[CriterionResult]) -> tuple[SharedMessage, ...]:
    """Return each message that is the only one of at least MANY criteria."""
    criteria: defaultdict[str, list[CriterionResult]] = defaultdict(list)
    for graded in shown:
        if message := _only_message(graded):
            criteria[message].append(graded)
    often = [(message, some) for message, some in criteria.items() if len(some) >= MANY]
    return tuple(
        SharedMessage(f"s{number}", message, hints[0] if len(hints) == 1 else "", tuple(graded))
        for number, (message, graded) in enumerate(often, 1)
        for hints in [_hints(graded)]
    )


def _is_worth_telling(check: CheckResult, graded: CriterionResult) -> bool:
    """Return whether a check passed, and not only because the code gave nothing to check."""
    free = check.weight == 0 and graded.points == 0 < graded.criterion.points
    return check.status == "passed" and not free


def _skipped(graded: CriterionResult, cards: Sequence[Card]) -> tuple[CheckResult, ...]:
    on_cards = {check.id for card in cards for check in card.skipped}
    skipped = (check for check in graded.checks if check.status == "skipped")
    return tuple(check for check in skipped if check.id not in on_cards)


def _anchor(graded: CriterionResult, number: int) -> str:
    content = graded.checks or graded.points is None or graded.adjusted
    return f"c{number}" if content else ""


def _only_message(graded: CriterionResult) -> str:
    """Return the message with which all checks of a criterion failed; nothing if any says more."""
    if graded.adjusted:
        return ""
    for check in graded.checks:
        more = check.expected or check.actual or check.counterexample or check.figures
        if check.status != "failed" or check.outcome or more:
            return ""
    messages = {check.message for check in graded.checks}
    return messages.pop() if len(messages) == 1 else ""


def _hints(criteria: Sequence[CriterionResult]) -> tuple[str, ...]:
    """Return the different hints of these criteria, in order."""
    hints = (check.hint for graded in criteria for check in graded.checks)
    return tuple(dict.fromkeys(filter(None, hints)))
