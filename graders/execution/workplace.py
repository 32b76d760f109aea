"""A folder for all that one run unpacks; what a killed run left is removed by the next.

<temporary folder>/softmark-run-*/   open to pass through: a student's process has its own user
└── lock                             held as long as its run lives, on whichever machine
"""

import atexit
import contextlib
import os
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import BinaryIO

from graders.errors import GraderFault

PREFIX = "softmark-run-"
LOCK = "lock"


if sys.platform != "win32":
    import fcntl

_HELD: list[BinaryIO] = []  # a lock lasts as long as its file is open


@cache
def settle() -> Path:
    """The folder in which this process makes its temporary files; it ends with the process.

    Raises GraderFault where no folder for temporary files can be written.
    """
    try:
        sweep(Path(tempfile.gettempdir()))
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        folder.chmod(0o711)
        _hold(folder)
    except OSError as error:
        raise GraderFault(f"no folder for temporary files can be written: {error}") from error
    tempfile.tempdir = str(folder)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def sweep(around: Path) -> None:
    """Remove the folders of runs that are over: nobody holds their locks."""
    for folder in around.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            if _is_ours(folder) and _is_over(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _hold(folder: Path) -> None:
    """Lock a file, and only then give it the name that others look for."""
    if sys.platform == "win32":
        return
    file = (folder / f".{LOCK}").open("wb")
    fcntl.flock(file, fcntl.LOCK_EX)
    _HELD.append(file)
    (folder / f".{LOCK}").rename(folder / LOCK)


def _is_ours(folder: Path) -> bool:
    if sys.platform == "win32":
        return False
    return not folder.is_symlink() and folder.stat().st_uid == os.geteuid()


def _is_over(folder: Path) -> bool:
    """Whether the lock is there and free; raises OSError where it is not."""
    if sys.platform == "win32":
        return False
    with (folder / LOCK).open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return True
