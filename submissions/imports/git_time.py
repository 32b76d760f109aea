"""When the HEAD of each clone was committed: a program of its own, with little memory and time.

    names, NUL between them ── stdin ──> git_time.py ──> a line each: seconds after 1970, or none

A pack of 300 kB can hold a commit of 300 MB. What a clone does to the parser it does in here alone:
whoever started the program sees that it ended early, and goes on behind that clone.
"""

import os
import signal
import sys
from contextlib import closing, suppress
from pathlib import Path

MOST_ENTRIES = 200_000
MOST_BYTES = 1 << 20  # of a commit that is not in a pack
MEMORY = 256 << 20
SECONDS = 20  # for one clone


def head_seconds(clone: Path) -> int | None:
    """When the commit that HEAD names was made; None where that cannot be read."""
    git = clone / ".git"
    try:
        return _seconds(git) if _is_plain(git) else None
    except Exception:  # noqa: BLE001  whatever hostile bytes make of a parser: no time
        return None


def _seconds(git: Path) -> int | None:
    # Imported here: who reads no clones does not have to wait for it.
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


def _limit() -> None:
    """Take no more memory than this; packs are mapped, and do not count."""
    import resource  # not everywhere; whoever starts this program imports it, too

    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    most = MEMORY if hard == resource.RLIM_INFINITY else min(MEMORY, hard)
    with suppress(OSError, ValueError):  # a system that knows no such limit
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def main() -> None:
    """Answer for one clone after the other, each within its time."""
    _limit()
    for name in filter(None, sys.stdin.buffer.read().split(b"\0")):
        signal.alarm(SECONDS)
        seconds = head_seconds(Path(os.fsdecode(name)))
        print("" if seconds is None else seconds, flush=True)


if __name__ == "__main__":
    main()
