"""Under which user a child runs, and what that user can reach (Linux only)."""

import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from graders.boundary.policy import STUDENT_IDS

SELF = Path("/proc/self")
NEEDED = (0, 6, 7)  # CAP_CHOWN, CAP_SETGID, CAP_SETUID
SPREAD = 2**24


def student_user() -> int | None:
    """A user id that owns nothing, another one every time; None where we may not change users.

    The kernel holds root to no limit of processes, and root owns most files: so where Softmark
    runs as root, the child becomes somebody else.
    """
    if os.geteuid() != 0 or not _has_capabilities():
        return None
    start, count = _largest_range()
    if start + count > STUDENT_IDS + SPREAD:
        return STUDENT_IDS + secrets.randbelow(SPREAD)
    return start + count - 1 - secrets.randbelow(max(1, count // 8))


def processes_of_this_user() -> int:
    """Threads that count already against this user's limit of processes."""
    mine, total = os.getuid(), 0
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and entry.stat().st_uid == mine:
                total += len(os.listdir(entry / "task"))
        except OSError:
            continue
    return total


def open_to_all(paths: Iterable[Path]) -> bool:
    """Whether any user can walk to all of these paths."""
    return all(folder.stat().st_mode & 0o001 for path in paths for folder in path.resolve().parents)


def _has_capabilities() -> bool:
    lines = (SELF / "status").read_text().splitlines()
    held = next(int(line.split()[1], 16) for line in lines if line.startswith("CapEff:"))
    return all(held >> number & 1 for number in NEEDED)


def _largest_range() -> tuple[int, int]:
    """First id and length of the largest range of user ids that exist here."""
    lines = (SELF / "uid_map").read_text().splitlines()
    ranges = [(int(first), int(count)) for first, _, count in map(str.split, lines)]
    return max(ranges, key=lambda each: each[1])
