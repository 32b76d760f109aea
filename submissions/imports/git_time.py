"""Print when each clone's HEAD was committed, in a separate process with little memory and time.

    names, NUL between them ── stdin ──> git_time.py ──> one line each: seconds since 1970, or empty

A pack of 300 kB can contain a commit of 300 MB. What a clone does to the parser affects only this
process: the caller notices that it ended early, and continues with the next clone.
"""

import os
import signal
import sys
from contextlib import closing, suppress
from pathlib import Path

MOST_ENTRIES = 200_000
MOST_BYTES = 1 << 20  # for a commit that is not in a pack
MEMORY = 256 << 20
SECONDS = 20  # for one clone


def head_seconds(clone: Path) -> int | None:
    """Return when HEAD's commit was made, in seconds since 1970, or None if it cannot be read."""
    git = clone / ".git"
    try:
        return _seconds(git) if _is_plain(git) else None
    except Exception:  # noqa: BLE001  whatever hostile bytes make of a parser: no time
        return None


def _seconds(git: Path) -> int | None:
    # Imported here so that commands that read no clones don't wait for it.
    from dulwich.object_store import DiskObjectStore
    from dulwich.objects import Commit
    from dulwich.refs import HEADREF, DiskRefsContainer

    store = DiskObjectStore(git / "objects", loose_object_size_limit=MOST_BYTES)
    with closing(store):
        commit = store[DiskRefsContainer(git)[HEADREF]]
        return commit.commit_time if isinstance(commit, Commit) else None


def _is_plain(git: Path) -> bool:
    """Return whether the folder contains only ordinary files and folders and no alternates."""
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


def _limit() -> None:
    """Limit the memory of this process; memory-mapped packs do not count."""
    import resource  # which some systems lack; the caller imports this module there, too

    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    most = MEMORY if hard == resource.RLIM_INFINITY else min(MEMORY, hard)
    with suppress(OSError, ValueError):  # a system without this limit
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def main() -> None:
    """Answer for one clone after another, each within its time limit."""
    _limit()
    for name in filter(None, sys.stdin.buffer.read().split(b"\0")):
        signal.alarm(SECONDS)
        seconds = head_seconds(Path(os.fsdecode(name)))
        print("" if seconds is None else seconds, flush=True)


if __name__ == "__main__":
    main()
