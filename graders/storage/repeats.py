"""Count how often regrading an unchanged submission changed a verdict.

repeats      generation, criterion, check -> repeated, changed      check "" is the whole criterion

Equal addresses mean equal uploads, checks, inputs and versions (graders/grading/cache_key.py). If a
verdict changes anyway, the check is unreliable, or the student's code gives varying answers.
"""

import sqlite3
from collections.abc import Iterator

from graders.model import CriterionResult, Result

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
    for key in sorted(old.keys() & new.keys()):
        connection.execute(COUNT, (generation, *key, old[key] != new[key]))


def repeats_of(connection: sqlite3.Connection, generation: int) -> Repeats:
    """Return how often each item was graded again, and how often with another verdict."""
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
    for check in graded.checks:
        if check.status != "error":  # a check that depends on an `error` is one, too
            yield (name, check.id), (check.status, check.fraction)
