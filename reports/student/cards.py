"""One card for each cause: the checks that fail for it, and those that were skipped after them.

Checks are alike if they have the same hint, or the same exception at the same line. A check that
was skipped is on the card of the check that it depends on.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from graders.failures import observed
from graders.model import CheckResult, CriterionResult
from graders.scoring import points_lost
from reports.student.words import judged
from reports.words import no_answer, raised

CODE = re.compile("`[^`]*`")
Cause = tuple[str, ...]  # equal for checks that end for the same reason


@dataclass(frozen=True, slots=True)
class Card:
    """A check that did not pass, those that say the same, and those that were skipped after them.

    It is `repeated` if an earlier criterion has a card with the same cause.
    """

    first: CheckResult
    alike: tuple[CheckResult, ...] = ()
    skipped: tuple[CheckResult, ...] = ()
    repeated: bool = False


def criterion_cards(criteria: Sequence[CriterionResult]) -> tuple[tuple[Card, ...], ...]:
    """Return the cards of each criterion."""
    seen: set[Cause] = set()
    cards = []
    for graded in criteria:
        new_cards = tuple(_cards(graded))
        cards.append(tuple(replace(card, repeated=cause(card.first) in seen) for card in new_cards))
        seen |= {cause(card.first) for card in new_cards}
    return tuple(cards)


def cause(check: CheckResult) -> Cause:
    """Return what a check has in common with those that end for the same reason.

    It is the hint, since one change fixes what has one hint; without a hint, or where the code
    crashed, the first line of the message. Names of files and functions in it do not count. An
    exception is the same if it is raised at the same line, whether or not other inputs earned
    partial credit, and whatever numbers its message contains.
    """
    if raised(check) and check.actual:
        return (observed(check), check.actual)
    text = check.message.partition("\n")[0] if no_answer(check) or not check.hint else check.hint
    if not text or judged(check):
        return (check.check.criterion, check.id)
    return (check.status, check.outcome, CODE.sub("`…`", text))


def _cards(graded: CriterionResult) -> Iterator[Card]:
    groups: dict[Cause, list[CheckResult]] = {}
    for check in graded.checks:
        if check.status not in ("passed", "skipped"):
            groups.setdefault(cause(check), []).append(check)
    for group in groups.values():
        group.sort(key=lambda check: points_lost(graded, [check]) == 0)  # what cost points is first
        yield Card(group[0], tuple(group[1:]), tuple(_skipped_after(group, graded)))


def _skipped_after(group: Sequence[CheckResult], graded: CriterionResult) -> Iterator[CheckResult]:
    for check in graded.checks:
        named = (failed.check.description for failed in group)
        if check.outcome == "blocked" and any(name and name in check.message for name in named):
            yield check
