"""Choose the user that a child runs as, and find out what it can reach (Linux only)."""

import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from graders.boundary.policy import STUDENT_IDS

SELF = Path("/proc/self")
NEEDED = (0, 6, 7)  # CAP_CHOWN, CAP_SETGID, CAP_SETUID
SPREAD = 2**24


def student_user() -> int | None:
    """Return a user ID that owns nothing, a different one each time; None if we are not root.

    The kernel does not limit root's processes, and root owns most files. If Softmark runs as root,
    the child therefore becomes another user.
    """
    if os.geteuid() != 0 or not _has_capabilities():
        return None
    start, count = _largest_range()
    if start + count > STUDENT_IDS + SPREAD:
        return STUDENT_IDS + secrets.randbelow(SPREAD)
    return start + count - 1 - secrets.randbelow(max(1, count // 8))


def processes_of_this_user() -> int:
    """Count the threads that already count against this user's limit on processes."""
    mine, total = os.getuid(), 0
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and entry.stat().st_uid == mine:
                total += len(os.listdir(entry / "task"))
        except OSError:
            continue
    return total


def open_to_all(paths: Iterable[Path]) -> bool:
    """Return whether any user can reach all of these paths."""
    return all(folder.stat().st_mode & 0o001 for path in paths for folder in path.resolve().parents)


def _has_capabilities() -> bool:
    lines = (SELF / "status").read_text().splitlines()
    held = next(int(line.split()[1], 16) for line in lines if line.startswith("CapEff:"))
    return all(held >> number & 1 for number in NEEDED)


def _largest_range() -> tuple[int, int]:
    """Return the first ID and the length of the largest range of user IDs that exist here."""
    lines = (SELF / "uid_map").read_text().splitlines()
    ranges = [(int(first), int(count)) for first, _, count in map(str.split, lines)]
    return max(ranges, key=lambda entry: entry[1])
