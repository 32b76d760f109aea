"""Keep one run's temporary files in one folder; the next run removes what a killed run left.

<temporary folder>/softmark-run-*/   traversable by all: a student's process has its own user
└── lock                             held while its run lives, on whichever machine
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
    """Return the folder for this process's temporary files; it is removed when the process ends.

    Raises GraderFault if no folder for temporary files can be written.
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
    """Remove the folders of runs that have ended: nothing holds their locks."""
    for folder in around.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            if _is_ours(folder) and _is_over(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _hold(folder: Path) -> None:
    """Lock a file, and only then give it the name that other runs look for."""
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
    """Return whether the lock exists and is free; raises OSError if it isn't."""
    if sys.platform == "win32":
        return False
    with (folder / LOCK).open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return True
