"""Store regrade requests, the replies to them, and comments on students.

requests    number, submission, criterion, reason, attachment, time
replies     number, request, reviewer, answer (`granted`, `rejected`, `answered`), comment, time
comments    number, submission, reviewer, comment, the mistake that it is about, the comment that
            it withdraws, time

Rows are added and never changed; the database refuses it. Only `forget` removes them.
"""

import base64
import hashlib
import hmac
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

from graders.storage.database import in_words, now, transaction

Answer = Literal["granted", "rejected", "answered"]
ANSWERS: tuple[Answer, ...] = get_args(Answer)
DIGITS = 10  # of base 32: 50 bits


@dataclass(frozen=True, slots=True)
class Reply:
    """One person's reply; `answered` leaves the request open."""

    answer: Answer
    comment: str
    reviewer: str
    made_at: str = ""


@dataclass(frozen=True, slots=True)
class Request:
    """A student's request about one criterion; `attached` is a file's name, or empty."""

    submission: str
    criterion: str
    reason: str
    attached: str = ""
    number: int = 0
    made_at: str = ""
    replies: tuple[Reply, ...] = ()

    @property
    def is_open(self) -> bool:
        """Return True while the request is neither granted nor rejected."""
        return self.state in ("open", "answered")

    @property
    def state(self) -> str:
        """The state: `open`, `answered`, `granted` or `rejected`."""
        return self.replies[-1].answer if self.replies else "open"


@dataclass(frozen=True, slots=True)
class Comment:
    """One person's comment on one student, or the withdrawal of a comment.

    `mistake` is the criterion and hint that all students with this comment share, if there are
    several.
    """

    submission: str
    reviewer: str
    comment: str
    mistake: str = ""
    withdraws: int = 0
    number: int = 0
    made_at: str = ""


class Overtaken(Exception):
    """Someone else replied to the request in the meantime; `newest` is that reply."""

    def __init__(self, newest: Reply) -> None:
        super().__init__("somebody replied in the meantime")
        self.newest = newest


def code_of(key: bytes, submission: str) -> str:
    """Return the request code of a submission, such as `ABCDE-23456`."""
    message = b"request\0" + submission.encode(errors="surrogateescape")
    digits = base64.b32encode(hmac.new(key, message, hashlib.sha256).digest()).decode()[:DIGITS]
    return f"{digits[: DIGITS // 2]}-{digits[DIGITS // 2 :]}"


@dataclass(frozen=True, slots=True)
class Requests:
    """The requests in one store."""

    file: Path
    connection: sqlite3.Connection

    def all(self) -> list[Request]:
        """Return all requests with their replies, the oldest first."""
        replies: dict[int, list[Reply]] = {}
        with in_words(self.file):
            for number, *reply in self.connection.execute(
                "SELECT request, answer, comment, reviewer, made_at FROM replies ORDER BY number"
            ):
                replies.setdefault(number, []).append(Reply(*reply))
            rows = self.connection.execute(
                "SELECT submission, criterion, reason, attached, number, made_at FROM requests "
                "ORDER BY number"
            )
            return [
                replace(request, replies=tuple(replies.get(request.number, ())))
                for request in (Request(*row) for row in rows)
            ]

    def add(self, request: Request, content: bytes = b"") -> bool:
        """Store a request with its attachment; False if the same one is stored already."""
        row = (request.submission, request.criterion, request.reason, request.attached, content)
        same = "submission = ? AND criterion = ? AND reason = ? AND attached = ? AND content = ?"
        with transaction(self.file, self.connection):
            if self.connection.execute(f"SELECT 1 FROM requests WHERE {same}", row).fetchone():  # noqa: S608  a constant
                return False
            self.connection.execute(
                "INSERT INTO requests VALUES (NULL, ?, ?, ?, ?, ?, ?)", (*row, now())
            )
        return True

    def attachment(self, number: int) -> bytes:
        """Return the content of a request's attachment."""
        with in_words(self.file):
            query = "SELECT content FROM requests WHERE number = ?"
            ((content,),) = self.connection.execute(query, (number,)).fetchall()
        return bytes(content)

    def reply(self, number: int, reply: Reply, seen: int | None = None) -> None:
        """Store a reply to the request with this number.

        Raises Overtaken if it was made after reading only the first `seen` replies.
        """
        with transaction(self.file, self.connection):
            replies = next(
                (request.replies for request in self.all() if request.number == number), ()
            )
            if seen is not None and seen < len(replies):
                raise Overtaken(replies[-1])
            self.connection.execute(
                "INSERT INTO replies SELECT NULL, number, submission, ?, ?, ?, ? FROM requests "
                "WHERE number = ?",
                (reply.reviewer, reply.answer, reply.comment, now(), number),
            )


@dataclass(frozen=True, slots=True)
class Comments:
    """The comments on students in one store."""

    file: Path
    connection: sqlite3.Connection

    def shown(self) -> list[Comment]:
        """Return the comments that were not withdrawn, the oldest first."""
        with in_words(self.file):
            rows = self.connection.execute(
                "SELECT submission, reviewer, comment, mistake, withdraws, number, made_at "
                "FROM comments WHERE NOT withdraws AND number NOT IN "
                "(SELECT withdraws FROM comments) ORDER BY number"
            )
            return [Comment(*row) for row in rows]

    def add(self, comments: Iterable[Comment]) -> int:
        """Store all of these or none, and return how many are new.

        A repeated comment by the same person on the same student is not stored again, nor is a
        repeated withdrawal.
        """
        moment, added = now(), 0
        with transaction(self.file, self.connection):
            shown = self.shown()
            keys = {(comment.submission, comment.reviewer, comment.comment) for comment in shown}
            numbers = {comment.number for comment in shown}
            for comment in comments:
                key = (comment.submission, comment.reviewer, comment.comment)
                is_new = comment.withdraws in numbers if comment.withdraws else key not in keys
                if is_new:
                    row = (*key, comment.mistake, comment.withdraws, moment)
                    self.connection.execute(
                        "INSERT INTO comments VALUES (NULL, ?, ?, ?, ?, ?, ?)", row
                    )
                    added += 1
        return added
