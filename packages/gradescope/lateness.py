"""Describe to students how late a submission is, and their earlier submissions."""

import math
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from graders.model import Assignment
from packages.gradescope.metadata import Metadata
from reports.text import number


def about_time(metadata: Metadata, due: datetime | None) -> Iterator[str]:
    """Yield how long after its due date a submission arrived; nothing if it was in time."""
    came = metadata.submitted_at
    if due is not None and came is not None and came > due:
        when = due.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
        yield f"Submitted {in_words(came - due)} after the due date ({when})."


def about_previous(metadata: Metadata, assignment: Assignment) -> Iterator[str]:
    """Yield the number of earlier submissions, with the best score if no criterion is hidden."""
    if not metadata.previous:
        return
    count = "1 submission" if metadata.previous == 1 else f"{metadata.previous} submissions"
    open_ = all(each.visibility == "visible" for each in assignment.rubric)
    best = "" if metadata.best is None or not open_ else f"; the best had {number(metadata.best)}"
    yield f"{count} before this one{best}."


def in_words(late: timedelta) -> str:
    """Return a length of time in its two largest units, such as `2 days 3 hours`."""
    minutes = math.ceil(late.total_seconds() / 60)
    days, rest = divmod(minutes, 24 * 60)
    parts = [(days, "day"), (rest // 60, "hour"), (rest % 60, "minute")]
    said = [f"{n} {unit}{'s' if n > 1 else ''}" for n, unit in parts if n]
    return " ".join(said[:2])
