"""Follow students over several attempts: which checks they fail, and for how long.

Results of all attempts ── by student, in the order of submission ── checks, attempt by attempt
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from statistics import fmean, median

from graders.model import Check, CheckResult, Result
from submissions.imports.last_attempts import key_of
from submissions.people import people_in

CLEAR = {"passed": True, "failed": False, "partial": False}
Key = tuple[str, str]  # criterion, check


@dataclass(frozen=True, slots=True)
class Tried:
    """One attempt: its time, its share of the points, and the result of each check."""

    when: datetime
    share: float
    passed: Mapping[Key, bool]
    hinted: frozenset[Key]


@dataclass(frozen=True, slots=True)
class CheckProgress:
    """How one check went over the attempts of the students who tried more than once.

    `rates` are the shares of students who pass it at their first, second, ... attempt; a student
    without another attempt counts with the last one. `stuck` failed it in every attempt, `lost`
    passed it before but not in the last. `attempts` and `hours` are medians from a first failure
    to the next pass.
    """

    check: Check
    rates: Sequence[float]
    students: int  # who tried it
    failed: int  # of them, those who ever failed it
    stuck: int
    lost: int
    attempts: float | None
    hours_with_hint: float | None
    hours_without: float | None


@dataclass(frozen=True, slots=True)
class Progress:
    """Everything about the attempts of a course; `shares` is the mean share after each attempt."""

    title: str
    students: int  # with more than one attempt
    once: int  # with one
    unknown: int  # submissions without a time, which are left out
    counts: Sequence[int]  # students with at least 1, 2, ... attempts
    shares: Sequence[float]
    checks: Sequence[CheckProgress]


@dataclass(slots=True)
class _Fixes:
    attempts: list[int] = field(default_factory=list)
    hours: dict[bool, list[float]] = field(default_factory=lambda: {True: [], False: []})


def follow(title: str, results: Iterable[Result], most: int) -> Progress:
    """Return the progress over up to `most` attempts of each student; each Result is read once."""
    by_student: dict[str, list[Tried]] = defaultdict(list)
    declared: dict[Key, Check] = {}
    unknown = 0
    for result in results:
        when = result.submission.submitted_at
        if when is None or result.status == "rejected":
            unknown += 1
            continue
        tried = _tried(result, when, declared)
        for person in people_in(result.submission.student):
            if not person.dropped:
                by_student[key_of(person, result.submission.id)].append(tried)
    chains = [sorted(each, key=lambda one: one.when) for each in by_student.values()]
    several = [chain for chain in chains if len(chain) > 1]
    longest = min(most, max(map(len, several), default=0))
    checks = [_progress(each, several, longest) for each in declared.values()]
    return Progress(
        title,
        students=len(several),
        once=len(chains) - len(several),
        unknown=unknown,
        counts=[sum(len(each) > n for each in several) for n in range(longest)],
        shares=[fmean(_at(each, n).share for each in several) for n in range(longest)],
        checks=sorted((check for check in checks if check.failed), key=_urgency),
    )


def _urgency(progress: CheckProgress) -> tuple[bool, int, int]:
    """Return the sort key: where most are stuck comes first, checks without points come last."""
    return progress.check.weight == 0, -progress.stuck, -progress.failed


def _tried(result: Result, when: datetime, declared: dict[Key, Check]) -> Tried:
    passed, hinted = {}, set()
    for graded in result.criteria:
        for check in graded.checks:
            if graded.criterion.kind == "written":
                continue  # a person's points are neither a pass nor a failure
            key = graded.criterion.id, check.id
            if check.status in CLEAR:
                passed[key] = CLEAR[check.status]
                declared.setdefault(key, check.check)
            if _names_a_mistake(check):
                hinted.add(key)
    earned = sum(criterion.points or 0.0 for criterion in result.criteria)
    return Tried(when, earned / (result.max_score or 1.0), passed, frozenset(hinted))


def _names_a_mistake(result: CheckResult) -> bool:
    return result.status != "passed" and bool(result.hint)


def _at(chain: Sequence[Tried], n: int) -> Tried:
    return chain[min(n, len(chain) - 1)]


def _progress(check: Check, chains: Sequence[Sequence[Tried]], longest: int) -> CheckProgress:
    key = check.criterion, check.id
    known = [some for chain in chains if (some := [t for t in chain if key in t.passed])]
    fixes = _Fixes()
    for each in known:
        _note_fixes(key, each, fixes)
    failed = [each for each in known if not all(t.passed[key] for t in each)]
    ever = [each for each in failed if any(t.passed[key] for t in each)]
    return CheckProgress(
        check,
        rates=[fmean(_at(each, n).passed[key] for each in known) for n in range(longest)]
        if known
        else [],
        students=len(known),
        failed=len(failed),
        stuck=len(failed) - len(ever),
        lost=sum(not each[-1].passed[key] for each in ever),
        attempts=_median(fixes.attempts),
        hours_with_hint=_median(fixes.hours[True]),
        hours_without=_median(fixes.hours[False]),
    )


def _note_fixes(key: Key, chain: Sequence[Tried], fixes: _Fixes) -> None:
    """Note the attempts and hours from the first failure in a row to the next pass."""
    start = None
    for n, each in enumerate(chain):
        if not each.passed[key]:
            start = n if start is None else start
        elif start is not None:
            took = (each.when - chain[start].when).total_seconds() / 3600
            hinted = any(key in one.hinted for one in chain[start:n])
            fixes.attempts.append(n - start)
            fixes.hours[hinted].append(took)
            start = None


def _median(values: Sequence[float]) -> float | None:
    return median(values) if values else None
