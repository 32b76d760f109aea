"""Choose the submission that counts for each student: the one with the highest grade.

If one of them has no grade, the best is unknown: all remain, and a person chooses.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
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


@dataclass(frozen=True, slots=True)
class ResultsFolder:
    """A results folder that is open for writing."""

    store: Store
    generation: int
    task: Assignment
    out: Path

    def people(self) -> dict[str, str]:
        """Return who submitted what, by submission."""
        members = self.store.members(self.generation)
        return {member.submission: self.store.people_and_time(member)[0] for member in members}

    def listed(self) -> frozenset[str]:
        """Return the submissions that are in the reports."""
        members = self.store.members(self.generation)
        return frozenset(member.submission for member in members if member.listed)

    def relist(self, students: Mapping[str, str]) -> None:
        """Put submissions into the reports, and say whose they are."""
        pairs = []
        for member in self.store.members(self.generation):
            if member.submission in students:
                address = member.cache_key.address
                submission = self.store.as_graded(member.submission, address).submission
                pairs.append((replace(submission, student=students[member.submission]), address))
        self.store.adopt(self.generation, pairs, anew=True)


def keep_best(folder: ResultsFolder) -> tuple[str, ...]:
    """Remove all but the best attempts from the reports; return notes for staff."""
    best = best_attempts(graded_attempts(folder))
    folder.store.unlist(folder.generation, best.others)
    return (*best.notes, *not_counting(best.instead))


def graded_attempts(folder: ResultsFolder, only: Iterable[str] | None = None) -> list[Attempt]:
    """Return submissions in the folder, all or some, with their final grades."""
    task, dues = folder.task, read_extensions(folder.out, folder.task)
    return [
        Attempt(submission, final_grade(result, task.grading, dues.due_of(submission), free).final)
        for result in folder.store.results(folder.generation, only)
        for submission, free in [(result.submission, dues.free_days(result.submission))]
    ]


def best_attempts(attempts: Sequence[Attempt]) -> Best:
    """Choose for every student; of equal grades, the earliest submission counts."""
    listed, notes, chosen = set[str](), [], dict[str, str]()
    by_person = attempts_by_person(attempts)
    for key, own_attempts in sorted(by_person.items()):
        graded = [(attempt.grade, attempt) for attempt in own_attempts if attempt.grade is not None]
        if len(graded) == len(own_attempts):
            _, best = min(graded, key=lambda pair: (-pair[0], *_in_order(pair[1].submission)))
            chosen[key] = best.submission.id
            listed.add(best.submission.id)
        else:
            listed |= {attempt.submission.id for attempt in own_attempts}
            notes += [_for_a_person(key, own_attempts)] if len(own_attempts) > 1 else []
    for key, best_of_all in chosen.items():
        stay = [
            attempt.submission.id for attempt in by_person[key] if attempt.submission.id in listed
        ]
        notes += [_for_the_group(key, best_of_all, stay)] if len(stay) > 1 else []
    unlisted = [attempt.submission for attempt in attempts if attempt.submission.id not in listed]
    instead = {
        submission.id: chosen[key_of(people_in(submission.student)[0], submission.id)]
        for submission in unlisted
    }
    return Best(tuple(instead), tuple(notes), instead)


def attempts_by_person(attempts: Sequence[Attempt]) -> Mapping[str, list[Attempt]]:
    """Return the attempts of each student; a group's are attempts of all its members."""
    by_person: dict[str, list[Attempt]] = defaultdict(list)
    for attempt in attempts:
        for person in people_in(attempt.submission.student):
            by_person[key_of(person, attempt.submission.id)].append(attempt)
    return by_person


def _in_order(submission: Submission) -> tuple[float, int, str]:
    """Return what sorts attempts by time, and at the same time `ada-9` before `ada-10`."""
    moment = (submission.submitted_at or LATEST).timestamp()
    return moment, len(submission.id), submission.id


def _for_the_group(key: str, best: str, stay: Sequence[str]) -> str:
    names = ", ".join(name for name in stay if name != best)
    return f"{key}: {best} counts; {names} stays because it counts for another group member"


def _for_a_person(key: str, own: Sequence[Attempt]) -> str:
    names = ", ".join(attempt.submission.id for attempt in own)
    open_ = ", ".join(attempt.submission.id for attempt in own if attempt.grade is None)
    again = "when they are graded, run the same command again"
    return f"{key}: {open_} has no grade yet, so all of these count: {names}; {again}"


def _last_attempt(attempts: Sequence[Attempt]) -> Best:
    """Choose the last one; if a time is unknown, all stay."""
    submissions = [attempt.submission for attempt in attempts]
    names = ", ".join(submission.id for submission in submissions)
    if len(submissions) > 1 and not all(submission.submitted_at for submission in submissions):
        return Best((), (f"{names}: of one student, at times that are not known: all count",))
    last = max(submissions, key=_in_order, default=None)
    return Best(tuple(submission.id for submission in submissions if submission != last), ())


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
    keys = {key_of(person, submission) for person in people_in(people[submission])}
    attempts = [
        f"{name} ({'counts' if name in listed else 'does not count'})"
        for name, text in sorted(people.items())
        if keys & {key_of(person, name) for person in people_in(text)}
    ]
    return "" if len(attempts) == 1 and submission in listed else ", ".join(attempts)
