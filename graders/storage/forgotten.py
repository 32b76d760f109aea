"""Remove all rows of one submission from a store, and keep that it happened.

forgotten     number, by whom, how many rows of each kind, when      and not whose they were

Nothing of the rows stays in the file: it is written anew, and its write-ahead log is emptied.
"""

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from graders.storage.database import REMAIN, in_words, now, transaction

TABLES = ("results", "decisions", "adjustments", "requests", "replies", "members", "comments")


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The rows that were removed; `number` counts the submissions removed from this store."""

    number: int
    made_at: str
    results: int
    decisions: int
    adjustments: int
    requests: int


def forget_rows(
    file: Path, connection: sqlite3.Connection, submission: str, reviewer: str
) -> Forgotten:
    """Remove the rows of a submission, all or none."""
    moment = now()
    with transaction(file, connection):
        for table in REMAIN:
            connection.execute(f"DROP TRIGGER {table}_remain")
        counts = [
            connection.execute(f"DELETE FROM {table} WHERE submission = ?", (submission,)).rowcount  # noqa: S608  a constant
            for table in TABLES
        ]
        for trigger in REMAIN.values():
            connection.execute(trigger)
        # Numbers are given again after the newest rows are removed: what comes next is not written.
        connection.execute(
            "UPDATE written SET number = min(number, (SELECT coalesce(max(number), 0) "
            "FROM decisions))"
        )
        shown = counts[:4]
        number = connection.execute(
            "INSERT INTO forgotten VALUES (NULL, ?, ?, ?, ?, ?, ?)",
            (reviewer, *shown, moment),
        ).lastrowid
    write_anew(file, connection)
    return Forgotten(number or 0, moment, *shown)


def write_anew(file: Path, connection: sqlite3.Connection) -> None:
    """Write the file without the remains of removed and replaced rows."""
    with in_words(file):
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
