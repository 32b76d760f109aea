"""Compute an upload's identity: an ID that is safe in file names, and a hash of its contents."""

import hashlib
import os
import stat
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from submissions.archives.archive import SUFFIXES
from submissions.limits import MIB, UNPACK_LIMITS
from submissions.listing import walk
from submissions.submission import Submission

KEPT = frozenset(" -_.,()@+=~")
ID_BYTES = 120  # leaves room for suffixes; file systems allow 255
HASHED_BYTES = 512 * MIB
A_DAY = timedelta(days=1)  # more than any time zone differs from UTC


def identify(path: Path, assignment: str) -> Submission:
    """Return the submission at `path`; fails only if nothing is there, whatever it contains."""
    return _submission(path, assignment, safe_id(_stem(path)))


def identify_all(paths: Sequence[Path], assignment: str) -> list[Submission]:
    """Return each upload with a unique ID; IDs that differ only by case count as equal.

    If two names collide, archives use their full name: `alice` and `alice.zip`. Uploads with the
    same name from different folders get the start of their hash as a suffix.
    """
    stems = Counter(safe_id(_stem(path)).casefold() for path in paths)
    ids: dict[Path, str] = {}
    used: set[str] = set()
    for path in sorted(set(paths), key=lambda path: (not path.is_dir(), os.fsencode(path))):
        ids[path] = next(name for name in _names(path, stems) if name.casefold() not in used)
        used.add(ids[path].casefold())
    return [_submission(path, assignment, ids[path]) for path in paths]


def safe_id(name: str) -> str:
    """Return the name, shortened, with unsafe characters percent-encoded.

    Letters of all scripts are kept. A leading dot or dash, a trailing blank or dot, and characters
    that are special to a shell, a file system, a page or a terminal are encoded.
    """
    plain = unicodedata.normalize("NFC", name)
    last = len(plain) - 1
    safe = "".join(
        c if _is_safe(c, first=i == 0, last=i == last) else _encoded(c) for i, c in enumerate(plain)
    )
    if len(safe.encode()) <= ID_BYTES:
        return safe or "_"
    short = safe.encode()[: ID_BYTES - 9].decode(errors="ignore")
    return f"{short}-{hashlib.sha256(os.fsencode(name)).hexdigest()[:8]}"


def calendar_time(seconds: float) -> datetime | None:
    """Return the time that is `seconds` after 1970, or None if some time zone has no date for it.

    Any time can be claimed, and it is shown in the time zone of the due date.
    """
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
        return moment if moment - A_DAY < moment < moment + A_DAY else None
    except (OverflowError, ValueError, OSError):
        return None


def time_of(path: Path) -> datetime | None:
    """Return when an upload was last changed: for a folder, the time of its newest file.

    A folder's own time also changes when somebody runs its code or adds `__pycache__`.
    """
    is_folder = path.is_dir() and not path.is_symlink()
    files = [path / entry.path for entry in walk(path) if not entry.skipped] if is_folder else []
    times = [file.lstat().st_mtime for file in files if file.is_file()]
    return calendar_time(max(times, default=path.lstat().st_mtime))


def _is_safe(character: str, *, first: bool, last: bool) -> bool:
    if character in KEPT:
        return not (first and character in ".- ~") and not (last and character in ". ")
    return character.isalnum() or unicodedata.category(character).startswith("M")


def _encoded(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode(errors="surrogateescape"))


def _full_name(path: Path) -> str:
    return os.path.basename(os.path.abspath(path))  # resolve() would follow a link


def _stem(path: Path) -> str:
    name = _full_name(path)
    if path.is_dir():
        return name
    suffix = next((end for end in SUFFIXES if name.casefold().endswith(end)), "")
    return name[: len(name) - len(suffix)] or name


def _names(path: Path, stems: Counter[str]) -> Iterator[str]:
    """Yield IDs for this upload, the preferred one first, without end."""
    stem = safe_id(_stem(path))
    if stems[stem.casefold()] == 1:
        yield stem
    full = safe_id(_full_name(path))
    yield full
    numbered = f"{full}-{_sum(path)[:8]}"
    yield numbered
    yield from (f"{numbered}-{n}" for n in count(2))


def _submission(path: Path, assignment: str, name: str) -> Submission:
    return Submission(name, name, assignment, path, _sum(path), time_of(path))


def _sum(path: Path) -> str:
    total = hashlib.sha256()
    mode = path.lstat().st_mode
    if stat.S_ISREG(mode):
        _add_file(total, path, UNPACK_LIMITS.upload_bytes)
    elif stat.S_ISDIR(mode):
        left = HASHED_BYTES
        for entry in walk(path):
            name = os.fsencode(str(entry.path))
            total.update(f"{len(name)} {entry.size} ".encode() + name)
            if not entry.skipped:
                added = _add_file(total, path / entry.path, left)
                left -= added
                if added < entry.size:  # not read completely: its time represents the rest
                    total.update(f"{(path / entry.path).lstat().st_mtime_ns}".encode())
    return total.hexdigest()


def _add_file(total: "hashlib._Hash", path: Path, most: int) -> int:
    """Add at most `most` bytes of the file to the hash; return how many were added."""
    added = 0
    try:
        with path.open("rb") as file:
            while added < most and (piece := file.read(min(MIB, most - added))):
                total.update(piece)
                added += len(piece)
    except OSError:  # unreadable; opening the submission reports it
        return added
    return added
