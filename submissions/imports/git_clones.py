"""Read a folder of git clones; a clone counts as submitted when its last commit was made.

Nothing in a clone is executed: no `git` program is started, and no configuration, hook or
attribute is read. Only HEAD, its branch and that commit are read, by dulwich in a separate process
(git_time), and only if `.git` contains nothing but ordinary files and folders. The folder's name
says whose clone it is; the author and time of a commit are what the student's machine recorded.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from submissions.identity import calendar_time
from submissions.imports import git_time
from submissions.imports.upload import FoundUploads, Upload
from submissions.receive import collect

GIT = ".git"


def is_clone(folder: Path) -> bool:
    """Return whether the folder contains a git repository."""
    git = folder / GIT
    return not folder.is_symlink() and git.is_dir() and not git.is_symlink()


def read_clones(folder: Path) -> FoundUploads:
    """Return an upload for every child of the folder; one that is not a clone has no known time."""
    paths = collect(folder)
    clones = [path for path in paths if is_clone(path)]
    times = dict(zip(clones, head_times(clones), strict=True))
    notes = [
        f"{path.name}: no commit that can be read; its time is not known"
        for path in paths
        if times.get(path) is None
    ]
    return FoundUploads(tuple(Upload(p.name, p, (), times.get(p)) for p in paths), tuple(notes))


def head_times(clones: Sequence[Path]) -> list[datetime | None]:
    """Return the time of each clone's HEAD commit, or None if it cannot be read."""
    times: list[datetime | None] = []
    while len(times) < len(clones):
        answers = _answers(clones[len(times) :])
        # If the program ended early, the first clone without an answer is the one that ended it.
        times += answers if len(times) + len(answers) == len(clones) else [*answers, None]
    return times


def _answers(clones: Sequence[Path]) -> list[datetime | None]:
    """Return the program's answers, one per line, until it ends."""
    done = subprocess.run(  # noqa: S603  our own program; the names go to its stdin
        [sys.executable, "-I", git_time.__file__],
        input=b"\0".join(os.fsencode(path) for path in clones),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    lines = done.stdout.decode("ascii").splitlines()
    return [calendar_time(int(line)) if line else None for line in lines]
