"""Summarize an audit's results: scores, survivors, agreement of hints, steadiness.

A mutant counts for each criterion that lost points. A survivor counts for the criteria that lost
points on other mutants of the same function or class, or else for all criteria of code.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from graders.audit.graded import Graded
from graders.audit.settings import Accepted
from graders.audited import Change, Mutations, Noticed, Rate, Steadiness, Steady, Survivor
from graders.model import Assignment
from graders.statistics import upper_bound, wilson


@dataclass(frozen=True, slots=True)
class Planned:
    """The mutants to grade, the number of possible ones, and records that match no mutant."""

    possible: int
    mutants: Sequence[Change]
    stale: Sequence[str] = ()


def summarize_mutants(
    planned: Planned,
    graded: Mapping[str, Graded],
    assignment: Assignment,
    accepted: Mapping[str, Accepted],
) -> Mutations:
    """Return the scores and survivors of the graded mutants, the most suspicious ones first."""
    changes = [mutant for mutant in planned.mutants if mutant.id in graded]
    pointed = pointed_criteria(assignment)
    noticed = [
        _noticed(change, graded[change.id], lost)
        for change in changes
        if (lost := lost_on_code(graded[change.id], pointed))
    ]
    found = {each.change.id for each in noticed}
    touched = _touched(noticed)
    survivors = [
        _survivor(change, graded[change.id], touched.get(_place(change), pointed), accepted)
        for change in changes
        if change.id not in found
    ]
    news = [survivor for survivor in survivors if not survivor.record]
    return Mutations(
        possible=planned.possible,
        planned=len(planned.mutants),
        graded=len(changes),
        by_criterion=tuple(_by_criterion(pointed, noticed, news)),
        by_operator=tuple(_by_operator(noticed, news)),
        survivors=_by_suspicion(survivors, noticed),
        noticed=tuple(noticed),
        named=sum(bool(each.mistakes) for each in noticed),
        disagreeing=tuple(_disagreeing(noticed)),
        stale=(*planned.stale, *sorted(found & accepted.keys())),
    )


def pointed_criteria(assignment: Assignment) -> tuple[str, ...]:
    """Return the criteria that give points for code."""
    return tuple(
        criterion.id
        for criterion in assignment.rubric
        if criterion.kind == "code" and criterion.points > 0
    )


def lost_on_code(graded: Graded, pointed: Sequence[str]) -> dict[str, float]:
    """Return the points lost in criteria that give points for code."""
    return {name: points for name, points in graded.lost.items() if name in pointed}


def failed_checks(graded: Graded, criteria: Iterable[str]) -> dict[str, str]:
    """Return the checks of these criteria that lost points, with their messages."""
    return {
        check.id: check.said or check.status
        for check in graded.checks
        if check.criterion in criteria and check.fraction < 1
    }


def _place(change: Change) -> tuple[str, str]:
    """Return the file and its function or class that a change is in."""
    return change.file, change.definition.partition(".")[0]


def _touched(noticed: Sequence[Noticed]) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return the criteria that lost points on mutants of each function or class."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for each in noticed:
        found[_place(each.change)] |= each.lost.keys()
    return {place: tuple(sorted(names)) for place, names in found.items()}


def _noticed(change: Change, graded: Graded, lost: Mapping[str, float]) -> Noticed:
    names = {check.mistake for check in graded.checks if check.mistake}
    return Noticed(change, lost, tuple(sorted(names)))


def _survivor(
    change: Change,
    graded: Graded,
    criteria: Sequence[str],
    accepted: Mapping[str, Accepted],
) -> Survivor:
    failed = {check.criterion for check in graded.checks if check.status in ("failed", "partial")}
    known = accepted.get(change.id)
    said = (known.verdict, known.reason) if known else ("", "")
    return Survivor(change, 0.0, tuple(criteria), tuple(sorted(failed)), *said)


def _by_suspicion(
    survivors: Sequence[Survivor], noticed: Sequence[Noticed]
) -> tuple[Survivor, ...]:
    """Return the survivors with their suspicion, the highest first.

    It is the mean of two shares: how many of the other mutants of the same operator, and of the
    same function or class, lost points. It is halved if a check without points noticed the mutant.
    """
    kinds = (lambda change: change.operator, _place)
    caught = [Counter(kind(each.change) for each in noticed) for kind in kinds]
    missed = [Counter(kind(survivor.change) for survivor in survivors) for kind in kinds]

    def suspicion(each: Survivor) -> float:
        keys = [kind(each.change) for kind in kinds]
        shares = [
            (caught[k][key] + 1) / (caught[k][key] + missed[k][key] + 1)
            for k, key in enumerate(keys)
        ]
        return round(sum(shares) / len(shares) / (2 if each.advice else 1), 3)

    suspected = [replace(survivor, suspicion=suspicion(survivor)) for survivor in survivors]
    return tuple(sorted(suspected, key=lambda each: (-each.suspicion, each.change.id)))


def _by_criterion(
    pointed: Sequence[str], noticed: Sequence[Noticed], news: Sequence[Survivor]
) -> Iterator[Rate]:
    for name in pointed:
        caught = sum(name in each.lost for each in noticed)
        yield from _rate(name, caught, sum(name in each.criteria for each in news))


def _by_operator(noticed: Sequence[Noticed], news: Sequence[Survivor]) -> Iterator[Rate]:
    caught = Counter(each.change.operator for each in noticed)
    missed = Counter(each.change.operator for each in news)
    for name in sorted(caught.keys() | missed.keys()):
        yield from _rate(name, caught[name], missed[name])


def _rate(name: str, caught: int, missed: int) -> Iterator[Rate]:
    if caught + missed:
        yield Rate(name, caught, caught + missed, *wilson(caught, caught + missed))


def _disagreeing(noticed: Sequence[Noticed]) -> Iterator[str]:
    """Yield where hints name different mistakes for mutants of one operator in one definition."""
    groups: dict[tuple[str, str, str], set[tuple[str, ...]]] = defaultdict(set)
    for each in noticed:
        if each.mistakes:
            change = each.change
            groups[change.operator, change.file, change.definition].add(each.mistakes)
    for (operator, file, definition), names in sorted(groups.items()):
        if len(names) > 1:
            listed = " / ".join("+".join(name) for name in sorted(names))
            yield f"{operator} in {definition} ({file}): {listed}"


def summarize_steadiness(
    graded: Sequence[tuple[str, Graded]], planned: int, repeats: int
) -> Steadiness:
    """Return how often each check's verdict differed from its most common one on a submission.

    A timeout is left out, because it may be due to a busy machine.
    """
    verdicts: dict[tuple[str, str], list[tuple[str, float]]] = defaultdict(list)
    for name, each in graded:
        for seen in each.checks:
            if seen.outcome != "timed_out":
                verdicts[seen.id, name].append((seen.status, seen.fraction))
    counts, flips = Counter[str](), Counter[str]()
    names: dict[str, set[str]] = defaultdict(set)
    for (check, name), found in verdicts.items():
        counts[check] += len(found)
        odd = len(found) - Counter(found).most_common(1)[0][1]
        flips[check] += odd
        if odd:
            names[check].add(name)
    rows = [
        Steady(name, n, flips[name], upper_bound(flips[name], n), tuple(sorted(names[name])))
        for name, n in counts.items()
    ]
    submissions = len({name for name, _ in graded})
    return Steadiness(planned, repeats, submissions, tuple(sorted(rows, key=_flips_first)))


def _flips_first(row: Steady) -> tuple[int, str]:
    return -row.flips, row.check
