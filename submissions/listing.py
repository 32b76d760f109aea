"""List an uploaded folder without following links and without changing anything."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath

from submissions.archives.names import too_many
from submissions.escaping import listed, shown
from submissions.leftout import is_left_out
from submissions.limits import UNPACK_LIMITS, UnpackLimits
from submissions.submission import Rejected

TOP = PurePosixPath()
TOO_MANY = "too many"


@dataclass(frozen=True, slots=True)
class Listing:
    """A folder's regular files with their sizes in bytes, and notes on what was skipped."""

    files: Mapping[PurePosixPath, int]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a folder; `skipped` is the reason why it cannot be used, if there is one."""

    path: PurePosixPath
    size: int = 0
    skipped: str = ""
    is_folder: bool = False


def list_files(folder: Path, limits: UnpackLimits = UNPACK_LIMITS) -> Listing:
    """Return the regular files in `folder`. Raises Rejected if there are too many or none."""
    files: dict[PurePosixPath, int] = {}
    skipped: dict[str, list[str]] = {}
    for entry in walk(folder, limits):
        if entry.skipped == TOO_MANY:
            raise too_many(folder.resolve().name, limits.max_entries)
        if entry.skipped:
            skipped.setdefault(entry.skipped, []).append(str(entry.path))
        else:
            files[entry.path] = entry.size
    if not files:
        raise Rejected(f"{shown(folder.resolve().name)} contains no files of yours; add your code.")
    notes = tuple(f"skipped {listed(names)} ({why})" for why, names in sorted(skipped.items()))
    return Listing(files, notes)


def walk(folder: Path, limits: UnpackLimits = UNPACK_LIMITS) -> Iterator[Entry]:
    """Yield every file in `folder` that is not left out, and what had to be skipped, in order.

    The last entry is skipped as TOO_MANY if there are more entries than the limits allow.
    """
    pending, seen = [TOP], 0
    while pending:
        place = pending.pop()
        try:
            children = _children(folder / place, limits.max_entries - seen + 1)
        except OSError:  # no permission, or deleted in the meantime
            yield Entry(place, skipped="cannot be read")
            continue
        seen += len(children)
        if seen > limits.max_entries:
            yield Entry(place, skipped=TOO_MANY)
            return
        entries = [_entry(place, child, limits) for child in children if _is_own(place, child)]
        pending += [entry.path for entry in reversed(entries) if entry.is_folder]
        yield from (entry for entry in entries if not entry.is_folder)


def _children(folder: Path, most: int) -> "list[os.DirEntry[str]]":
    with os.scandir(folder) as entries:
        return sorted(islice(entries, most), key=lambda child: os.fsencode(child.name))


def _is_own(place: PurePosixPath, child: "os.DirEntry[str]") -> bool:
    return not is_left_out((child.name,), folder=child.is_dir(follow_symlinks=False))


def _entry(place: PurePosixPath, child: "os.DirEntry[str]", limits: UnpackLimits) -> Entry:
    path = place / child.name
    if child.is_symlink():
        return Entry(path, skipped="a link; only files themselves are taken")
    if not _is_text(child.name):
        return Entry(path, skipped="the name is not UTF-8 text")
    if len(path.parts) > limits.depth:
        return Entry(path, skipped="too many folders deep")
    if len(str(path).encode()) > limits.folder_path_bytes:
        return Entry(path, skipped="the path is too long")
    if child.is_dir(follow_symlinks=False):
        return Entry(path, is_folder=True)
    if not child.is_file(follow_symlinks=False):
        return Entry(path, skipped="not a regular file")
    if not os.access(child.path, os.R_OK):
        return Entry(path, skipped="cannot be read")
    return Entry(path, size=child.stat(follow_symlinks=False).st_size)


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
