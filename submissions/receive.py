"""Turn an upload into a clean folder.

```text
batch folder ─ collect ─ identify_all ─ Submission
                                            │ open_submission
             archive ─ unpack ─┐            v
              folder ──────────┴ list_files ─ find ─ copy_needed ─ CleanFolder
```
"""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from submissions.archives.archive import SUFFIXES, WANTED, unpack
from submissions.escaping import shown
from submissions.finding import find
from submissions.folder import copy_needed
from submissions.identity import identify, identify_all
from submissions.leftout import is_left_out
from submissions.listing import list_files
from submissions.submission import CleanFolder, Rejected, Submission

__all__ = ["collect", "identify", "identify_all", "open_submission", "opened"]


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
    with opened(submission.path, work) as folder:
        listing = list_files(folder)
        found = find(listing.files, code=code, artifacts=artifacts, whole=whole)
        return copy_needed(folder, listing, found, work / "clean")


@contextmanager
def opened(path: Path, work: Path) -> Iterator[Path]:
    """The upload itself, or what its archive contains, unpacked below `work` while the block lasts.

    Raises Rejected, with one sentence for the student, when it is unsafe or no upload at all.
    """
    if path.is_symlink() or not (path.is_dir() or path.is_file()):
        raise Rejected(f"{shown(path.name)} is a link or not a regular file; upload {WANTED}.")
    if path.is_dir():
        yield path
        return
    if not path.name.casefold().endswith(SUFFIXES):
        raise Rejected(f"{shown(path.name)} is not a supported archive; upload {WANTED}.")
    unpacked = work / "unpacked"
    try:
        unpack(path, unpacked)
        yield unpacked
    finally:
        shutil.rmtree(unpacked, ignore_errors=True)
