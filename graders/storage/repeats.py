"""Count how often regrading an unchanged submission changed a verdict.

repeats      generation, criterion, check -> repeated, changed      check "" is the whole criterion

Equal addresses mean equal uploads, checks, inputs and versions (graders/grading/cache_key.py). If a
verdict changes anyway, the check is unreliable, or the student's code gives varying answers.
"""

import sqlite3
from collections.abc import Iterator

from graders.model import CriterionResult, Result

TABLE = (  # stores from before 0.2 have no such table
    "CREATE TABLE IF NOT EXISTS repeats (generation INTEGER NOT NULL, criterion TEXT NOT NULL, "
    "check_id TEXT NOT NULL, repeated INTEGER NOT NULL, changed INTEGER NOT NULL, "
    "PRIMARY KEY (generation, criterion, check_id)) WITHOUT ROWID"
)
KNOWN = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'repeats'"
COUNT = (
    "INSERT INTO repeats VALUES (?, ?, ?, 1, ?) ON CONFLICT DO UPDATE "
    "SET repeated = repeated + 1, changed = changed + excluded.changed"
)

Verdict = tuple[str, float | None]
Repeats = dict[tuple[str, str], tuple[int, int]]


def count_repeats(
    connection: sqlite3.Connection, generation: int, before: Result, after: Result
) -> None:
    """Count the items that both Results judged, in the transaction that replaces the old one."""
    old, new = _verdicts(before), _verdicts(after)
    connection.execute(TABLE)
    for key in sorted(old.keys() & new.keys()):
        connection.execute(COUNT, (generation, *key, old[key] != new[key]))


def repeats_of(connection: sqlite3.Connection, generation: int) -> Repeats:
    """Return how often each item was graded again, and how often with another verdict."""
    if connection.execute(KNOWN).fetchone() is None:
        return {}
    query = "SELECT criterion, check_id, repeated, changed FROM repeats WHERE generation = ?"
    rows = connection.execute(query, (generation,))
    return {(criterion, check): (repeated, changed) for criterion, check, repeated, changed in rows}


def _verdicts(result: Result) -> dict[tuple[str, str], Verdict]:
    """Return the verdicts by criterion and check; a rejected upload has none."""
    judged = () if result.status == "rejected" else result.criteria
    return {key: verdict for graded in judged for key, verdict in _of_criterion(graded)}


def _of_criterion(graded: CriterionResult) -> Iterator[tuple[tuple[str, str], Verdict]]:
    name = graded.criterion.id
    if graded.status != "error":
        yield (name, ""), (graded.status, graded.points)
    for found in graded.checks:
        if found.status != "error":  # a check that depends on an `error` is one, too
            yield (name, found.check.id), (found.status, found.fraction)
