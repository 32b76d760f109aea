"""Read submission_metadata.json, Gradescope's data on a submission, and tell students of it.

The file is not trusted: students choose the names and titles in it. What is missing or does not
have the documented type is left out, and `notes` report it to staff: no grade depends on it.
"""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from graders.model import Assignment
from reports.text import number
from submissions.escaping import counted

LARGEST = 64 * 2**20
HIGHEST = 1e6  # no assignment has this many points


@dataclass(frozen=True, slots=True)
class Metadata:
    """The submission's ID, when it was submitted and due, and the earlier submissions.

    `due` is None without a due date; `previous` counts earlier submissions, `best` is their highest
    score.
    """

    id: str = ""
    submitted_at: datetime | None = None
    due: datetime | None = None
    previous: int = 0
    best: float | None = None
    notes: tuple[str, ...] = ()


def read_metadata(file: Path) -> Metadata:
    """Return the metadata in this file, as far as it can be read."""
    try:
        with file.open("rb") as content:
            document = json.loads(content.read(LARGEST))
    except (OSError, ValueError, RecursionError) as error:
        return Metadata(notes=(f"{file.name} could not be read: {type(error).__name__}",))
    if not isinstance(document, dict):
        return Metadata(notes=(f"{file.name} is no JSON object",))
    return _metadata(document)


def _metadata(document: Mapping[str, Any]) -> Metadata:
    submitted = _time(document.get("created_at"))
    earlier = [
        submission
        for submission in _list(document, "previous_submissions")
        if isinstance(submission, dict)
    ]
    scores = [score for submission in earlier if (score := _score(submission)) is not None]
    return Metadata(
        id=_id(document.get("id")),
        submitted_at=submitted,
        due=_due(document),
        previous=len(earlier),
        best=max(scores, default=None),
        notes=() if submitted else ("submission_metadata.json has no submission time",),
    )


def _due(document: Mapping[str, Any]) -> datetime | None:
    """Return when the submission was due; for a group, the latest due date of its students.

    The assignment's date counts for students who have no date of their own.
    """
    common = _time(_due_date(document))
    dues = [_time(_due_date(user)) or common for user in _list(document, "users")]
    return max((due for due in dues if due is not None), default=common)


def _due_date(holder: object) -> object:
    assignment = holder.get("assignment") if isinstance(holder, dict) else None
    return assignment.get("due_date") if isinstance(assignment, dict) else None


def _list(document: Mapping[str, Any], key: str) -> Iterator[Any]:
    value = document.get(key)
    yield from value if isinstance(value, list) else ()


def _time(value: object) -> datetime | None:
    """Return a time that has a time zone and exists in UTC, or None for anything else."""
    try:
        time = datetime.fromisoformat(value) if isinstance(value, str) else None
        if time is None or time.tzinfo is None:
            return None
        time.astimezone(UTC)  # raises OverflowError next to the years 1 and 9999
    except (ValueError, OverflowError):
        return None
    return time


def _score(earlier: Mapping[str, Any]) -> float | None:
    """Return the score of an earlier submission, given as a number or as text."""
    try:
        score = float(str(earlier.get("score"))[:40])
    except ValueError:
        return None
    return score if abs(score) < HIGHEST and not earlier.get("autograder_error") else None


def _id(value: object) -> str:
    """Return the submission's number as a suffix for file names."""
    return str(value) if isinstance(value, int) and 0 <= value < 10**18 else ""


def about_time(metadata: Metadata, due: datetime | None) -> Iterator[str]:
    """Yield how long after its due date a submission arrived; nothing if it was in time."""
    submitted = metadata.submitted_at
    if due is not None and submitted is not None and submitted > due:
        when = due.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
        yield f"Submitted {in_words(submitted - due)} after the due date ({when})."


def about_previous(metadata: Metadata, assignment: Assignment) -> Iterator[str]:
    """Yield the number of earlier submissions, with the best score if no criterion is hidden."""
    if not metadata.previous:
        return
    open_ = all(criterion.visibility == "visible" for criterion in assignment.rubric)
    best = "" if metadata.best is None or not open_ else f"; the best had {number(metadata.best)}"
    yield f"{counted(metadata.previous, 'submission')} before this one{best}."


def in_words(late: timedelta) -> str:
    """Return a length of time in its two largest units, such as `2 days 3 hours`."""
    minutes = math.ceil(late.total_seconds() / 60)
    days, rest = divmod(minutes, 24 * 60)
    parts = [(days, "day"), (rest // 60, "hour"), (rest % 60, "minute")]
    words = [counted(n, unit) for n, unit in parts if n]
    return " ".join(words[:2])
