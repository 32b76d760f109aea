"""Compare two generations: which scores changed, and which checks explain it."""

from collections.abc import Iterator

from graders.course.regrade import Draft
from graders.errors import GraderFault
from graders.model import CheckChange, CheckResult, Difference, Regraded, Result
from graders.storage.results import Store


def regraded(store: Store, draft: Draft | None) -> Regraded:
    """Report what a draft changes; nothing if there was nothing to grade again."""
    if draft is None:
        current = store.generation()
        number, count = current.number, current.submissions
        return Regraded(current.assignment, number, number, count, 0, (), ())
    return Regraded(
        title=draft.assignment.title,
        before=draft.base,
        after=draft.number,
        submissions=len(draft.submissions),
        graded=sum(bool(each.touched) for each in draft.submissions),
        touched=draft.touched,
        differences=tuple(differences(store, draft.base, draft.number)),
    )


def refuse_losses(report: Regraded) -> None:
    """Raise GraderFault if a submission would lose its score because it could not be graded."""
    if report.lost:
        raise GraderFault(
            f"{report.lost[0].submission} could not be graded again, with {len(report.lost) - 1} "
            "more: nothing is published"
        )


def differences(store: Store, before: int, after: int) -> Iterator[Difference]:
    """Yield a Difference for each submission of `after` that differs from `before`."""
    old = {member.submission: member.made.address for member in store.members(before)}
    for new in store.results(after):
        name = new.submission.id
        earlier = store.result(name, old[name]) if name in old else None
        found = difference(earlier, new)
        if found.changes or found.before != found.after or _status(earlier) != new.status:
            yield found


def difference(old: Result | None, new: Result) -> Difference:
    """Return one submission's scores before and after, and the checks whose verdicts differ."""
    return Difference(
        submission=new.submission.id,
        before=old.score if old else None,
        after=new.score,
        status=new.status,
        changes=tuple(_changes(old, new)),
    )


def _changes(old: Result | None, new: Result) -> Iterator[CheckChange]:
    before, after = _checks(old), _checks(new)
    for key in [*after, *(key for key in before if key not in after)]:
        was, now = before.get(key), after.get(key)
        if _verdict(was) != _verdict(now):
            yield CheckChange(*key, _verdict(was), _verdict(now), _why(was, now))


def _checks(result: Result | None) -> dict[tuple[str, str], CheckResult]:
    return {
        (graded.criterion.id, found.check.id): found
        for graded in (result.criteria if result else ())
        for found in graded.checks
    }


def _verdict(found: CheckResult | None) -> str:
    if found is None:
        return "not there"
    return f"partial ({found.fraction:.0%})" if found.status == "partial" else found.status


def _why(was: CheckResult | None, now: CheckResult | None) -> str:
    said = now or was
    return (said.message or said.hint or said.check.description) if said else ""


def _status(result: Result | None) -> str:
    return result.status if result else ""
