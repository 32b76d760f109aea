"""Remove all rows of one submission from a store, and record that rows were removed.

forgotten     number, reviewer, how many rows of each kind, time      but not whose they were

No trace of the rows remains: the file is rewritten, and its write-ahead log is emptied.
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
    replies: int
    comments: int


def forget_rows(
    file: Path, connection: sqlite3.Connection, submission: str, reviewer: str
) -> Forgotten:
    """Remove all rows of a submission or none."""
    moment = now()
    with transaction(file, connection):
        for table in REMAIN:
            connection.execute(f"DROP TRIGGER {table}_remain")
        counts = {
            table: connection.execute(
                f"DELETE FROM {table} WHERE submission = ?",  # noqa: S608  a constant
                (submission,),
            ).rowcount
            for table in TABLES
        }
        for trigger in REMAIN.values():
            connection.execute(trigger)
        # If the newest decisions were removed, their numbers are used again for unwritten ones.
        connection.execute(
            "UPDATE written SET number = min(number, (SELECT coalesce(max(number), 0) "
            "FROM decisions))"
        )
        number = connection.execute(
            "INSERT INTO forgotten VALUES (NULL, ?, ?, ?, ?, ?, ?)",
            (reviewer, *(counts[table] for table in TABLES[:4]), moment),
        ).lastrowid
    write_anew(file, connection)
    del counts["members"]
    return Forgotten(number or 0, moment, **counts)


def write_anew(file: Path, connection: sqlite3.Connection) -> None:
    """Rewrite the file without traces of removed and replaced rows."""
    with in_words(file):
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
