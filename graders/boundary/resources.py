"""What a child used of the machine, measured from outside: nothing here asks the child.

    while it runs    /proc of its whole tree, now and then and right before its end
    once it is over  what the kernel says to whoever waited for it

Either can miss something (a process that ended between two looks; one that nobody waited for),
so the larger one counts. On other systems than Linux nothing is measured.
"""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

KIB = 1024


@dataclass(frozen=True, slots=True)
class Resources:
    """The memory of the largest process at its peak, and the processor time of all."""

    peak_memory_bytes: int = 0
    cpu_seconds: float = 0.0

    def seen_again(self, other: "Resources") -> "Resources":
        """The same processes at two times, or measured in two ways."""
        return Resources(
            max(self.peak_memory_bytes, other.peak_memory_bytes),
            max(self.cpu_seconds, other.cpu_seconds),
        )

    def and_of(self, other: "Resources") -> "Resources":
        """These processes and others."""
        return Resources(
            max(self.peak_memory_bytes, other.peak_memory_bytes),
            self.cpu_seconds + other.cpu_seconds,
        )


def of_trees(*tops: int) -> Resources:
    """What these processes and all below them have used; nothing where no /proc says it."""
    if sys.platform != "linux":
        return Resources()
    from graders.boundary.usage import tree

    total = Resources()
    for pid in {pid for top in tops for pid in tree(top)}:
        total = total.and_of(_of_process(pid))
    return total


def of_finished(peak: int, seconds: float) -> Resources:
    """What Linux says of processes that are over; `peak` in KiB, as it counts."""
    return Resources(peak * KIB, seconds)


def _of_process(pid: int) -> Resources:
    """One process, with the time of those it has waited for."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(errors="replace")
        times = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[11:15]
    except OSError:  # it is gone
        return Resources()
    peaks = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")]
    ticks = sum(map(int, times)) / os.sysconf("SC_CLK_TCK")
    return Resources(int(peaks[0]) * KIB if peaks else 0, ticks)
