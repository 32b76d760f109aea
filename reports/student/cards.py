"""One card for each cause: the checks that fail for it, and those that were skipped after them.

Checks are alike if they have the same hint or crash. A check that was skipped is on the card of the
check that it depends on.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from graders.model import CheckResult, CriterionResult
from reports.student.words import judged
from reports.words import no_answer

CODE = re.compile("`[^`]*`")
Cause = tuple[str, ...]  # equal for checks that end for the same reason


@dataclass(frozen=True, slots=True)
class Card:
    """A check that did not pass, those that say the same, and those that were skipped after them.

    It is `repeated` if an earlier criterion has a card with the same cause.
    """

    found: CheckResult
    alike: tuple[CheckResult, ...] = ()
    skipped: tuple[CheckResult, ...] = ()
    repeated: bool = False


def criterion_cards(criteria: Sequence[CriterionResult]) -> tuple[tuple[Card, ...], ...]:
    """Return the cards of each criterion."""
    seen: set[Cause] = set()
    cards = []
    for graded in criteria:
        made = tuple(_cards(graded))
        cards.append(tuple(replace(each, repeated=cause(each.found) in seen) for each in made))
        seen |= {cause(each.found) for each in made}
    return tuple(cards)


def cause(found: CheckResult) -> Cause:
    """Return what a check has in common with those that end for the same reason.

    It is the hint, since one change fixes what has one hint; without a hint, or where the code
    crashed, the first line of the message. Names of files and functions in it do not count.
    """
    said = found.message.partition("\n")[0] if no_answer(found) or not found.hint else found.hint
    if not said or judged(found):
        return (found.check.criterion, found.id)
    return (found.status, found.outcome, CODE.sub("`…`", said))


def _cards(graded: CriterionResult) -> Iterator[Card]:
    groups: dict[Cause, list[CheckResult]] = {}
    for found in graded.checks:
        if found.status not in ("passed", "skipped"):
            groups.setdefault(cause(found), []).append(found)
    for found, *alike in groups.values():
        yield Card(found, tuple(alike), tuple(_skipped_after((found, *alike), graded)))


def _skipped_after(group: Sequence[CheckResult], graded: CriterionResult) -> Iterator[CheckResult]:
    for check in graded.checks:
        named = (found.check.description for found in group)
        if check.outcome == "blocked" and any(name and name in check.message for name in named):
            yield check
