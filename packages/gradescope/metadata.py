"""What Gradescope says of a submission: submission_metadata.json, read with nothing taken on trust.

Names and titles in it are students' words. What is missing or not of the documented kind is left
out, and `notes` say so to staff: no grade hangs on it.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

LARGEST = 64 * 2**20
HIGHEST = 1e6  # no assignment has so many points


@dataclass(frozen=True, slots=True)
class Metadata:
    """Which submission it is, when it was submitted and due, and the earlier ones.

    `due` is None without a due date; `previous` counts earlier submissions, `best` is the highest
    score of theirs.
    """

    id: str = ""
    submitted_at: datetime | None = None
    due: datetime | None = None
    previous: int = 0
    best: float | None = None
    notes: tuple[str, ...] = ()


def read_metadata(file: Path) -> Metadata:
    """The metadata in this file, as much of it as can be read."""
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
    earlier = [each for each in _list(document, "previous_submissions") if isinstance(each, dict)]
    scores = [score for each in earlier if (score := _score(each)) is not None]
    return Metadata(
        id=_id(document.get("id")),
        submitted_at=submitted,
        due=_due(document),
        previous=len(earlier),
        best=max(scores, default=None),
        notes=() if submitted else ("submission_metadata.json has no submission time",),
    )


def _due(document: Mapping[str, Any]) -> datetime | None:
    """Until when it was due: a group has until the last of its students.

    For a student of whom no date of their own is said, the assignment's counts.
    """
    common = _time(_due_date(document))
    each = [_time(_due_date(user)) or common for user in _list(document, "users")]
    return max((due for due in each if due is not None), default=common)


def _due_date(holder: object) -> object:
    assignment = holder.get("assignment") if isinstance(holder, dict) else None
    return assignment.get("due_date") if isinstance(assignment, dict) else None


def _list(document: Mapping[str, Any], key: str) -> Iterator[Any]:
    value = document.get(key)
    yield from value if isinstance(value, list) else ()


def _time(value: object) -> datetime | None:
    """A time with its zone; None for anything else."""
    try:
        time = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return time if time is not None and time.tzinfo is not None else None


def _score(earlier: Mapping[str, Any]) -> float | None:
    """The score of an earlier submission, which is a number or the text of one."""
    try:
        score = float(str(earlier.get("score"))[:40])
    except ValueError:
        return None
    return score if abs(score) < HIGHEST and not earlier.get("autograder_error") else None


def _id(value: object) -> str:
    """The submission's number, as the end of a file's name."""
    return str(value) if isinstance(value, int) and 0 <= value < 10**18 else ""
