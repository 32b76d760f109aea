"""The processes that run on this machine, as /proc shows them; those that have ended are not."""

import contextlib
import time
from pathlib import Path


def wait_for(condition, seconds=120):
    """Whether the condition holds within this time, which is long for a busy machine."""
    deadline = time.monotonic() + seconds
    while not (holds := condition()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return holds


def living(pid="[0-9]*"):
    """The folder and the session of each process, or of this one."""
    for folder in Path("/proc").glob(str(pid)):
        with contextlib.suppress(OSError):
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if fields[0] != "Z":
                yield folder, int(fields[3])


def is_running(pid):
    return any(living(pid))


def session_ends(session):
    """Whether no process of this session is left, after a moment for those that are ending."""
    return wait_for(lambda: all(other != session for _, other in living()))


def texts_of(file):
    """The command line (`cmdline`) or the name (`comm`) of every process."""
    for folder, _ in living():
        with contextlib.suppress(OSError):
            yield (folder / file).read_text().rstrip("\0\n")
