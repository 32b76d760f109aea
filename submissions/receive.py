"""Turn an upload into a clean folder.

```text
batch folder ─ collect ─ identify_all ─ Submission
                                            │ open_submission
             archive ─ unpack ─┐            v
              folder ──────────┴ list_files ─ find ─ copy_needed ─ CleanFolder
```

If an upload contains no code outside of archives, these are unpacked as well, in their places.
"""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from submissions.archives.archive import SUFFIXES, WANTED, unpack
from submissions.escaping import shown
from submissions.finding import find
from submissions.folder import CODE, copy_file, copy_needed
from submissions.identity import identify, identify_all
from submissions.leftout import is_left_out
from submissions.limits import MIB, UNPACK_LIMITS
from submissions.listing import Entry, list_files, walk
from submissions.submission import CleanFolder, Rejected, Submission

MOST_INNER = 4  # archives in an upload that are unpacked, together within the limits of one
INNER_LIMITS = replace(UNPACK_LIMITS, total_bytes=UNPACK_LIMITS.total_bytes // MOST_INNER)

__all__ = ["collect", "identify", "identify_all", "open_submission", "open_upload", "unread"]


def collect(folder: Path) -> list[Path]:
    """Return the uploads in a batch folder, sorted by name, without the files that systems create.

    Children that are not uploads (a text file, a link) are included, so that the error appears in
    the course's table instead of going unnoticed.
    """
    return sorted(path for path in folder.iterdir() if not _is_of_the_system(path))


def unread(folder: Path) -> list[Path]:
    """Return hidden files that are not archives: system files, but possibly somebody's work."""
    hidden = (path for path in folder.iterdir() if _is_of_the_system(path))
    return sorted(
        path for path in hidden if path.is_file() and not is_left_out([path.name], folder=False)
    )


def _is_of_the_system(path: Path) -> bool:
    """Return whether a file belongs to a system, such as `.DS_Store` or `.git`.

    A hidden folder or archive such as `.alice/` or `.alice.zip` is somebody's work.
    """
    if path.name == "__MACOSX":
        return True
    upload = path.is_dir() or path.name.casefold().endswith(SUFFIXES)
    left_out = is_left_out([path.name], folder=path.is_dir())
    return path.name.startswith(".") and (left_out or not upload)


def open_submission(
    submission: Submission,
    work: Path,
    *,
    code: Sequence[str],
    artifacts: Sequence[str],
    whole: bool = False,
) -> CleanFolder:
    """Copy what grading needs into `work`; the upload itself is only read.

    `code` are the file names of the wanted modules, `artifacts` those of the other files; `whole`
    requests all code of the upload. Raises Rejected, with one sentence for the student, if the
    upload is unsafe or is not an upload.
    """
    with open_upload(submission.path, work) as folder:
        listing = list_files(folder)
        contents = find(listing.files, code=code, artifacts=artifacts, whole=whole)
        return copy_needed(folder, listing, contents, work / "clean")


@contextmanager
def open_upload(path: Path, work: Path) -> Iterator[Path]:
    """Yield the upload's folder; an archive is unpacked below `work` until the block ends.

    Raises Rejected, with one sentence for the student, if it is unsafe, too large or not an upload.
    """
    if path.is_symlink() or not (path.is_dir() or path.is_file()):
        raise Rejected(f"{shown(path.name)} is a link or not a regular file; upload {WANTED}.")
    if path.is_dir() and not _archives_of_code(path):
        yield path
        return
    if path.is_file() and not path.name.casefold().endswith(SUFFIXES):
        raise Rejected(f"{shown(path.name)} is not a supported archive; upload {WANTED}.")
    unpacked = work / "unpacked"
    try:
        if path.is_file():
            unpack(path, unpacked)
        else:
            entries = _entries(path)
            if sum(entry.size for entry in entries) > UNPACK_LIMITS.total_bytes:
                raise Rejected(
                    f"{shown(path.name)} contains archives, and more than "
                    f"{UNPACK_LIMITS.total_bytes // MIB} MiB in all; unpack the archives in it, or "
                    "leave out environments and data."
                )
            for entry in entries:
                copy_file(path / entry.path, unpacked / entry.path, entry.size)
        left = MOST_INNER
        while left and (archives := _archives_of_code(unpacked)[:left]):
            for entry in archives:
                _unpack_in_place(unpacked / entry.path, work / "inner")
            left -= len(archives)
        yield unpacked
    finally:
        shutil.rmtree(unpacked, ignore_errors=True)


def _entries(folder: Path) -> list[Entry]:
    return [entry for entry in walk(folder) if not entry.skipped]


def _archives_of_code(folder: Path) -> list[Entry]:
    """Return the archives in an upload that has no code outside of them."""
    files = _entries(folder)
    if any(file.path.suffix.casefold() in CODE for file in files):
        return []
    return [file for file in files if file.path.name.casefold().endswith(SUFFIXES)][:MOST_INNER]


def _unpack_in_place(archive: Path, work: Path) -> None:
    """Replace an archive by a folder of its name; one that cannot be unpacked safely remains."""
    try:
        unpack(archive, work, INNER_LIMITS)
    except Rejected:
        shutil.rmtree(work, ignore_errors=True)
        return
    archive.unlink()
    work.rename(archive)
