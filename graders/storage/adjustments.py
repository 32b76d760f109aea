"""Store the adjustments: who changed the points of which criterion, how and why.

adjustments    number, submission, criterion, upload, reviewer, action, points, machine's points,
               comment, `seen`, time

Rows are added and never changed; the database refuses it. Only `forget` removes them.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

from graders.adjustments import Adjustment
from graders.storage.database import in_words, now, transaction

COLUMNS = (
    "submission, criterion, upload, reviewer, action, points, machine, comment, seen, number, "
    "made_at"
)
ALL = f"SELECT {COLUMNS} FROM adjustments ORDER BY number"  # noqa: S608  a constant
OF_ONE = f"SELECT {COLUMNS} FROM adjustments WHERE submission = ? ORDER BY number"  # noqa: S608
OF_EARLIER_UPLOADS = """
SELECT submission, criterion FROM adjustments
JOIN members USING (submission) JOIN results USING (submission, address)
WHERE generation = ? AND listed AND action IN ('points', 'waive') AND upload != sha256
AND number IN (SELECT max(number) FROM adjustments GROUP BY submission, criterion) ORDER BY number
"""


class Overtaken(Exception):
    """Someone else adjusted the criterion in the meantime; `newest` is that adjustment."""

    def __init__(self, newest: Adjustment) -> None:
        super().__init__("somebody adjusted it in the meantime")
        self.newest = newest


@dataclass(frozen=True, slots=True)
class Adjustments:
    """The adjustments in one store."""

    file: Path
    connection: sqlite3.Connection

    def all(self) -> list[Adjustment]:
        """Return all adjustments, the oldest first."""
        with in_words(self.file):
            return [Adjustment(*row) for row in self.connection.execute(ALL)]

    def of(self, submission: str) -> list[Adjustment]:
        """Return the adjustments of one submission, the oldest first."""
        with in_words(self.file):
            rows = self.connection.execute(OF_ONE, (submission,))
            return [Adjustment(*row) for row in rows]

    def add(self, adjustments: Sequence[Adjustment]) -> None:
        """Store all of these or none.

        Raises Overtaken if one was made without seeing the newest adjustment of its criterion.
        """
        moment = now()
        with transaction(self.file, self.connection):
            newest = {adjustment.key: adjustment for adjustment in self.all()}
            for adjustment in adjustments:
                if adjustment.key in newest and newest[adjustment.key].number != adjustment.seen:
                    raise Overtaken(newest[adjustment.key])
                *values, _, _ = astuple(adjustment)
                self.connection.execute(
                    f"INSERT INTO adjustments ({COLUMNS}) VALUES ({', '.join('?' * 11)})",  # noqa: S608
                    (*values, None, moment),
                )
