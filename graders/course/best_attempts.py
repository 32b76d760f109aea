"""Choose the submission that counts for each student: the one with the highest grade.

If one of them has no grade, the best is unknown: all remain, and a person chooses.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from graders.course.extensions import read_extensions
from graders.course.final_grades import final_grade
from graders.model import Assignment, Submission
from graders.storage.store import Store
from submissions.imports.last_attempts import key_of, not_counting
from submissions.people import people_in

LATEST = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Attempt:
    """A submission with its grade, or None if it has none."""

    submission: Submission
    grade: float | None


@dataclass(frozen=True, slots=True)
class Best:
    """The submissions that do not count, and notes about students for whom a person must choose.

    `instead` has the submission that counts for each that does not.
    """

    others: tuple[str, ...]
    notes: tuple[str, ...]
    instead: Mapping[str, str] = field(default_factory=dict)


def keep_best(store: Store, generation: int, task: Assignment, out: Path) -> tuple[str, ...]:
    """Remove all but the best attempts from the reports; return notes for staff."""
    best = best_attempts(graded_attempts(store, generation, task, out))
    store.unlist(generation, best.others)
    return (*best.notes, *not_counting(best.instead))


def graded_attempts(
    store: Store, generation: int, task: Assignment, out: Path, only: Iterable[str] | None = None
) -> list[Attempt]:
    """Return submissions of a generation, all or some, with their final grades."""
    dues = read_extensions(out, task)
    return [
        Attempt(given, final_grade(result, task.grading, dues.due_of(given), free).final)
        for result in store.results(generation, only)
        for given, free in [(result.submission, dues.free_days(result.submission))]
    ]


def best_attempts(attempts: Sequence[Attempt]) -> Best:
    """Choose for every student; of equal grades, the earliest submission counts."""
    kept, notes, chosen = set[str](), [], dict[str, str]()
    by_person = attempts_by_person(attempts)
    for key, own in sorted(by_person.items()):
        graded = [(each.grade, each) for each in own if each.grade is not None]
        if len(graded) == len(own):
            _, best = min(graded, key=lambda pair: (-pair[0], *_in_order(pair[1].submission)))
            chosen[key] = best.submission.id
            kept.add(best.submission.id)
        else:
            kept |= {each.submission.id for each in own}
            notes += [_for_a_person(key, own)] if len(own) > 1 else []
    for key, best_of_all in chosen.items():
        stay = [each.submission.id for each in by_person[key] if each.submission.id in kept]
        notes += [_for_the_group(key, best_of_all, stay)] if len(stay) > 1 else []
    others = [attempt.submission for attempt in attempts if attempt.submission.id not in kept]
    instead = {each.id: chosen[key_of(people_in(each.student)[0], each.id)] for each in others}
    return Best(tuple(instead), tuple(notes), instead)


def attempts_by_person(attempts: Sequence[Attempt]) -> Mapping[str, list[Attempt]]:
    """Return the attempts of each student; a group's are attempts of all its members."""
    found: dict[str, list[Attempt]] = defaultdict(list)
    for attempt in attempts:
        for person in people_in(attempt.submission.student):
            found[key_of(person, attempt.submission.id)].append(attempt)
    return found


def _in_order(submission: Submission) -> tuple[float, int, str]:
    """Return what sorts attempts by time, and at the same time `ada-9` before `ada-10`."""
    given = (submission.submitted_at or LATEST).timestamp()
    return given, len(submission.id), submission.id


def _for_the_group(key: str, best: str, stay: Sequence[str]) -> str:
    names = ", ".join(name for name in stay if name != best)
    return f"{key}: {best} counts; {names} stays because it counts for another group member"


def _for_a_person(key: str, own: Sequence[Attempt]) -> str:
    names = ", ".join(each.submission.id for each in own)
    open_ = ", ".join(each.submission.id for each in own if each.grade is None)
    return f"{key}: {open_} has no grade, so decide which of these counts: {names}"


def _last_attempt(attempts: Sequence[Attempt]) -> Best:
    """Choose the last one; if a time is unknown, all stay."""
    given = [attempt.submission for attempt in attempts]
    names = ", ".join(each.id for each in given)
    if len(given) > 1 and not all(each.submitted_at for each in given):
        return Best((), (f"{names}: of one student, at times that are not known: all count",))
    last = max(given, key=_in_order, default=None)
    return Best(tuple(each.id for each in given if each != last), ())


def _all_attempts(_: Sequence[Attempt]) -> Best:
    return Best((), ())


RULES: Mapping[str, Callable[[Sequence[Attempt]], Best]] = {
    "last": _last_attempt,
    "best": best_attempts,
    "all": _all_attempts,
}


NAMED = ", ".join(f"`{rule}`" for rule in RULES)


def which_count(people: Mapping[str, str], listed: Collection[str], submission: str) -> str:
    """Return which attempts of a submission's student count; nothing if it is the only one."""
    keys = {key_of(each, submission) for each in people_in(people[submission])}
    own = [
        f"{name} ({'counts' if name in listed else 'does not count'})"
        for name, text in sorted(people.items())
        if keys & {key_of(each, name) for each in people_in(text)}
    ]
    return "" if len(own) == 1 and submission in listed else ", ".join(own)
