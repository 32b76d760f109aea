"""Grade many submissions; each Result is stored and returned as soon as it is ready.

submissions ── plan_work ──┬── stored and decided: listed again, not graded
                           └── waiting ── grade_all ── Store.put ── Result
"""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass

from graders.errors import GraderFault, UsageError, UserError
from graders.execution.executors import JobExecutor
from graders.grading.cache_key import Keys, files_key, keys_of
from graders.grading.options import (
    GradingRequest,
    Options,
    assignment_in,
    follow_assignment,
    is_gone,
    is_installed,
    only_in,
    stored_assignment,
)
from graders.grading.pipeline import grade_submission, ungraded
from graders.model import Assignment, Result, Submission
from graders.scoring import wanted_criteria
from graders.storage.store import Store
from submissions.escaping import first_few

FINISHED = ("graded", "needs_review", "rejected")


@dataclass(frozen=True, slots=True)
class Work:
    """The submissions left to grade, and the generation to store them in."""

    generation: int
    keys: Keys
    waiting: tuple[Submission, ...]
    stored: int
    elsewhere: int
    note: str


def plan_work(
    store: Store,
    submissions: Sequence[Submission],
    request: GradingRequest,
    *,
    force: bool = False,
    alone: bool = False,
) -> Work:
    """Find what is not stored yet; `force` grades all, `alone` lists only these submissions.

    An incomplete Result is graded again. Until then, it is not listed. Raises UsageError if grades
    of other criteria would be lost.
    """
    assignment = request.assignment
    keys = keys_of(assignment, request.options)
    note = version_note(store, assignment, keys)
    refuse_other_criteria(store, submissions, request, alone=alone)
    refuse_other_policy(store, assignment, alone=alone)
    generation = store.begin(assignment, keys.checks)
    note = "\n".join(filter(None, (follow_assignment(store, assignment), note)))
    decided = (
        []
        if force
        else [submission for submission in submissions if is_finished(store, submission, keys)]
    )
    stored = [(submission, keys.cache_key(submission).address) for submission in decided]
    ids = {submission.id for submission in decided}
    waiting = tuple(submission for submission in submissions if submission.id not in ids)
    store.unlist(generation, None if alone else [submission.id for submission in waiting])
    store.adopt(generation, stored, anew=True)
    mine = {submission.id for submission in submissions}
    members = store.members(generation) if alone else []
    elsewhere = sum(member.submission not in mine for member in members)
    return Work(generation, keys, waiting, len(stored), elsewhere, note)


def refuse_other_criteria(
    store: Store, submissions: Sequence[Submission], request: GradingRequest, *, alone: bool
) -> None:
    """Raise UsageError if published grades of other criteria would be lost, or if maxima would mix.

    More criteria than before are fine if every published submission is graded with them.
    """
    if not _has_grades(store):
        return
    task, mine = request.assignment, {submission.id for submission in submissions}
    listed = [member for member in store.members() if member.listed]
    before = {
        member.submission: _criteria(task, only_in(member.cache_key.options)) for member in listed
    }
    now = _criteria(task, request.options.only)
    if all(before.get(name) == now for name in mine):
        return  # other submissions stay as they are
    for name, ids in before.items():
        lost = [criterion.id for criterion in task.rubric if criterion.id in ids - now]
        if lost or (ids != now and name not in mine and not alone):
            only = "" if ids == _criteria(task, None) else f"`--only {','.join(sorted(ids))}`"
            then = f"the grades of {first_few(lost)} would be lost" if lost else "maxima would mix"
            raise UsageError(
                f"the results folder was graded with {only or 'all criteria'}; with others, {then}",
                f"choose another --out, or {f'add {only}' if only else 'leave out --only'}",
            )


def refuse_other_policy(store: Store, assignment: Assignment, *, alone: bool) -> None:
    """Raise UsageError if the due date or late policy of another folder would be lost or mixed.

    A course's own copy of an assignment has the assignment's name, so only the folders differ.
    A first policy is fine if it is for all submissions (`alone`).
    """
    if not _has_grades(store):
        return
    asked = {member.cache_key.options for member in store.members()}
    gone = next(filter(is_gone, sorted(asked)), "")
    if gone and is_installed(assignment):
        raise UsageError(
            f"the results folder was graded with {assignment_in(gone)}, which does not exist "
            f"anymore; `{assignment.name}` may have another `due` and `[grading]`",
            "if you moved the folder, pass its new path, or else choose another --out",
        )
    try:
        before = stored_assignment(store)
    except UsageError:  # nothing is graded, or the folder is gone or cannot be read
        return
    declared = before.due is not None or before.grading.declared
    same = (before.due, before.grading) == (assignment.due, assignment.grading)
    if (declared or not alone) and not same and before.folder != assignment.folder:
        raise UsageError(
            f"the results folder was graded with {before.folder}, whose `due` and `[grading]` "
            f"differ from those of {assignment.folder}: the students' grades would change",
            f"pass {before.folder}, or choose another --out",
        )


def _has_grades(store: Store) -> bool:
    """Return whether a generation of grades was ever published."""
    return any(generation.published for generation in store.generations())


def _criteria(task: Assignment, only: frozenset[str] | None) -> frozenset[str]:
    return frozenset(criterion.id for criterion in wanted_criteria(task, only))


def version_note(store: Store, assignment: Assignment, keys: Keys) -> str:
    """Say that the assignment changed since the last grading and its version did not; or ""."""
    before = max(store.generations(), key=lambda generation: generation.published, default=None)
    if before is None or before.version != assignment.version:
        return ""
    files, slash, _ = before.checks.partition("/")
    if not slash or files == keys.files:
        return ""
    return (
        f"{assignment.name} has changed since generation {before.number}, but its version is "
        f"still {before.version}: if a score can change, raise `version` in assignment.toml"
    )


def is_finished(store: Store, submission: Submission, keys: Keys) -> bool:
    """Return whether the store has a Result of this upload that need not be graded again."""
    return store.status(submission.id, keys.cache_key(submission).address) in FINISHED


def grade_and_store(
    store: Store, work: Work, request: GradingRequest, executor: JobExecutor
) -> Iterator[Result]:
    """Yield the Results of the waiting submissions, each after it is stored.

    Raises UsageError if the assignment or the data changed in the meantime: it would be unclear
    what a Result was made from, so it is not stored.
    """
    assignment, options = request.assignment, request.options
    for result in grade_all(work.waiting, assignment, options, executor):
        refuse_changes(assignment, work.keys, result)
        key = work.keys.cache_key(result.submission)
        store.put(work.generation, result, key)
        yield store.result(result.submission.id, key.address)


def refuse_changes(assignment: Assignment, keys: Keys, result: Result) -> None:
    """Raise UsageError if the assignment's files or the data are not those of the keys."""
    try:
        same = files_key(assignment) == keys.files
    except OSError:  # a file was removed after it was listed
        same = False
    if not same:
        raise UsageError(
            f"{assignment.folder} was changed during grading", "run the same command again"
        )
    if keys.data[:16] not in str(result.environment.get("data", keys.data)):
        raise UsageError("the data were changed during grading", "run the same command again")


def grade_all(
    submissions: Iterable[Submission],
    assignment: Assignment,
    options: Options,
    executor: JobExecutor,
) -> Iterator[Result]:
    """Yield Results in the order in which they finish, exactly one per submission.

    The executor gets only a few submissions at a time, so that the first Result does not have to
    wait for the last submission.
    """
    waiting = iter(submissions)
    running: dict[Future[Result], Submission] = {}
    while True:
        while len(running) < executor.ahead and (submission := next(waiting, None)) is not None:
            job = executor.submit(grade_submission, submission, assignment, options)
            running[job] = submission
        if not running:
            return
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            yield _result(future, running.pop(future), assignment, options)


def _result(
    future: Future[Result], submission: Submission, assignment: Assignment, options: Options
) -> Result:
    try:
        return future.result()
    except UserError:
        raise
    except Exception as error:  # noqa: BLE001  a lost job is our fault, not the student's
        return ungraded(submission, assignment, options, GraderFault(str(error)))
