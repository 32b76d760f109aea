"""After a change of checks, grade the affected criteria and reuse the rest; retry incomplete ones.

    published generation ── old and new keys of criteria ──┬── equal: kept, scored again
                                                           └── others: graded with `--only` those
                                                   draft  <────────────── both together

Nothing is published; the next run resumes an unfinished draft. Afterwards, both generations are
compared: which scores changed, and which checks explain it.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby

from graders import scoring
from graders.boundary.tiers.sandbox import Tier
from graders.data.declared import refuse_other_data
from graders.errors import GraderFault, UsageError, UserError
from graders.execution.executors import JobExecutor
from graders.failures import message_of
from graders.grading.batch import (
    FINISHED,
    grade_all,
    refuse_changes,
    refuse_other_policy,
    version_note,
)
from graders.grading.cache_key import Keys, keys_of
from graders.grading.options import (
    GradingRequest,
    Options,
    assignment_of,
    follow_assignment,
    options_in,
)
from graders.grading.secret import settle_inputs_seed
from graders.model import (
    Assignment,
    CheckChange,
    CheckResult,
    CriterionResult,
    Difference,
    Regraded,
    Result,
    Submission,
)
from graders.storage.store import CacheKey, Member, Store
from submissions.receive import identify


@dataclass(frozen=True, slots=True)
class Regrading:
    """A submission of the published generation; `touched` are its affected criteria."""

    submission: Submission
    before: Member
    cache_key: CacheKey
    touched: frozenset[str]


@dataclass(frozen=True, slots=True)
class CurrentOptions:
    """The options of a stored Result, as used now, and their keys."""

    options: Options
    keys: Keys


@dataclass(frozen=True, slots=True)
class Draft:
    """An unpublished generation: what is kept, and what must be graded."""

    base: int
    number: int
    assignment: Assignment
    current: Mapping[str, CurrentOptions]
    submissions: tuple[Regrading, ...]
    waiting: tuple[Regrading, ...]
    note: str

    @property
    def request(self) -> GradingRequest:
        """The request that needs most: with a rerun if any submission has one."""
        options = sorted((current.options for current in self.current.values()), key=_trains)
        return GradingRequest(self.assignment, options[-1])

    @property
    def touched(self) -> tuple[str, ...]:
        """The criteria that the change affects, in the rubric's order.

        A submission without verdicts, such as an empty one, is graded again for another reason.
        """
        judged = [
            job for job in self.submissions if job.before.status in ("graded", "needs_review")
        ]
        ids = frozenset[str]().union(*(job.touched for job in judged))
        ids = ids or ids.union(*(job.touched for job in self.submissions))
        return tuple(criterion.id for criterion in self.assignment.rubric if criterion.id in ids)


def begin_draft(store: Store, assignment: Assignment, options: Options) -> Draft | None:
    """Return the draft of these checks, or None if the published Results already use them.

    A submission without verdicts is graded again in a draft, but is no reason to make one.
    The tier and, if given, the data of `options` count; all other options are those stored for
    each submission. Raises UsageError if nothing is stored, or an upload to grade is gone.
    """
    base = store.generation()
    refuse_other_policy(store, assignment, alone=True)
    options = replace(options, inputs_seed=settle_inputs_seed(store))
    members = [member for member in store.members(base.number) if member.listed]
    current = _current_options(members, assignment, options)
    todo = [
        _regrading(store, member, assignment, current[member.cache_key.options].keys)
        for member in members
    ]
    checks = next(iter(current.values())).keys.checks if current else base.checks
    if all(job.cache_key == job.before.cache_key for job in todo):
        return None
    notes = (version_note(store, assignment, entry.keys) for entry in current.values())
    number = store.begin(assignment, checks, draft=True)
    note = "\n".join(filter(None, (follow_assignment(store, assignment), next(notes, ""))))
    store.unlist(number)
    finished = [
        job for job in todo if store.status(job.submission.id, job.cache_key.address) in FINISHED
    ]
    store.adopt(number, ((job.submission, job.cache_key.address) for job in finished))
    done = {job.submission.id for job in finished}
    waiting = tuple(job for job in todo if job.submission.id not in done)
    return Draft(base.number, number, assignment, current, tuple(todo), waiting, note)


def grade_draft(store: Store, draft: Draft, executor: JobExecutor) -> Iterator[Result]:
    """Yield the Results of the waiting submissions, each after it is stored in the draft."""
    for job in draft.waiting:
        if not job.touched:
            old = store.as_graded(job.submission.id, job.before.cache_key.address)
            yield _stored(store, draft, job, merge(old, old, draft.assignment, job))
    graded = [job for job in draft.waiting if job.touched]
    for (stored, _), group in groupby(sorted(graded, key=_request), key=_request):
        jobs = {job.submission.id: job for job in group}
        again = draft.current[stored]
        only = next(iter(jobs.values())).touched
        uploads = [job.submission for job in jobs.values()]
        options = replace(again.options, only=only)
        for new in grade_all(uploads, draft.assignment, options, executor):
            refuse_changes(draft.assignment, again.keys, new)
            job = jobs[new.submission.id]
            yield _stored(store, draft, job, _merged(store, draft, job, new))


def merge(old: Result, new: Result, assignment: Assignment, job: Regrading) -> Result:
    """Combine two Results: the affected criteria from the new one, the rest from the old one."""
    results: dict[str, CriterionResult] = {graded.criterion.id: graded for graded in old.criteria}
    results |= {
        graded.criterion.id: graded for graded in new.criteria if graded.criterion.id in job.touched
    }
    rubric = [criterion for criterion in assignment.rubric if criterion.id in job.cache_key.keys]
    criteria = tuple(
        scoring.criterion_result(criterion, results[criterion.id].checks) for criterion in rubric
    )
    rejected = new.status == "rejected"
    return replace(
        new,
        version=assignment.version,
        title=assignment.title,
        status="rejected" if rejected else scoring.result_status(criteria),
        criteria=tuple(replace(c, points=None) for c in criteria) if rejected else criteria,
        score=None if rejected else scoring.total(criteria),
        max_score=scoring.maximum(rubric),
        environment=_environments(old, new),
    )


def upload_again(store: Store, member: Member, assignment: Assignment) -> Submission:
    """Return the member's upload as it is now; raises UsageError if it is gone.

    The student is unchanged, and so is the time of submission unless the upload has changed.
    """
    if not member.path.exists():
        raise UsageError(
            f"{member.path}: the upload of {member.submission} is gone",
            "put it back there, or run `run` with its new path",
        )
    submission = identify(member.path, assignment.name)
    student, moment = store.people_and_time(member)
    same = submission.sha256 == member.sha256
    submitted_at = moment if same else submission.submitted_at
    return replace(submission, id=member.submission, student=student, submitted_at=submitted_at)


def _current_options(
    members: Iterable[Member], assignment: Assignment, options: Options
) -> dict[str, CurrentOptions]:
    """Return the options to use now, by the stored options."""
    current: dict[str, CurrentOptions] = {}
    for stored in {member.cache_key.options for member in members}:
        again = replace(options_in(stored, options.tier), inputs_seed=options.inputs_seed)
        if options.data is not None:
            again = replace(again, data=options.data)
        current[stored] = CurrentOptions(again, keys_of(assignment, again))
    return current


def _regrading(store: Store, member: Member, assignment: Assignment, keys: Keys) -> Regrading:
    has_verdicts = member.status in ("graded", "needs_review")
    before = member.cache_key.keys if has_verdicts else {}
    touched = frozenset(name for name, key in keys.criteria.items() if before.get(name) != key)
    if not touched:
        stored = Submission(
            id=member.submission,
            student=member.submission,
            assignment=assignment.name,
            path=member.path,
            sha256=member.sha256,
            submitted_at=None,
        )
        return Regrading(stored, member, keys.cache_key(stored), touched)
    submission = upload_again(store, member, assignment)
    if submission.sha256 != member.sha256:  # the upload has changed
        touched = frozenset(keys.criteria)
    return Regrading(submission, member, keys.cache_key(submission), touched)


def _trains(options: Options) -> bool:
    return options.rerun is not None


def _request(job: Regrading) -> tuple[str, tuple[str, ...]]:
    return job.before.cache_key.options, tuple(sorted(job.touched))


def _merged(store: Store, draft: Draft, job: Regrading, new: Result) -> Result:
    if job.touched >= set(job.cache_key.keys):
        return new
    old = store.as_graded(job.submission.id, job.before.cache_key.address)
    return merge(old, new, draft.assignment, job)


def _stored(store: Store, draft: Draft, job: Regrading, result: Result) -> Result:
    store.put(draft.number, result, job.cache_key)
    return store.result(job.submission.id, job.cache_key.address)


def _environments(old: Result, new: Result) -> dict[str, object]:
    """Combine both environments; the new one takes precedence, and old faults are dropped."""
    before = {name: value for name, value in old.environment.items() if name != "faults"}
    after = {name: value for name, value in new.environment.items() if value}
    prints = [result.environment.get("fingerprints") for result in (old, new)]
    both = {
        name: value
        for fingerprints in prints
        if isinstance(fingerprints, dict)
        for name, value in fingerprints.items()
    }
    return {**before, **after, **({"fingerprints": both} if both else {}), **_resources(old, new)}


def _resources(old: Result, new: Result) -> dict[str, object]:
    """Return the maximum of both resource uses, because the new run graded only a part."""
    values = [result.environment.get("resources") for result in (old, new)]
    uses = [value for value in values if isinstance(value, dict)]
    names = {name for use in uses for name in use}
    most = {name: max(use.get(name, 0) for use in uses) for name in sorted(names)}
    return {"resources": most} if uses else {}


# ---------------------------------------------------------------- retry


@dataclass(frozen=True, slots=True)
class Retry:
    """Submissions of one request to grade again, and a sentence for each missing upload."""

    request: GradingRequest
    submissions: tuple[Submission, ...]
    gone: tuple[str, ...]


def unfinished(store: Store, tier: Tier) -> Iterator[Retry]:
    """Yield a Retry for each request; raises UsageError if nothing was graded yet."""
    current = store.generation()
    members = [
        member
        for member in store.members(current.number)
        if member.listed and member.status == "incomplete"
    ]
    for options, group in groupby(sorted(members, key=_stored_options), key=_stored_options):
        yield _retry(store, options, list(group), tier)


def _stored_options(member: Member) -> str:
    return member.cache_key.options


def _retry(store: Store, stored: str, members: list[Member], tier: Tier) -> Retry:
    assignment = assignment_of(stored)
    submissions, gone = [], []
    for member in members:
        try:
            submissions.append(upload_again(store, member, assignment))
        except UserError as error:
            gone.append(f"{error}; {error.hint}")
    request = GradingRequest(assignment, options_in(stored, tier))
    refuse_other_data(assignment, request.options.data)
    return Retry(request, tuple(submissions), tuple(gone))


def regraded(store: Store, draft: Draft | None) -> Regraded:
    """Report what a draft changes; nothing if there was nothing to grade again."""
    if draft is None:
        current = store.generation()
        number, count = current.number, current.submissions
        return Regraded(current.assignment, number, number, count, (), (), ())
    summary = Regraded(
        title=draft.assignment.title,
        before=draft.base,
        after=draft.number,
        submissions=len(draft.submissions),
        graded=tuple(job.submission.id for job in draft.submissions if job.touched),
        touched=draft.touched,
        differences=(),
    )
    return _compared(store, summary)


def refuse_losses(report: Regraded) -> None:
    """Raise GraderFault if a submission would lose its score because it could not be graded."""
    if report.lost:
        raise GraderFault(
            f"{report.lost[0].submission} could not be graded again, with {len(report.lost) - 1} "
            "more: nothing is published"
        )


def _compared(store: Store, report: Regraded) -> Regraded:
    """Return the report with the differences; only one pair of Results is in memory at a time."""
    old = {member.submission: member.cache_key.address for member in store.members(report.before)}
    changed, most_before, most_after = list[Difference](), 0.0, 0.0
    for new in store.results(report.after):
        name = new.submission.id
        earlier = store.result(name, old[name]) if name in old else None
        most_before = max(most_before, earlier.max_score if earlier else 0.0)
        most_after = max(most_after, new.max_score)
        now = difference(earlier, new)
        differs = now.changes or now.adjusted or now.before != now.after
        if differs or _status(earlier) != new.status:
            changed.append(now)
    return replace(report, differences=tuple(changed), max_before=most_before, max_after=most_after)


def difference(old: Result | None, new: Result) -> Difference:
    """Return one submission's scores before and after, and the checks whose verdicts differ."""
    return Difference(
        submission=new.submission.id,
        before=old.score if old else None,
        after=new.score,
        status=new.status,
        changes=tuple(_changes(old, new)),
        adjusted=tuple(_adjusted(old, new)),
    )


def _adjusted(old: Result | None, new: Result) -> Iterator[str]:
    """Yield a sentence for each adjusted criterion whose machine's points changed."""
    before = {graded.criterion.id: graded for graded in (old.criteria if old else ())}
    for graded in new.criteria:
        was = before.get(graded.criterion.id, graded)
        counts = graded.adjusted is not None
        by, to = (graded if counts else was).adjusted, (graded if counts else was).points
        if by and was.machine != graded.machine:
            done = "excused" if by.action == "excuse" else f"adjusted to {to:g}"
            points = f"{_points(was.machine)} -> {_points(graded.machine)}"
            note = "" if counts else ", for an earlier upload: it no longer counts"
            yield f"{graded.criterion.id}: machine {points}, {done} by {by.reviewer}{note}"


def _points(points: float | None) -> str:
    return "-" if points is None else f"{points:g}"


def _changes(old: Result | None, new: Result) -> Iterator[CheckChange]:
    before, after = _checks(old), _checks(new)
    for key in [*after, *(key for key in before if key not in after)]:
        was, now = before.get(key), after.get(key)
        if _verdict(was) != _verdict(now):
            yield CheckChange(*key, _verdict(was), _verdict(now), _why(was, now))


def _checks(result: Result | None) -> dict[tuple[str, str], CheckResult]:
    return {
        (graded.criterion.id, check.id): check
        for graded in (result.criteria if result else ())
        for check in graded.checks
    }


def _verdict(result: CheckResult | None) -> str:
    if result is None:
        return "not there"
    words = result.status.replace("_", " ")
    return f"{words} ({result.fraction:.0%})" if result.status == "partial" else words


def _why(was: CheckResult | None, now: CheckResult | None) -> str:
    check = now or was
    text = (message_of(check) or check.hint or check.check.description) if check else ""
    return " ".join(text.split())


def _status(result: Result | None) -> str:
    return result.status if result else ""
