"""Shorten a Result whose page would be too large for an email."""

from dataclasses import dataclass, replace

from graders.model import CheckResult, CriterionResult, Result


@dataclass(frozen=True, slots=True)
class Room:
    """The limits in characters for a sentence, and for a value, whose spaces are made visible."""

    words: int
    values: int


ONE, ALL = Room(300, 60), Room(30_000, 6_000)  # for one check, and for all checks together


def shortened(result: Result) -> Result:
    """Return the Result without figures and examples; the more checks, the shorter the texts."""
    checks = sum(len(graded.checks) for graded in result.criteria) or 1
    room = Room(min(ONE.words, ALL.words // checks), min(ONE.values, ALL.values // checks))
    return replace(result, criteria=tuple(_criterion(each, room) for each in result.criteria))


def _criterion(graded: CriterionResult, room: Room) -> CriterionResult:
    return replace(graded, checks=tuple(_check(found, room) for found in graded.checks))


def _check(found: CheckResult, room: Room) -> CheckResult:
    return replace(
        found,
        message=_cut(found.message, room.words),
        hint=_cut(found.hint, room.words),
        expected=_cut(found.expected, room.values),
        actual=_cut(found.actual, room.values),
        counterexample=(),
        figures=(),
    )


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]} …"
