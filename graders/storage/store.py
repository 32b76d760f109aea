"""Store a course's Results; every other file in DIR is written from this store.

An address is a hash of everything that can change a Result (graders/grading/cache_key.py). Each
Result is stored in one transaction. The published generation is the one with the highest number in
`published`; a draft has 0. Only the process that holds `DIR/store.lock` writes Results; what people
do (decisions, adjustments, requests) can be added at any time.
"""

import contextlib
import hashlib
import json
import secrets
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from graders.adjustments import adjusted
from graders.errors import StorageError
from graders.model import Assignment, Generation, Result, ResultStatus, Submission
from graders.storage import rows
from graders.storage.adjustments import OF_EARLIER_UPLOADS, Adjustments
from graders.storage.database import (
    in_words,
    keep_private,
    now,
    open_database,
    refuse_none,
    transaction,
)
from graders.storage.decisions import Decisions
from graders.storage.files import only_writer
from graders.storage.forgotten import Forgotten, forget_rows, write_anew
from graders.storage.repeats import Repeats, count_repeats, repeats_of
from graders.storage.requests import Comments, Requests
from graders.storage.result_json import result_from_text, result_text
from graders.storage.rows import CacheKey, Member, Release
from graders.written.decisions import decided

__all__ = ["FILE", "CacheKey", "Member", "Store", "open_store", "read_store", "reopen_store"]

FILE = "store.sqlite"
LIST = "INSERT OR REPLACE INTO members VALUES (?, ?, ?, 1)"
COPY = "INSERT INTO members SELECT ?, submission, address, listed FROM members WHERE generation = ?"


class Store:
    """The Results of one assignment, in generations."""

    def __init__(self, file: Path, connection: sqlite3.Connection) -> None:
        self._file = file
        self._connection = connection

    def begin(self, assignment: Assignment, checks: str, *, draft: bool = False) -> int:
        """Return the number of the generation to write into, for these checks.

        If the published one has other checks, a new one with its members is published; a new
        draft is empty.
        Raises StorageError if the store has another assignment's Results.
        """
        with self._transaction() as connection:
            generations = self.generations()
            if generations and generations[0].assignment != assignment.name:
                raise StorageError(
                    f"{self._file} contains results of `{generations[0].assignment}`",
                    "choose another --out for each assignment",
                )
            base = max(generations, key=lambda generation: generation.published, default=None)
            same = generations[-1] if draft and generations else base
            if same is not None and same.checks == checks and bool(same.published) != draft:
                return same.number
            number = len(generations) + 1
            connection.execute(
                "INSERT INTO generations VALUES (?, ?, ?, ?, ?, NULL)",
                (number, assignment.name, assignment.version, checks, now()),
            )
            if not draft:
                connection.execute(COPY, (number, base.number if base else 0))
                self._publish(connection, number)
        return number

    def publish(self, number: int) -> None:
        """Make this generation the one whose files are in DIR."""
        with self._transaction() as connection:
            self._publish(connection, number)

    def generations(self) -> list[Generation]:
        """Return every generation, the oldest first."""
        records = self._rows(
            "SELECT number, assignment, version, checks, made_at, coalesce(published, 0), "
            "(SELECT count(*) FROM members WHERE generation = number) "
            "FROM generations ORDER BY number"
        )
        return [Generation(*row) for row in records]

    def generation(self, number: int = 0) -> Generation:
        """Return this generation, or for 0 the one published last; raises StorageError if none."""
        usable = [
            generation
            for generation in self.generations()
            if generation.published or generation.number == number
        ]
        for generation in sorted(usable, key=lambda generation: generation.published, reverse=True):
            if number in (0, generation.number):
                return generation
        remedy = "`show` lists what there is" if number else "grade with `run` or `batch` first"
        raise StorageError(
            f"{self._file} has no generation {number or 'that is published'}", remedy
        )

    @property
    def published(self) -> int:
        """The number of the published generation; raises StorageError if there is none."""
        return self.generation().number

    def status(self, submission: str, address: str) -> ResultStatus | None:
        """Return the status of the Result at this address, or None if there is none."""
        query = "SELECT status FROM results WHERE submission = ? AND address = ?"
        for (status,) in self._rows(query, submission, address):
            stored: ResultStatus = status
            return stored
        return None

    def inputs_seed(self) -> int | None:
        """Return the seed of this store's random inputs, or None if it has none yet."""
        for (seed,) in self._rows("SELECT draw FROM inputs"):
            return int(seed, 16)
        return None

    def keep_inputs_seed(self, seed: int) -> None:
        """Store the seed of the random inputs, permanently."""
        keep_private(self._file)
        with self._transaction() as connection:
            connection.execute("INSERT INTO inputs VALUES (1, ?)", (f"{seed:032x}",))

    def last_release(self) -> Release | None:
        """Return the last release or withdrawal, or None if there is none."""
        records = self._rows(
            "SELECT released, decided_at, coalesce(reviewer, '') FROM releases "
            "LEFT JOIN released_by ON release = number ORDER BY number DESC LIMIT 1"
        )
        return next((Release(bool(released), when, who) for released, when, who in records), None)

    def released(self) -> bool:
        """Return whether the criteria that wait for a release are released now."""
        last = self.last_release()
        return last is not None and last.released

    def keep_release(self, reviewer: str, *, released: bool) -> None:
        """Record a release or its withdrawal, with who and when; skip it if nothing changes."""
        if released != self.released():
            with self._transaction() as connection:
                cursor = connection.execute(
                    "INSERT INTO releases VALUES (NULL, ?, ?)", (int(released), now())
                )
                connection.execute(
                    "INSERT INTO released_by VALUES (?, ?)", (cursor.lastrowid, reviewer)
                )

    def wrote(self, grades: bytes) -> bool:
        """Return whether Softmark wrote this `grades.csv`; True if its store has no checksums."""
        sums = {sha256 for (sha256,) in self._rows("SELECT sum FROM grades_csv")}
        if not sums:
            return any(self._rows("SELECT 1 FROM results LIMIT 1"))
        return hashlib.sha256(grades).hexdigest() in sums

    def keep_written(self, grades: bytes) -> None:
        """Store the checksum of a `grades.csv` that is about to be written."""
        with self._transaction() as connection:
            total = hashlib.sha256(grades).hexdigest()
            connection.execute("INSERT OR IGNORE INTO grades_csv VALUES (?)", (total,))

    def put(self, generation: int, result: Result, key: CacheKey) -> None:
        """Store a Result and list it in this generation, in one transaction.

        If it replaces a Result with the same address, count the verdicts that changed.
        """
        document, annex = result_text(result), ""
        name, path = result.submission.id, rows.encoded(result.submission.path)
        keys, total = json.dumps(dict(key.keys), sort_keys=True), rows.sum_of(document, annex)
        row = (name, key.address, result.status, result.submission.sha256, key.options)
        with self._transaction() as connection:
            with contextlib.suppress(StorageError):  # there was none, or it cannot be read anymore
                count_repeats(connection, generation, self.as_graded(name, key.address), result)
            connection.execute(
                "INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*row, keys, document, annex, total, path),
            )
            connection.execute(LIST, (generation, name, key.address))

    def change_options(self, changed: Callable[[str], str]) -> None:
        """Replace the options of every Result by `changed(options)`."""
        with self._transaction() as connection:
            texts = [text for (text,) in connection.execute("SELECT DISTINCT asked FROM results")]
            pairs = [(changed(text), text) for text in texts]
            connection.executemany(
                "UPDATE results SET asked = ? WHERE asked = ?",
                [(new, old) for new, old in pairs if new != old],
            )

    def repeats(self, generation: int) -> Repeats:
        """Return per criterion and check ("" for all) how often it was regraded and changed."""
        with in_words(self._file):
            return repeats_of(self._connection, generation)

    def outdated_adjustments(self, generation: int) -> list[tuple[str, str]]:
        """Return the submissions and criteria whose adjustments were made for an earlier upload."""
        return [(name, criterion) for name, criterion in self._rows(OF_EARLIER_UPLOADS, generation)]

    def unlist(self, generation: int, submissions: Iterable[str] | None = None) -> None:
        """Remove these submissions, or all, from the reports; their Results stay stored."""
        query = "UPDATE members SET listed = 0 WHERE generation = ?"
        with self._transaction() as connection:
            if submissions is None:
                connection.execute(query, (generation,))
            else:
                named = ((generation, name) for name in submissions)
                connection.executemany(f"{query} AND submission = ?", named)

    def adopt(
        self, generation: int, results: Iterable[tuple[Submission, str]], *, anew: bool = False
    ) -> None:
        """List stored Results in this generation, each by submission and address.

        With `anew`, the student and the time of submission are updated, too.
        """
        update = rows.name_anew if anew else rows.place_anew
        with self._transaction() as connection:
            for submission, address in results:
                connection.execute(LIST, (generation, submission.id, address))
                update(connection, submission, address)

    def forget(self, submission: str, reviewer: str) -> Forgotten:
        """Remove a submission from all generations, with everything that people did about it."""
        return forget_rows(self._file, self._connection, submission, reviewer)

    def rename(self, submission: str, student: str) -> None:
        """Replace the text of who submitted it, in all generations."""
        with self._transaction() as connection:
            query = "SELECT address FROM results WHERE submission = ?"
            for (address,) in connection.execute(query, (submission,)).fetchall():
                rows.rename(connection, submission, address, student)
        write_anew(self._file, self._connection)

    def course_key(self) -> bytes:
        """Return the secret behind pseudonyms and codes; empty if nobody wrote to the store yet."""
        return b"".join(bytes.fromhex(key) for (key,) in self._rows("SELECT key FROM course_key"))

    def make_course_key(self) -> None:
        """Make the secret, once."""
        if not self.course_key():
            with self._transaction() as connection:
                connection.execute("INSERT INTO course_key VALUES (1, ?)", (secrets.token_hex(16),))

    def decisions(self) -> Decisions:
        """Return the decisions about answers, to list them or add some."""
        return Decisions(self._file, self._connection)

    def requests(self) -> Requests:
        """Return the regrade requests, to list them, add some or reply."""
        return Requests(self._file, self._connection)

    def adjustments(self) -> Adjustments:
        """Return the adjustments, to list them or add some."""
        return Adjustments(self._file, self._connection)

    def comments(self) -> Comments:
        """Return the comments on students, to list them or add some."""
        return Comments(self._file, self._connection)

    def members(self, generation: int = 0) -> list[Member]:
        """Return the members of the published generation or this one, listed or not."""
        generation = generation or self.published
        return [rows.member_of(row) for row in self._rows(rows.MEMBERS, generation)]

    def people_and_time(self, member: Member) -> tuple[str, datetime | None]:
        """Return who submitted it, and when."""
        with in_words(self._file):
            address = member.cache_key.address
            return rows.people_and_time(self._connection, member.submission, address)

    def results(self, generation: int = 0, only: Iterable[str] | None = None) -> Iterator[Result]:
        """Yield the listed Results of the published generation or this one, read when needed."""
        chosen = None if only is None else frozenset(only)
        names = self._rows(
            "SELECT submission, address FROM members WHERE generation = ? AND listed "
            "ORDER BY submission",
            generation or self.published,
        )
        for name, address in names:
            if chosen is None or name in chosen:
                yield self.result(name, address)

    def member_result(self, generation: int, submission: str) -> Result:
        """Return a submission's Result in a generation; raises StorageError if it has none."""
        query = "SELECT address FROM members WHERE generation = ? AND submission = ?"
        for (address,) in self._rows(query, generation, submission):
            return self.result(submission, address)
        raise StorageError(
            f"{self._file}: generation {generation} has no submission `{submission}`",
            "`show` without a name lists what there is",
        )

    def result(self, submission: str, address: str) -> Result:
        """Return the Result at this address with decisions and adjustments applied."""
        graded = self.as_graded(submission, address)
        read = decided(graded, self.decisions().of(submission))
        return adjusted(read, self.adjustments().of(submission))

    def as_graded(self, submission: str, address: str) -> Result:
        """Return the Result at this address; raises StorageError if it is missing or damaged."""
        query = (
            "SELECT document, annex, path, sum FROM results WHERE submission = ? AND address = ?"
        )
        for document, annex, path, stored in self._rows(query, submission, address):
            if rows.sum_of(document, annex) == stored:
                result = result_from_text(rows.whole(document, annex), str(self._file))
                return replace(
                    result, submission=replace(result.submission, path=rows.decoded(path))
                )
        raise StorageError(
            f"{self._file}: the Result of {submission} is damaged or gone",
            "grade it again with --force",
        )

    @staticmethod
    def _publish(connection: sqlite3.Connection, number: int) -> None:
        connection.execute(
            "UPDATE generations SET published = "
            "(SELECT coalesce(max(published), 0) + 1 FROM generations) WHERE number = ?",
            (number,),
        )

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        with in_words(self._file):
            return self._connection.execute(query, values).fetchall()

    def _transaction(self) -> AbstractContextManager[sqlite3.Connection]:
        return transaction(self._file, self._connection)


@contextmanager
def open_store(out: Path) -> Iterator[Store]:
    """Yield the store in `out` for writing, locked; it is created if there is none."""
    with only_writer(out), open_database(out / FILE) as connection:
        store = Store(out / FILE, connection)
        store.make_course_key()
        yield store


@contextmanager
def read_store(out: Path) -> Iterator[Store]:
    """Yield the store in `out`, even while another process writes; StorageError without one."""
    refuse_none(out / FILE)
    with open_database(out / FILE) as connection:
        yield Store(out / FILE, connection)


@contextmanager
def reopen_store(out: Path) -> Iterator[Store]:
    """Yield the existing store in `out` for writing, locked; raises StorageError without one."""
    refuse_none(out / FILE)
    with open_store(out) as store:
        yield store
