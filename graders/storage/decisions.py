"""Store people's decisions about answers, and about checks that need manual grading.

decisions      number, submission, check, answer's hash, reviewer, verdict, `seen`, `undoes`, time
written        one row: the newest decision that the files in DIR include

Decisions are added and never changed; the database refuses it. Only `forget` removes them.
"""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from graders.storage.database import in_words, now, transaction
from graders.written.decisions import Decision, JudgedItem

COLUMNS = (
    "number, submission, check_id, answer, reviewer, points, items, adjustment, comment, action, "
    "seen, undoes, decided_at"
)
NEWEST = (
    "SELECT coalesce(max(number), 0) FROM decisions "
    "WHERE submission = ? AND check_id = ? AND answer = ?"
)


class Overtaken(Exception):
    """Someone else decided first; `decisions` are those made without seeing that decision."""

    def __init__(self, decisions: Sequence[Decision]) -> None:
        super().__init__("somebody decided in the meantime")
        self.decisions = tuple(decisions)


@dataclass(frozen=True, slots=True)
class Decisions:
    """The decisions in one store."""

    file: Path
    connection: sqlite3.Connection

    def since(self, number: int = 0) -> list[Decision]:
        """Return all decisions after this one, the oldest first."""
        query = f"SELECT {COLUMNS} FROM decisions WHERE number > ? ORDER BY number"  # noqa: S608  a constant
        with in_words(self.file):
            return [_decision(row) for row in self.connection.execute(query, (number,))]

    def of(self, submission: str) -> list[Decision]:
        """Return the decisions about one submission, the oldest first."""
        query = f"SELECT {COLUMNS} FROM decisions WHERE submission = ? ORDER BY number"  # noqa: S608  a constant
        with in_words(self.file):
            return [_decision(row) for row in self.connection.execute(query, (submission,))]

    def add(self, decisions: Iterable[Decision], *, unseen: bool = True) -> int:
        """Store all of these or none, and return the number of the newest decision.

        Unless `unseen`, raises Overtaken if one was made without seeing the newest decision.
        """
        moment = now()
        rows = [replace(decision, decided_at=moment) for decision in decisions]
        with transaction(self.file, self.connection):
            late = [] if unseen else [row for row in rows if self._newest(row) != row.seen]
            if late:
                raise Overtaken(late)
            for row in rows:
                self.connection.execute(
                    f"INSERT INTO decisions ({COLUMNS}) VALUES ({', '.join('?' * 13)})",  # noqa: S608
                    (None, *_row(row)),
                )
            (last,) = self.connection.execute(
                "SELECT coalesce(max(number), 0) FROM decisions"
            ).fetchone()
        return int(last)

    def written(self) -> int:
        """Return the number of the newest decision that the files in DIR include."""
        with in_words(self.file):
            row = self.connection.execute("SELECT number FROM written").fetchone()
        return int(row[0]) if row else 0

    def keep_written(self, number: int) -> None:
        """Record that the files in DIR include all decisions up to this one."""
        with transaction(self.file, self.connection):
            self.connection.execute("INSERT OR REPLACE INTO written VALUES (1, ?)", (number,))

    def _newest(self, decision: Decision) -> int:
        key = (decision.submission, decision.check, decision.answer)
        (number,) = self.connection.execute(NEWEST, key).fetchone()
        return int(number)


def _row(decision: Decision) -> tuple[object, ...]:
    items = json.dumps([[item.text, item.points, item.ticked] for item in decision.items])
    what = (decision.points, items, decision.adjustment, decision.comment, decision.action)
    key = (decision.submission, decision.check, decision.answer, decision.reviewer)
    return (*key, *what, decision.seen, decision.undoes, decision.decided_at)


def _decision(row: tuple[Any, ...]) -> Decision:
    number, submission, check, answer, reviewer, points, items, *rest = row
    adjustment, comment, action, seen, undoes, decided_at = rest
    judged = tuple(JudgedItem(*item) for item in json.loads(items))
    key = (submission, check, answer, reviewer, points, judged)
    return Decision(*key, adjustment, comment, action, seen, undoes, number, decided_at)
