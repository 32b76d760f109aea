"""The sections of a student's page: one per criterion, and one per message that many share."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from graders.model import CheckResult, CriterionResult, Result
from reports.student.cards import Card, criterion_cards
from reports.student.words import Command, command

MANY = 3  # criteria with the same message are shown together


@dataclass(frozen=True, slots=True)
class Said:
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

    `passed` and `skipped` are the checks that are on none of the `cards`.
    """

    graded: CriterionResult
    anchor: str
    alone: bool
    command: Command | None
    cards: tuple[Card, ...]
    passed: tuple[CheckResult, ...]
    skipped: tuple[CheckResult, ...]


def sections(
    result: Result, shown: Sequence[CriterionResult], often: Sequence[Said]
) -> tuple[Section, ...]:
    """Return all criteria that are shown, in the rubric's order."""
    together = {graded.criterion.id: said.anchor for said in often for graded in said.criteria}
    return tuple(
        Section(
            graded,
            together.get(graded.criterion.id) or _anchor(graded, number),
            graded.criterion.id not in together,
            command(graded, result),
            cards,
            tuple(check for check in graded.checks if _is_worth_telling(check, graded)),
            _skipped(graded, cards),
        )
        for number, (graded, cards) in enumerate(zip(shown, criterion_cards(shown), strict=True), 1)
    )


def said_often(shown: Sequence[CriterionResult]) -> tuple[Said, ...]:
    """Return each message that is the only one of at least MANY criteria."""
    found: defaultdict[str, list[CriterionResult]] = defaultdict(list)
    for graded in shown:
        if message := _only_message(graded):
            found[message].append(graded)
    often = [(message, each) for message, each in found.items() if len(each) >= MANY]
    return tuple(
        Said(f"s{number}", message, hints[0] if len(hints) == 1 else "", tuple(graded))
        for number, (message, graded) in enumerate(often, 1)
        for hints in [_hints(graded)]
    )


def _is_worth_telling(found: CheckResult, graded: CriterionResult) -> bool:
    """Return whether a check passed, and not only because the code gave nothing to check."""
    free = found.weight == 0 and graded.points == 0 < graded.criterion.points
    return found.status == "passed" and not free


def _skipped(graded: CriterionResult, cards: Sequence[Card]) -> tuple[CheckResult, ...]:
    told = {each.id for card in cards for each in card.skipped}
    found = (check for check in graded.checks if check.status == "skipped")
    return tuple(each for each in found if each.id not in told)


def _anchor(graded: CriterionResult, number: int) -> str:
    told = graded.checks or graded.points is None or graded.adjusted
    return f"c{number}" if told else ""


def _only_message(graded: CriterionResult) -> str:
    """Return the message with which all checks of a criterion failed; nothing if any says more."""
    if graded.adjusted:
        return ""
    for found in graded.checks:
        more = found.expected or found.actual or found.counterexample or found.figures
        if found.status != "failed" or found.outcome or more:
            return ""
    messages = {found.message for found in graded.checks}
    return messages.pop() if len(messages) == 1 else ""


def _hints(criteria: Sequence[CriterionResult]) -> tuple[str, ...]:
    """Return the different hints of these criteria, in order."""
    hints = (found.hint for graded in criteria for found in graded.checks)
    return tuple(dict.fromkeys(filter(None, hints)))
