"""Summarize an audit's results: scores, survivors, agreement of hints, steadiness.

A mutant counts for each criterion that lost points. A survivor counts for the criteria that lost
points on other mutants of the same function or class, or else for all criteria of code.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from graders.audit.graded import Graded
from graders.audit.settings import Accepted
from graders.audited import Change, CheckFlips, KilledMutant, Mutations, Rate, Steadiness, Survivor
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
    criteria = code_criteria(assignment)
    killed = [
        _killed_mutant(change, graded[change.id], lost)
        for change in changes
        if (lost := lost_on_code(graded[change.id], criteria))
    ]
    killed_ids = {mutant.change.id for mutant in killed}
    touched = _touched(killed)
    survivors = [
        _survivor(change, graded[change.id], touched.get(_place(change), criteria), accepted)
        for change in changes
        if change.id not in killed_ids
    ]
    unrecorded = [survivor for survivor in survivors if not survivor.record]
    return Mutations(
        possible=planned.possible,
        planned=len(planned.mutants),
        graded=len(changes),
        by_criterion=tuple(_by_criterion(criteria, killed, unrecorded)),
        by_operator=tuple(_by_operator(killed, unrecorded)),
        survivors=_by_suspicion(survivors, killed),
        killed=tuple(killed),
        named=sum(bool(mutant.mistakes) for mutant in killed),
        disagreeing=tuple(_disagreeing(killed)),
        stale=(*planned.stale, *sorted(killed_ids & accepted.keys())),
    )


def code_criteria(assignment: Assignment) -> tuple[str, ...]:
    """Return the criteria that give points for code."""
    return tuple(
        criterion.id
        for criterion in assignment.rubric
        if criterion.kind == "code" and criterion.points > 0
    )


def lost_on_code(graded: Graded, criteria: Sequence[str]) -> dict[str, float]:
    """Return the points lost in criteria that give points for code."""
    return {name: points for name, points in graded.lost.items() if name in criteria}


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


def _touched(killed: Sequence[KilledMutant]) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return the criteria that lost points on mutants of each function or class."""
    criteria: dict[tuple[str, str], set[str]] = defaultdict(set)
    for mutant in killed:
        criteria[_place(mutant.change)] |= mutant.lost.keys()
    return {place: tuple(sorted(names)) for place, names in criteria.items()}


def _killed_mutant(change: Change, graded: Graded, lost: Mapping[str, float]) -> KilledMutant:
    names = {check.mistake for check in graded.checks if check.mistake}
    return KilledMutant(change, lost, tuple(sorted(names)))


def _survivor(
    change: Change,
    graded: Graded,
    criteria: Sequence[str],
    accepted: Mapping[str, Accepted],
) -> Survivor:
    failed = {check.criterion for check in graded.checks if check.status in ("failed", "partial")}
    record = accepted.get(change.id)
    words = (record.verdict, record.reason) if record else ("", "")
    return Survivor(change, 0.0, tuple(criteria), tuple(sorted(failed)), *words)


def _by_suspicion(
    survivors: Sequence[Survivor], killed: Sequence[KilledMutant]
) -> tuple[Survivor, ...]:
    """Return the survivors with their suspicion, the highest first.

    It is the mean of two shares: how many of the other mutants of the same operator, and of the
    same function or class, lost points. It is halved if a check without points noticed the mutant.
    """
    kinds = (lambda change: change.operator, _place)
    caught = [Counter(kind(mutant.change) for mutant in killed) for kind in kinds]
    missed = [Counter(kind(survivor.change) for survivor in survivors) for kind in kinds]

    def suspicion(survivor: Survivor) -> float:
        keys = [kind(survivor.change) for kind in kinds]
        shares = [
            (caught[k][key] + 1) / (caught[k][key] + missed[k][key] + 1)
            for k, key in enumerate(keys)
        ]
        return round(sum(shares) / len(shares) / (2 if survivor.advice else 1), 3)

    suspected = [replace(survivor, suspicion=suspicion(survivor)) for survivor in survivors]
    return tuple(sorted(suspected, key=lambda survivor: (-survivor.suspicion, survivor.change.id)))


def _by_criterion(
    criteria: Sequence[str], killed: Sequence[KilledMutant], unrecorded: Sequence[Survivor]
) -> Iterator[Rate]:
    for name in criteria:
        caught = sum(name in mutant.lost for mutant in killed)
        yield from _rate(name, caught, sum(name in survivor.criteria for survivor in unrecorded))


def _by_operator(killed: Sequence[KilledMutant], unrecorded: Sequence[Survivor]) -> Iterator[Rate]:
    caught = Counter(mutant.change.operator for mutant in killed)
    missed = Counter(survivor.change.operator for survivor in unrecorded)
    for name in sorted(caught.keys() | missed.keys()):
        yield from _rate(name, caught[name], missed[name])


def _rate(name: str, caught: int, missed: int) -> Iterator[Rate]:
    if caught + missed:
        yield Rate(name, caught, caught + missed, *wilson(caught, caught + missed))


def _disagreeing(killed: Sequence[KilledMutant]) -> Iterator[str]:
    """Yield where hints name different mistakes for mutants of one operator in one definition."""
    groups: dict[tuple[str, str, str], set[tuple[str, ...]]] = defaultdict(set)
    for mutant in killed:
        if mutant.mistakes:
            change = mutant.change
            groups[change.operator, change.file, change.definition].add(mutant.mistakes)
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
    for name, grading in graded:
        for check in grading.checks:
            if check.outcome != "timed_out":
                verdicts[check.id, name].append((check.status, check.fraction))
    counts, flips = Counter[str](), Counter[str]()
    names: dict[str, set[str]] = defaultdict(set)
    for (check_id, name), seen in verdicts.items():
        counts[check_id] += len(seen)
        odd = len(seen) - Counter(seen).most_common(1)[0][1]
        flips[check_id] += odd
        if odd:
            names[check_id].add(name)
    rows = [
        CheckFlips(name, n, flips[name], upper_bound(flips[name], n), tuple(sorted(names[name])))
        for name, n in counts.items()
    ]
    submissions = len({name for name, _ in graded})
    return Steadiness(planned, repeats, submissions, tuple(sorted(rows, key=_flips_first)))


def _flips_first(row: CheckFlips) -> tuple[int, str]:
    return -row.flips, row.check
