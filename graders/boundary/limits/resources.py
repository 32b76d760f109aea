"""What a child used of the machine, measured from outside: nothing here asks the child.

    while it runs    /proc of its whole tree, now and then and right before its end
    once it is over  what the kernel says to whoever waited for it

Either can miss something (a process that ended between two looks; one that nobody waited for),
so the larger one counts. A control group (cgroup.py) misses nothing, and is asked instead where
there is one. On other systems than Linux nothing is measured.
"""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

KIB = 1024


@dataclass(frozen=True, slots=True)
class Resources:
    """The memory at its peak, and the processor time of all processes.

    The memory is that of all processes together where a control group counts it, else that of
    the largest one.
    """

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


class Times:
    """The processor time of every process that was seen, also of those that are over since."""

    def __init__(self) -> None:
        self._seconds: dict[tuple[int, int], float] = {}

    def note(self, pid: int, began: int, seconds: float) -> None:
        """What a process has used of its own; numbers come again, with another beginning."""
        self._seconds[pid, began] = seconds

    @property
    def together(self) -> float:
        """The time of all of them."""
        return sum(self._seconds.values())


def of_trees(*tops: int, times: Times | None = None) -> Resources:
    """What these processes and all below them have used; nothing where no /proc says it.

    `times` remembers processes that nobody waits for: their time would be lost with them.
    """
    if sys.platform != "linux":
        return Resources()
    from graders.boundary.limits.usage import tree

    total, times = Resources(), times or Times()
    for pid in {pid for top in tops for pid in tree(top)}:
        total = total.and_of(_of_process(pid, times))
    return total.seen_again(Resources(cpu_seconds=times.together))


def of_finished(peak: int, seconds: float) -> Resources:
    """What Linux says of processes that are over; `peak` in KiB, as it counts."""
    return Resources(peak * KIB, seconds)


def _of_process(pid: int, times: Times) -> Resources:
    """One process, with the time of those it has waited for; `times` gets its own."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(errors="replace")
        words = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:  # it is gone
        return Resources()
    peaks = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")]
    own, waited = (sum(map(int, each)) for each in (words[11:13], words[13:15]))
    second = os.sysconf("SC_CLK_TCK")
    times.note(pid, int(words[19]), own / second)
    return Resources(int(peaks[0]) * KIB if peaks else 0, (own + waited) / second)
