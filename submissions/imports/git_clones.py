"""A folder of git clones: each handed in when its last commit was made.

Nothing in a clone is obeyed: no program `git` is started, no configuration, hook or attribute is
read. Only HEAD, its branch and that commit are, by dulwich in a process of its own (git_time), and
only where `.git` holds ordinary files and folders alone. Whose a clone is its folder's name says;
who wrote a commit, and when, is what the student's machine said.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from submissions.identity import calendar_time
from submissions.imports import git_time
from submissions.imports.upload import Found, Upload
from submissions.receive import collect

GIT = ".git"


def is_clone(folder: Path) -> bool:
    """Whether it is a folder with a repository in it."""
    git = folder / GIT
    return not folder.is_symlink() and git.is_dir() and not git.is_symlink()


def read_clones(folder: Path) -> Found:
    """An upload for every child of the folder; the time of one that is no clone is not known."""
    paths = collect(folder)
    clones = [path for path in paths if is_clone(path)]
    times = dict(zip(clones, head_times(clones), strict=True))
    notes = [
        f"{path.name}: no commit that can be read; its time is not known"
        for path in paths
        if times.get(path) is None
    ]
    return Found(tuple(Upload(p.name, p, (), times.get(p)) for p in paths), tuple(notes))


def head_times(clones: Sequence[Path]) -> list[datetime | None]:
    """When the commits that the HEADs name were made; None where that cannot be read."""
    times: list[datetime | None] = []
    while len(times) < len(clones):
        answers = _answers(clones[len(times) :])
        # Where the program ended early, it was over the next one.
        times += answers if len(times) + len(answers) == len(clones) else [*answers, None]
    return times


def _answers(clones: Sequence[Path]) -> list[datetime | None]:
    """What the program says, line by line, until it ends."""
    done = subprocess.run(  # noqa: S603  our own program; the names go to its stdin
        [sys.executable, "-I", git_time.__file__],
        input=b"\0".join(os.fsencode(path) for path in clones),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    lines = done.stdout.decode("ascii").splitlines()
    return [calendar_time(int(line)) if line else None for line in lines]
