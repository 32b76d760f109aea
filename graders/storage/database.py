"""Open and check the SQLite file of a store, and report its errors in plain words.

generations   number, assignment, version, checks, made_at, published
members       generation, submission -> address        the submissions and Results of a generation
results       submission, address -> the Result        its JSON, and the keys it was made from;
                                                       `annex` is what earlier JSON left out
inputs        one row: the seed of all inputs          0 for public inputs, otherwise a secret
releases      every release and its withdrawal, with `released_by`; the last row counts
grades_csv    the checksum of every `grades.csv` that was written, to detect edits by hand
repeats       how often a regrade changed a verdict: see graders/storage/repeats.py
decisions     decisions about answers, and `written`: see graders/storage/decisions.py
adjustments   points that people changed: see graders/storage/adjustments.py
forgotten     when and by whom a student was removed: see graders/storage/forgotten.py
requests      regrade requests, `replies` and `comments`: see graders/storage/requests.py
course_key    one row: the secret behind pseudonyms and the codes for regrade requests
"""

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from graders.errors import StorageError

SCHEMA_VERSION = 1
BUSY_SECONDS = 20.0
SCHEMA = f"""
BEGIN;
CREATE TABLE generations (
  number INTEGER PRIMARY KEY, assignment TEXT NOT NULL, version INTEGER NOT NULL,
  checks TEXT NOT NULL, made_at TEXT NOT NULL, published INTEGER);
CREATE TABLE members (
  generation INTEGER NOT NULL, submission TEXT NOT NULL, address TEXT NOT NULL,
  listed INTEGER NOT NULL, PRIMARY KEY (generation, submission)) WITHOUT ROWID;
CREATE TABLE results (
  submission TEXT NOT NULL, address TEXT NOT NULL, status TEXT NOT NULL, sha256 TEXT NOT NULL,
  asked TEXT NOT NULL, keys TEXT NOT NULL, document TEXT NOT NULL, annex TEXT NOT NULL,
  sum TEXT NOT NULL, path BLOB NOT NULL, PRIMARY KEY (submission, address));
PRAGMA user_version = {SCHEMA_VERSION};
COMMIT;
"""
# Tables that record what people did: no row may be changed, and only `forget` may remove rows.
TRAILS = {
    "decisions": "a decision",
    "adjustments": "an adjustment",
    "requests": "a request",
    "replies": "a reply",
    "comments": "a comment",
}
REMAIN = {
    table: f"CREATE TRIGGER IF NOT EXISTS {table}_remain BEFORE DELETE ON {table} "
    f"BEGIN SELECT RAISE(ABORT, '{what} is never removed'); END;"
    for table, what in TRAILS.items()
}
STAY = {
    table: f"CREATE TRIGGER IF NOT EXISTS {table}_stay BEFORE UPDATE ON {table} "
    f"BEGIN SELECT RAISE(ABORT, '{what} is never changed'); END;"
    for table, what in TRAILS.items()
}
ADDED = f"""
CREATE TABLE IF NOT EXISTS inputs (
  only INTEGER PRIMARY KEY CHECK (only = 1), draw TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS releases (
  number INTEGER PRIMARY KEY, released INTEGER NOT NULL, decided_at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS released_by (
  release INTEGER PRIMARY KEY, reviewer TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS grades_csv (sum TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS repeats (
  generation INTEGER NOT NULL, criterion TEXT NOT NULL, check_id TEXT NOT NULL,
  repeated INTEGER NOT NULL, changed INTEGER NOT NULL,
  PRIMARY KEY (generation, criterion, check_id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS decisions (
  number INTEGER PRIMARY KEY, submission TEXT NOT NULL, check_id TEXT NOT NULL,
  answer TEXT NOT NULL, reviewer TEXT NOT NULL, points REAL NOT NULL, items TEXT NOT NULL,
  adjustment REAL NOT NULL, comment TEXT NOT NULL, action TEXT NOT NULL, seen INTEGER NOT NULL,
  undoes INTEGER NOT NULL, decided_at TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS decisions_of ON decisions (submission, check_id, answer);
CREATE TABLE IF NOT EXISTS written (
  only INTEGER PRIMARY KEY CHECK (only = 1), number INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS adjustments (
  number INTEGER PRIMARY KEY, submission TEXT NOT NULL, criterion TEXT NOT NULL,
  upload TEXT NOT NULL, reviewer TEXT NOT NULL, action TEXT NOT NULL, points REAL, machine REAL,
  comment TEXT NOT NULL, seen INTEGER NOT NULL, made_at TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS adjustments_of ON adjustments (submission);
CREATE TABLE IF NOT EXISTS forgotten (
  number INTEGER PRIMARY KEY, reviewer TEXT NOT NULL, results INTEGER NOT NULL,
  decisions INTEGER NOT NULL, adjustments INTEGER NOT NULL, requests INTEGER NOT NULL,
  made_at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS requests (
  number INTEGER PRIMARY KEY, submission TEXT NOT NULL, criterion TEXT NOT NULL,
  reason TEXT NOT NULL, attached TEXT NOT NULL, content BLOB NOT NULL, made_at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS replies (
  number INTEGER PRIMARY KEY, request INTEGER NOT NULL, submission TEXT NOT NULL,
  reviewer TEXT NOT NULL, answer TEXT NOT NULL, comment TEXT NOT NULL, made_at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS comments (
  number INTEGER PRIMARY KEY, submission TEXT NOT NULL, reviewer TEXT NOT NULL,
  comment TEXT NOT NULL, mistake TEXT NOT NULL, withdraws INTEGER NOT NULL, made_at TEXT NOT NULL);
{" ".join((*STAY.values(), *REMAIN.values()))}
CREATE TABLE IF NOT EXISTS course_key (
  only INTEGER PRIMARY KEY CHECK (only = 1), key TEXT NOT NULL);
"""  # tables that stores of earlier versions may lack
# What no Softmark wrote: SQLite itself checks neither the form of a text nor the type of a column.
ODD = {
    "generations": "datetime(made_at) IS NULL",
    "results": "json_type(keys) != 'object' OR json_type(asked) != 'object'",
    "inputs": "draw = '' OR draw GLOB '*[^0-9a-f]*'",
    "decisions": "json_type(items) != 'array'",
    "adjustments": "action NOT IN ('points', 'waive', 'excuse', 'undo') "
    "OR datetime(made_at) IS NULL",
    "replies": "answer NOT IN ('granted', 'rejected', 'answered')",
    "course_key": "length(key) % 2 OR key GLOB '*[^0-9a-f]*'",
}
OWNERS_ALONE = 0o600
DAMAGED = "move it away and grade again; the files in `results/` are not affected"
REMEDIES = {
    "SQLITE_BUSY": ("is in use by another program", "close that program and try again"),
    "SQLITE_LOCKED": ("is in use by another program", "close that program and try again"),
    "SQLITE_NOTADB": ("is damaged or is not a Softmark store", DAMAGED),
    "SQLITE_CORRUPT": ("is damaged", DAMAGED),
    "SQLITE_FULL": ("cannot grow: the disk is full", "make room and run the same command again"),
    "SQLITE_IOERR": ("cannot be written", "make room on the disk and run the same command again"),
    "SQLITE_READONLY": (
        "may not be written",
        "choose another results folder, or change who may write it",
    ),
    "SQLITE_CANTOPEN": (
        "cannot be opened",
        "choose another results folder, or change who may write it",
    ),
}


@contextmanager
def open_database(file: Path) -> Iterator[sqlite3.Connection]:
    """Yield a checked connection to the file, which is created if there is none.

    Transactions start explicitly, are written to the write-ahead log, and are on disk when they
    end. Raises StorageError if the file is damaged, busy, from a newer Softmark, or cannot grow.
    """
    with in_words(file):
        is_new = not file.exists()
        if is_new:
            _make_private(file)
        connection = sqlite3.connect(file, timeout=BUSY_SECONDS, isolation_level=None)
        with closing(connection):
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
                _check(file, connection, is_new=is_new)
            except UnicodeDecodeError as error:  # in the schema, or in a message about it
                raise StorageError(f"{file} is damaged", DAMAGED) from error
            yield connection


@contextmanager
def transaction(file: Path, connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Yield the connection; store everything that the block writes, or nothing if it raises."""
    with in_words(file):
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


def now() -> str:
    """Return the current time as it is stored: UTC, in seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def refuse_none(file: Path) -> None:
    """Raise StorageError if there is no store in this place."""
    if not file.is_file():
        raise StorageError(
            f"{file.parent} has no grading results", "pass the --out of an earlier `run` or `batch`"
        )


def keep_private(file: Path) -> None:
    """Let only the owner read the store, its write-ahead log and its index."""
    for path in (file, file.with_name(f"{file.name}-wal"), file.with_name(f"{file.name}-shm")):
        with contextlib.suppress(FileNotFoundError):
            path.chmod(OWNERS_ALONE)


def _make_private(file: Path) -> None:
    """Create an empty file for SQLite, so that it is private before it has any content."""
    with contextlib.suppress(OSError):  # SQLite's own error says more
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, OWNERS_ALONE))


@contextmanager
def in_words(file: Path) -> Iterator[None]:
    """Turn SQLite's errors into a StorageError that says what is wrong and what to do."""
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "")
        remedies = [REMEDIES[prefix] for prefix in REMEDIES if name.startswith(prefix)]
        what, remedy = remedies[0] if remedies else (f"cannot be used: {error}", DAMAGED)
        raise StorageError(f"{file} {what}", remedy) from error


def _check(file: Path, connection: sqlite3.Connection, *, is_new: bool) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > SCHEMA_VERSION:
        raise StorageError(
            f"{file} was written by a newer Softmark (schema {version}, known {SCHEMA_VERSION})",
            "update Softmark, or choose another --out",
        )
    if version == 0:
        # A first grading that was killed leaves an empty store, too, but no files of Results.
        if not is_new and any((file.parent / "results").glob("*.json")):
            raise StorageError(f"{file} is damaged: it is empty", DAMAGED)
        connection.executescript(SCHEMA)
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise StorageError(f"{file} is damaged: {verdict}", DAMAGED)
    connection.executescript(ADDED)
    _refuse_odd_values(file, connection)


def _refuse_odd_values(file: Path, connection: sqlite3.Connection) -> None:
    """Raise StorageError if a value was edited or damaged so that nothing can read it."""
    ours = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
    for (table,) in connection.execute(ours).fetchall():
        columns = connection.execute("SELECT name, type FROM pragma_table_info(?)", (table,))
        odd = [f"typeof({name}) NOT IN ('null', lower('{kind}'))" for name, kind in columns]
        odd += [ODD[table]] if table in ODD else []
        query = f"SELECT 1 FROM {table} WHERE {' OR '.join(odd)} LIMIT 1"  # noqa: S608  our names
        if connection.execute(query).fetchone():
            raise StorageError(f"{file} is damaged: invalid value in its table `{table}`", DAMAGED)
