"""A folder of git clones: each handed in when its last commit was made.

Nothing in a clone is obeyed: no program `git` is started, no configuration, hook or attribute is
read. Only HEAD, its branch and that commit are, by dulwich, and only where `.git` holds ordinary
files and folders alone. Whose a clone is its folder's name says; who wrote a commit, and when, is
what the student's machine said.
"""

import os
from contextlib import closing
from datetime import datetime
from pathlib import Path

from submissions.identity import calendar_time
from submissions.imports.upload import Found, Upload

GIT = ".git"
MOST_ENTRIES = 200_000
MOST_BYTES = 1 << 20  # of a commit that is not in a pack


def is_clone(folder: Path) -> bool:
    """Whether it is a folder with a repository in it."""
    git = folder / GIT
    return not folder.is_symlink() and git.is_dir() and not git.is_symlink()


def read_clones(folder: Path) -> Found:
    """An upload for every child of the folder; one that is no clone has the time of its file."""
    uploads, notes = [], []
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        moment = head_time(path) if is_clone(path) else None
        if moment is None:
            notes.append(f"{path.name}: no commit that can be read; its time is not known")
        uploads.append(Upload(path.name, path, (), moment))
    return Found(tuple(uploads), tuple(notes))


def head_time(clone: Path) -> datetime | None:
    """When the commit that HEAD names was made; None where that cannot be read."""
    git = clone / GIT
    try:
        seconds = _seconds(git) if _is_plain(git) else None
    except Exception:  # noqa: BLE001  whatever hostile bytes make of a parser: no time
        return None
    return None if seconds is None else calendar_time(seconds)


def _seconds(git: Path) -> int | None:
    # Imported here: no other command has to wait for it.
    from dulwich.object_store import DiskObjectStore
    from dulwich.objects import Commit
    from dulwich.refs import HEADREF, DiskRefsContainer

    store = DiskObjectStore(git / "objects", loose_object_size_limit=MOST_BYTES)
    with closing(store):
        commit = store[DiskRefsContainer(git)[HEADREF]]
        return commit.commit_time if isinstance(commit, Commit) else None


def _is_plain(git: Path) -> bool:
    """Whether all in it is an ordinary file or folder, and none of it points elsewhere."""
    if (git / "objects" / "info" / "alternates").exists():
        return False
    pending, seen = [git], 0
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                seen += 1
                folder = entry.is_dir(follow_symlinks=False)
                if seen > MOST_ENTRIES or not (folder or entry.is_file(follow_symlinks=False)):
                    return False
                pending += [Path(entry.path)] if folder else []
    return True
