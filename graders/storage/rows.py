"""Read and update rows of a store: members of a generation, and who submitted a Result when."""

import hashlib
import json
import os
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from graders.model import ResultStatus, Submission
from graders.storage.result_json import result_from_text, result_text

MEMBERS = (
    "SELECT submission, status, sha256, path, listed, address, asked, keys, sum "
    "FROM members JOIN results USING (submission, address) "
    "WHERE generation = ? ORDER BY submission"
)
ROW = "FROM results WHERE submission = ? AND address = ?"


@dataclass(frozen=True, slots=True)
class CacheKey:
    """The key of a Result: its address, the grading's options, and one key per criterion."""

    address: str
    options: str
    keys: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Member:
    """One submission of a generation, without its Result; `sum` is the Result's checksum."""

    submission: str
    status: ResultStatus
    sha256: str
    path: Path
    listed: bool
    cache_key: CacheKey
    sum: str


@dataclass(frozen=True, slots=True)
class Release:
    """A release or its withdrawal; earlier versions did not record the reviewer."""

    released: bool
    decided_at: str
    reviewer: str


def member_of(row: tuple[Any, ...]) -> Member:
    """Return the member in a row of MEMBERS."""
    name, status, sha256, path, listed, address, options, keys, total = row
    sums = {str(criterion): str(key) for criterion, key in json.loads(keys).items()}
    key = CacheKey(address, options, sums)
    return Member(name, status, sha256, decoded(path), bool(listed), key, total)


def people_and_time(
    connection: sqlite3.Connection, submission: str, address: str
) -> tuple[str, datetime | None]:
    """Return the student and the time of submission of the Result at this address.

    If it is missing or damaged, its submission's name stands for the student.
    """
    query = f"SELECT document, annex, sum {ROW}"
    for document, annex, stored in connection.execute(query, (submission, address)):
        if sum_of(document, annex) != stored:
            continue  # damaged: reading it will raise
        fields = json.loads(whole(document, annex))["submission"]
        moment = fields["submitted_at"]
        return str(fields["student"]), datetime.fromisoformat(moment) if moment else None
    return submission, None


def name_anew(connection: sqlite3.Connection, submission: Submission, address: str) -> None:
    """Update the student, the time and the path of a stored Result from this submission."""
    student, moment = submission.student, submission.submitted_at
    if people_and_time(connection, submission.id, address) != (student, moment):
        _write_anew(connection, submission.id, address, student, moment)
    place_anew(connection, submission, address)


def rename(connection: sqlite3.Connection, submission: str, address: str, student: str) -> None:
    """Update the student of a stored Result."""
    _, moment = people_and_time(connection, submission, address)
    _write_anew(connection, submission, address, student, moment)


def place_anew(connection: sqlite3.Connection, submission: Submission, address: str) -> None:
    """Update the path of a stored Result's upload."""
    connection.execute(
        "UPDATE results SET path = ? WHERE submission = ? AND address = ?",
        (encoded(submission.path), submission.id, address),
    )


def _write_anew(
    connection: sqlite3.Connection,
    submission: str,
    address: str,
    student: str,
    moment: datetime | None,
) -> None:
    query = f"SELECT document, annex, sum {ROW}"
    for document, annex, stored in connection.execute(query, (submission, address)).fetchall():
        if sum_of(document, annex) != stored:
            continue  # damaged: reading it will raise
        result = result_from_text(whole(document, annex), address)
        updated = replace(result.submission, student=student, submitted_at=moment)
        document = result_text(replace(result, submission=updated))
        connection.execute(
            "UPDATE results SET document = ?, annex = '', sum = ? "
            "WHERE submission = ? AND address = ?",
            (document, sum_of(document, ""), submission, address),
        )


def whole(document: str, annex: str) -> str:
    """Return a Result's JSON, completed from the separate column of earlier versions' stores."""
    if not annex:
        return document
    result, extra = json.loads(document), json.loads(annex)
    result["submission"]["submitted_at"] = extra["submitted_at"]
    result["assignment"]["title"] = extra["title"]
    for criterion, (kind, checks) in zip(result["criteria"], extra["criteria"], strict=True):
        criterion["kind"] = kind
        for check, (weight, depends_on) in zip(criterion["checks"], checks, strict=True):
            check |= {"weight": weight, "depends_on": depends_on}
    return json.dumps(result)


def sum_of(document: str, annex: str) -> str:
    """Return the checksum of a stored Result."""
    return hashlib.sha256(f"{document}\0{annex}".encode()).hexdigest()


def encoded(path: Path) -> bytes:
    """Return a path as it is stored: in bytes, because it need not be text."""
    return os.fsencode(path.absolute())


def decoded(path: bytes) -> Path:
    """Return the path that was stored."""
    return Path(os.fsdecode(path))
