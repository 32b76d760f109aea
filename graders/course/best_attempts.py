"""Choose the submission that counts for each student: the one with the highest grade.

If one of them has no grade, the best is unknown: all remain, and a person chooses.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from graders.course.extensions import read_extensions
from graders.course.final_grades import final_grade
from graders.model import Assignment, Submission
from graders.storage.store import Store
from submissions.imports.attempts import key_of
from submissions.people import people_in

LATEST = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Attempt:
    """A submission with its grade, or None if it has none."""

    submission: Submission
    grade: float | None


@dataclass(frozen=True, slots=True)
class Best:
    """The submissions that do not count, and notes about students for whom a person must choose."""

    others: tuple[str, ...]
    notes: tuple[str, ...]


def keep_best(store: Store, generation: int, task: Assignment, out: Path) -> tuple[str, ...]:
    """Remove all but the best attempts from the reports; return notes for staff."""
    dues = read_extensions(out, task)
    attempts = [
        Attempt(
            each.submission, final_grade(each, task.grading, dues.due_of(each.submission)).final
        )
        for each in store.results(generation)
    ]
    best = best_attempts(attempts)
    store.unlist(generation, best.others)
    return best.notes


def best_attempts(attempts: Sequence[Attempt]) -> Best:
    """Choose for every student; of equal grades, the earliest submission counts."""
    kept, notes, chosen = set[str](), [], dict[str, str]()
    by_person = _by_person(attempts)
    for key, own in sorted(by_person.items()):
        graded = [(each.grade, each) for each in own if each.grade is not None]
        if len(graded) == len(own):
            _, best = max(graded, key=lambda pair: (pair[0], *_earlier(pair[1].submission)))
            chosen[key] = best.submission.id
            kept.add(best.submission.id)
        else:
            kept |= {each.submission.id for each in own}
            notes += [_for_a_person(key, own)] if len(own) > 1 else []
    for key, best_of_all in chosen.items():
        stay = [each.submission.id for each in by_person[key] if each.submission.id in kept]
        notes += [_for_the_group(key, best_of_all, stay)] if len(stay) > 1 else []
    others = (each.submission.id for each in attempts if each.submission.id not in kept)
    return Best(tuple(others), tuple(notes))


def _by_person(attempts: Sequence[Attempt]) -> Mapping[str, list[Attempt]]:
    found: dict[str, list[Attempt]] = defaultdict(list)
    for attempt in attempts:
        for person in people_in(attempt.submission.student):
            found[key_of(person, attempt.submission.id)].append(attempt)
    return found


def _earlier(submission: Submission) -> tuple[float, str]:
    """Return a larger value for an earlier submission."""
    return -(submission.submitted_at or LATEST).timestamp(), submission.id


def _for_the_group(key: str, best: str, stay: Sequence[str]) -> str:
    names = ", ".join(name for name in stay if name != best)
    return f"{key}: {best} counts; {names} stays because it counts for another group member"


def _for_a_person(key: str, own: Sequence[Attempt]) -> str:
    names = ", ".join(each.submission.id for each in own)
    open_ = ", ".join(each.submission.id for each in own if each.grade is None)
    return f"{key}: {open_} has no grade, so decide which of these counts: {names}"
