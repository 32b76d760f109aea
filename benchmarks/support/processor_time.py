"""Measure the processor time of everything that a block starts.

A separate control group counts it if this user may create one, so that processes that nobody waits
for (bubblewrap's) are included; otherwise getrusage, which misses them.
"""

import os
import resource
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

GROUPS = Path("/sys/fs/cgroup/cpuacct")


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of some submissions."""

    cpu: float
    wall: float

    def row(self, name: str, count: int) -> str:
        """Return one row of the table."""
        return f"{name:14}{60 * count / self.wall:12.1f}{self.cpu / count:12.2f}"


@contextmanager
def counted() -> Iterator[list[Cost]]:
    """Yield a list that receives the cost of the processes started inside, once they have ended."""
    costs: list[Cost] = []
    with counter() as used:
        started, before = time.monotonic(), used()
        try:
            yield costs
        finally:
            costs.append(Cost(used() - before, time.monotonic() - started))


@contextmanager
def counter() -> Iterator[Callable[[], float]]:
    """Yield a function that returns the CPU seconds of the processes started inside, until now.

    Without a control group, only those of processes that have ended.
    """
    group = GROUPS / f"softmark-{os.getpid()}"
    home = _own_group() if os.access(GROUPS, os.W_OK) else None
    if home is None:
        yield _children
        return
    group.mkdir()
    (group / "cgroup.procs").write_text(str(os.getpid()))
    try:
        yield partial(_used, group)
    finally:
        (home / "cgroup.procs").write_text(str(os.getpid()))
        _remove(group)


def _own_group() -> Path:
    lines = Path("/proc/self/cgroup").read_text().splitlines()
    return GROUPS / next(line.split(":")[2] for line in lines if "cpuacct" in line).lstrip("/")


def _used(group: Path) -> float:
    return int((group / "cpuacct.usage").read_text()) / 1e9


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _remove(group: Path) -> None:
    """Remove the group once the kernel has released the last process."""
    for _ in range(100):
        try:
            group.rmdir()
            return
        except OSError:
            time.sleep(0.05)
