"""Unpack an archive that may be hostile: all of it, or nothing.

```text
archive ─ by its first bytes ─ unpack_zip ─┐                    ┌ names: safe, used once
                               unpack_tar ─┴ entry by entry ── ┤
                                                                └ unpacking: counted, written
```
"""

import shutil
import tarfile
from pathlib import Path
from typing import BinaryIO

from submissions.archives.unpack_tar import unpack_tar
from submissions.archives.unpack_zip import unpack_zip
from submissions.archives.unpacking import Unpacking
from submissions.escaping import shown
from submissions.limits import MIB, UNPACK_LIMITS, UnpackLimits
from submissions.submission import Rejected

SUFFIXES = (".zip", ".tar.gz", ".tgz", ".tar")
WANTED = "a folder, a .zip or a .tar.gz"


def unpack(archive: Path, into: Path, limits: UnpackLimits = UNPACK_LIMITS) -> None:
    """Write the archive's files to `into`, which is absent or empty.

    Raises Rejected, with one sentence for the student, if anything in the archive is unsafe,
    damaged or too large; `into` is empty then. Links are never created, and files get mode 0644.
    """
    into.mkdir(parents=True, exist_ok=True)
    if any(into.iterdir()):
        raise FileExistsError(f"{into} is not empty")
    try:
        _unpack(archive, into, limits)
    except BaseException:
        _empty(into)
        raise


def _unpack(archive: Path, into: Path, limits: UnpackLimits) -> None:
    if archive.is_symlink() or not archive.is_file():
        raise Rejected(f"{shown(archive.name)} is not a file; upload {WANTED}.")
    size = archive.stat().st_size
    if size > limits.upload_bytes:
        raise Rejected(
            f"{shown(archive.name)} is larger than {limits.upload_bytes // MIB} MiB; "
            "upload your assignment folder without environments and data."
        )
    unpacking = Unpacking(archive, into, limits)
    with archive.open("rb") as source:
        _unpack_kind(source, archive, unpacking)
    unpacking.finish()


def _unpack_kind(source: BinaryIO, archive: Path, unpacking: Unpacking) -> None:
    """Unpack by content, then by name: a .zip that is really a tar file is read as tar."""
    start = source.read(tarfile.BLOCKSIZE)
    source.seek(0)
    name = archive.name.casefold()
    if start.startswith(b"PK"):
        unpack_zip(source, unpacking)
    elif start.startswith(b"\x1f\x8b"):
        unpack_tar(source, unpacking, zipped=True)
    elif start[257:262] == b"ustar" or name.endswith(".tar"):
        unpack_tar(source, unpacking, zipped=False)
    elif name.endswith(".zip"):
        unpack_zip(source, unpacking)
    else:
        raise Rejected(f"{shown(archive.name)} is neither zip nor tar.gz inside; upload {WANTED}.")


def _empty(folder: Path) -> None:
    for child in folder.iterdir():
        if child.is_dir():
            shutil.rmtree(child)
        else:
            child.unlink()
