"""Turn a raw score into the final grade, in this order.

    drops ── sum, with extra credit ── late penalty ── rounding

Numbers are decimal, as in assignment.toml: 0.1 is exactly a tenth.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

from graders.grading_policy import Drop, GradingPolicy, Lateness
from graders.model import CriterionResult, Result
from submissions.escaping import counted

DAY = 86_400
MODES = {
    "half_up": ROUND_HALF_UP,
    "half_even": ROUND_HALF_EVEN,
    "up": ROUND_CEILING,
    "down": ROUND_FLOOR,
}


@dataclass(frozen=True, slots=True)
class FinalGrade:
    """A grade, and how it was computed.

    `raw` is the Result's score. `maximum` is the maximum after drops, without extra credit. `final`
    is None if there is no score, or if the submission was too late to be accepted. Of the
    days late, `free_days` cost nothing.
    """

    raw: float | None
    extra: float
    dropped: tuple[str, ...]
    penalty: float
    final: float | None
    maximum: float
    days_late: int
    words: str
    free_days: int = 0


@dataclass(frozen=True, slots=True)
class _Counted:
    """The points of a Result after the drops: those earned, and those that can be earned.

    `dropped` and `without` are the IDs and the titles of the dropped criteria. `most` is the
    maximum with extra credit.
    """

    dropped: tuple[str, ...]
    without: tuple[str, ...]
    earned: Decimal
    extra: Decimal
    maximum: Decimal
    most: Decimal


def final_grade(
    result: Result, policy: GradingPolicy, due: datetime | None, free_days: int = 0
) -> FinalGrade:
    """Return the grade of a Result, with late days that cost nothing; none without a score."""
    late = seconds_late(result.submission.submitted_at, due, policy.lateness)
    days = begun(late, DAY)
    free = min(free_days, days_to_spend(days, policy.lateness))
    counted = _counted(result.criteria, policy)
    refused = _is_too_late(days, policy.lateness) and policy.lateness.too_late == "not_accepted"
    penalty = _penalty(counted, max(late - DAY * free, 0.0), policy.lateness)
    final = min(_rounded(counted.earned - penalty, policy), counted.most)
    scored = result.score is not None
    times = times_words(result.submission.submitted_at, due) if days else ""
    return FinalGrade(
        raw=result.score,
        extra=float(counted.extra) if scored else 0.0,
        dropped=counted.dropped if scored else (),
        penalty=float(penalty) if scored else 0.0,
        final=float(final) if scored and not refused else None,
        maximum=float(counted.maximum),
        days_late=days,
        words=_words(counted, penalty, _late_part(days, free, policy.lateness), times, policy)
        if scored
        else "There is no score yet.",
        free_days=free,
    )


def days_to_spend(days: int, lateness: Lateness) -> int:
    """Return for how many days late a free late day can be used: only where it changes a grade."""
    return days if lateness.percent and not _is_too_late(days, lateness) else 0


def seconds_late(submitted: datetime | None, due: datetime | None, lateness: Lateness) -> float:
    """Return how late it was submitted, or 0 within the grace period or if a time is unknown."""
    if submitted is None or due is None:
        return 0.0
    late = (submitted - due).total_seconds()
    return late if late > 60 * lateness.grace_minutes else 0.0


def begun(seconds: float, unit: int) -> int:
    """Return the number of units of time that have started, such as days."""
    return max(math.ceil(seconds / unit), 0)


def _counted(criteria: Sequence[CriterionResult], policy: GradingPolicy) -> _Counted:
    dropped = _dropped(criteria, policy)
    counted = [graded for graded in criteria if graded.criterion.id not in dropped]
    extra = [graded for graded in counted if graded.criterion.extra_credit]
    maximum = _sum(graded.criterion.maximum for graded in counted)
    return _Counted(
        dropped=dropped,
        without=tuple(c.criterion.title for c in criteria if c.criterion.id in dropped),
        earned=_sum(graded.points or 0.0 for graded in counted),
        extra=_sum(graded.points or 0.0 for graded in extra),
        maximum=maximum,
        most=maximum + _sum(graded.criterion.points for graded in extra),
    )


def _dropped(criteria: Sequence[CriterionResult], policy: GradingPolicy) -> tuple[str, ...]:
    """Return the lowest criteria of each group, but none of a group that was only partly graded.

    Excused criteria do not belong to the group. At least one of the others is never dropped.
    """
    points = {graded.criterion.id: graded.points or 0.0 for graded in criteria}
    excused = {graded.criterion.id for graded in criteria if graded.is_excused}
    dropped = list[str]()
    for drop in policy.drops:
        if points.keys() >= set(drop.criteria):
            rest = [name for name in drop.criteria if name not in excused]
            lowest = min(drop.lowest, max(len(rest) - 1, 0))
            dropped += sorted(rest, key=points.__getitem__)[:lowest]
    return tuple(dropped)


def _is_too_late(days: int, lateness: Lateness) -> bool:
    return lateness.max_days is not None and days > lateness.max_days


def _penalty(counted: _Counted, late: float, lateness: Lateness) -> Decimal:
    """Return the late penalty in points, never more than were earned."""
    if _is_too_late(begun(late, DAY), lateness):
        return counted.earned
    base = counted.earned if lateness.kind == "of_score" else counted.maximum
    share = _exact(lateness.percent) * begun(late, lateness.unit_seconds) / 100
    return min(base * share, counted.earned)


def _rounded(points: Decimal, policy: GradingPolicy) -> Decimal:
    if policy.round_to is None:
        return points
    step = _exact(policy.round_to)
    return (points / step).quantize(Decimal(1), rounding=MODES[policy.rounding]) * step


def _late_part(days: int, free: int, lateness: Lateness) -> str:
    used = f", {free_words(free)} used" if free else ""
    return f"{late_words(days, lateness)}{used}" if days else ""


def free_words(free: int) -> str:
    """Return how many late days are used."""
    return counted(free, "late day")


def times_words(submitted: datetime | None, due: datetime | None) -> str:
    """Return when it was submitted and when it was due, in the due date's time zone."""
    if submitted is None or due is None:
        return ""
    submitted = submitted.astimezone(due.tzinfo)
    minutes = [moment.replace(second=0, microsecond=0) for moment in (submitted, due)]
    form = "%Y-%m-%d %H:%M:%S" if minutes[0] == minutes[1] else "%Y-%m-%d %H:%M"
    return f"submitted {submitted:{form}}, due {due:{form} %Z}"


def _words(
    counted: _Counted, penalty: Decimal, late: str, times: str, policy: GradingPolicy
) -> str:
    """Explain the grade in one sentence."""
    parts = [f"{_plain(counted.earned)} of {_plain(counted.maximum)} points"]
    if counted.extra:
        parts.append(f"{_plain(counted.extra)} of them extra credit")
    if counted.dropped:
        parts.append(f"without {', '.join(counted.without)} (dropped)")
    if late:
        lost = f"minus {_plain(penalty)}" if penalty else "which costs nothing"
        parts.append(f"{late}, {lost} ({times})")
    if policy.round_to is not None:
        parts.append(f"rounded to a multiple of {policy.round_to:g}")
    return "; ".join(parts) + "."


def late_words(days: int, lateness: Lateness) -> str:
    """Return how late a submission is, and whether that is too late."""
    begun_days = f"{counted(days, 'day')} late"
    if not _is_too_late(days, lateness):
        return begun_days
    verdict = "not accepted" if lateness.too_late == "not_accepted" else "too late to count"
    return f"{begun_days} (at most {lateness.max_days}: {verdict})"


def policy_words(policy: GradingPolicy) -> str:
    """Return sentences that explain how a score becomes a grade, without criteria and points."""
    late, words = policy.lateness, [_drop_words(drop) for drop in policy.drops]
    if late.percent:
        base = "points earned" if late.kind == "of_score" else "maximum"
        unit = "day" if late.unit_seconds == DAY else "hour"
        words.append(f"Late work loses {late.percent:g}% of the {base} per {unit} started.")
    if late.grace_minutes:
        words.append(f"The first {late.grace_minutes:g} minutes after the due date cost nothing.")
    if late.max_days is not None:
        ending = "is not accepted" if late.too_late == "not_accepted" else "earns no points"
        words.append(f"Work that is more than {late.max_days} days late {ending}.")
    if policy.round_to is not None:
        words.append(f"The grade is rounded to a multiple of {policy.round_to:g}.")
    return " ".join(words)


def _drop_words(drop: Drop) -> str:
    lowest = "lowest does" if drop.lowest == 1 else f"{drop.lowest} lowest do"
    return f"Of {len(drop.criteria)} criteria, the {lowest} not count."


def _sum(values: Iterable[float]) -> Decimal:
    return sum(map(_exact, values), Decimal())


def _exact(value: float) -> Decimal:
    return Decimal(str(value))


def _plain(points: Decimal) -> str:
    return f"{points:.2f}".rstrip("0").rstrip(".")
