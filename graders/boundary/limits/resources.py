"""Measure from outside what a child uses of the machine, without asking the child.

    while it runs    /proc of its whole tree, regularly and right before its end
    after its end    what the kernel reports to the process that waited for it

Either can miss something (a process that ended between two measurements; one that nobody waited
for), so the larger one counts. A control group (cgroup.py) misses nothing and is used instead if
there is one. Nothing is measured on systems other than Linux.
"""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

KIB = 1024


@dataclass(frozen=True, slots=True)
class Resources:
    """The peak memory, and the processor time of all processes.

    The memory is that of all processes together if a control group counts it, otherwise that of
    the largest one.
    """

    peak_memory_bytes: int = 0
    cpu_seconds: float = 0.0

    def larger_of(self, other: "Resources") -> "Resources":
        """Combine two measurements of the same processes: the larger values."""
        return Resources(
            max(self.peak_memory_bytes, other.peak_memory_bytes),
            max(self.cpu_seconds, other.cpu_seconds),
        )

    def plus(self, other: "Resources") -> "Resources":
        """Combine with other processes: the larger peak, the sum of the times."""
        return Resources(
            max(self.peak_memory_bytes, other.peak_memory_bytes),
            self.cpu_seconds + other.cpu_seconds,
        )


class Times:
    """The processor time of every process that was seen, including those that have ended."""

    def __init__(self) -> None:
        self._seconds: dict[tuple[int, int], float] = {}

    def note(self, pid: int, began: int, seconds: float) -> None:
        """Record a process's own time; a process ID can be reused, with another start time."""
        self._seconds[pid, began] = seconds

    @property
    def together(self) -> float:
        """The sum of all times."""
        return sum(self._seconds.values())


def of_trees(*roots: int, times: Times | None = None) -> Resources:
    """Return what these processes and their descendants have used; zero if there is no /proc.

    `times` remembers processes that nobody waits for; otherwise their time would be lost.
    """
    if sys.platform != "linux":
        return Resources()
    from graders.boundary.limits.usage import process_tree

    total, times = Resources(), times or Times()
    for pid in {pid for root in roots for pid in process_tree(root)}:
        total = total.plus(_of_process(pid, times))
    return total.larger_of(Resources(cpu_seconds=times.together))


def of_finished(peak: int, seconds: float) -> Resources:
    """Return what Linux reports for processes that have ended; `peak` is in KiB."""
    return Resources(peak * KIB, seconds)


def _of_process(pid: int, times: Times) -> Resources:
    """Measure one process and those it has waited for; record its own time in `times`."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(errors="replace")
        words = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:  # it has ended
        return Resources()
    peaks = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")]
    own, waited = (sum(map(int, fields)) for fields in (words[11:13], words[13:15]))
    second = os.sysconf("SC_CLK_TCK")
    times.note(pid, int(words[19]), own / second)
    return Resources(int(peaks[0]) * KIB if peaks else 0, (own + waited) / second)
