"""Compare two generations: which scores changed, and which checks explain it."""

from collections.abc import Iterator
from dataclasses import replace

from graders.course.regrade import Draft
from graders.errors import GraderFault
from graders.model import CheckChange, CheckResult, Difference, Regraded, Result
from graders.storage.store import Store


def regraded(store: Store, draft: Draft | None) -> Regraded:
    """Report what a draft changes; nothing if there was nothing to grade again."""
    if draft is None:
        current = store.generation()
        number, count = current.number, current.submissions
        return Regraded(current.assignment, number, number, count, 0, (), ())
    found = Regraded(
        title=draft.assignment.title,
        before=draft.base,
        after=draft.number,
        submissions=len(draft.submissions),
        graded=sum(bool(each.touched) for each in draft.submissions),
        touched=draft.touched,
        differences=(),
    )
    return _compared(store, found)


def refuse_losses(report: Regraded) -> None:
    """Raise GraderFault if a submission would lose its score because it could not be graded."""
    if report.lost:
        raise GraderFault(
            f"{report.lost[0].submission} could not be graded again, with {len(report.lost) - 1} "
            "more: nothing is published"
        )


def _compared(store: Store, found: Regraded) -> Regraded:
    """Return the report with the differences; only one pair of Results is in memory at a time."""
    old = {member.submission: member.cache_key.address for member in store.members(found.before)}
    changed, most_before, most_after = list[Difference](), 0.0, 0.0
    for new in store.results(found.after):
        name = new.submission.id
        earlier = store.result(name, old[name]) if name in old else None
        most_before = max(most_before, earlier.max_score if earlier else 0.0)
        most_after = max(most_after, new.max_score)
        now = difference(earlier, new)
        differs = now.changes or now.adjusted or now.before != now.after
        if differs or _status(earlier) != new.status:
            changed.append(now)
    return replace(found, differences=tuple(changed), max_before=most_before, max_after=most_after)


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
    before = {each.criterion.id: each for each in (old.criteria if old else ())}
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
    text = (said.message or said.hint or said.check.description) if said else ""
    return " ".join(text.split())


def _status(result: Result | None) -> str:
    return result.status if result else ""
