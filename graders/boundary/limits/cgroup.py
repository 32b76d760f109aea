"""A control group a child: what the kernel counts and bounds of all its processes together.

    version 2    memory.max, memory.swap.max, pids.max      one folder a group
    version 1    memory.limit_in_bytes, pids.max            one folder a group and controller

A group counts what no look at processes finds: shared mappings, sockets, pipes, files in memory.
It needs root, or a group that was delegated to this user (`systemd-run --user --scope -p
Delegate=yes`). Where there is none, usage.py counts what it can see. See cgroups(7).
"""

import contextlib
import itertools
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from graders.boundary import policy
from graders.boundary.limits.resources import Resources
from graders.boundary.process import TOGETHER, TooMuch
from graders.model import Limits

MOUNTS = Path("/sys/fs/cgroup")
UNIFIED = (MOUNTS, MOUNTS / "unified")
NEEDED = ("memory", "pids")
OURS = 8  # processes that are not the student's: bubblewrap, supervisor, keeper
REMOVING = 2.0  # seconds in which the kernel lets go of a group whose processes are gone
NEW = 300.0  # seconds in which a process enters the group that was made for it
NEARLY = 0.95  # of the limit: who used so much was stopped by it
ENTER = """\
for each in "$@"; do shift; [ "$each" = -- ] && break; echo 0 > "$each" || exit 125; done
unset PWD OLDPWD SHLVL
exec "$@"
"""

_numbers = itertools.count()


@dataclass(frozen=True, slots=True)
class Place:
    """Where groups can be made: the folder above them, of each controller."""

    memory: Path
    pids: Path
    time: Path | None
    unified: bool


class Group:
    """The control group of one child; `remove` it when its processes are gone."""

    def __init__(self, memory: int, processes: int) -> None:
        place = find_place()
        if place is None:
            raise OSError("control groups cannot be made here")
        name = f"softmark-{os.getpid()}-{next(_numbers)}"
        self._unified = place.unified
        self._memory = place.memory / name
        self._pids = place.pids / name
        self._time = place.time / name if place.time is not None else None
        self.limit = memory
        try:
            for folder in self._folders():
                folder.mkdir(exist_ok=True)
            _bound(self._memory, self._pids, memory, processes + OURS, unified=place.unified)
        except OSError:
            self.remove()
            raise

    def _folders(self) -> list[Path]:
        """Each once: under version 2 they are the same."""
        return list(dict.fromkeys(filter(None, (self._memory, self._pids, self._time))))

    @property
    def doors(self) -> tuple[Path, ...]:
        """The files through which a process enters, by writing 0 to each."""
        return tuple(folder / "cgroup.procs" for folder in self._folders())

    def command(self, words: list[str]) -> list[str]:
        """A command line that enters the group and becomes the given one."""
        return ["/bin/sh", "-c", ENTER, "sh", *map(str, self.doors), "--", *words]

    @contextlib.contextmanager
    def opened(self) -> Iterator[tuple[int, ...]]:
        """The doors as descriptors, for a process that may not open them."""
        with contextlib.ExitStack() as stack:
            yield tuple(
                stack.enter_context(door.open("wb", buffering=0)).fileno() for door in self.doors
            )

    def used(self) -> Resources:
        """The peak of its memory and the time of its processor, of all its processes."""
        if self._unified:
            peak = _number(self._memory / "memory.peak") or _number(self._memory / "memory.current")
            return Resources(peak, _words(self._memory / "cpu.stat").get("usage_usec", 0) / 1e6)
        peak = _number(self._memory / "memory.max_usage_in_bytes")
        spent = _number(self._time / "cpuacct.usage") / 1e9 if self._time is not None else 0.0
        return Resources(peak, spent)

    def ran_out(self) -> bool:
        """Whether the kernel killed one of its processes because the group reached its limit."""
        if self._unified:
            events = _words(self._memory / "memory.events")
            return bool(events.get("oom_kill") and events.get("oom"))
        killed = _words(self._memory / "memory.oom_control").get("oom_kill", 0)
        return bool(killed) and self.used().peak_memory_bytes >= NEARLY * self.limit

    def watch(self) -> None:
        """Raise TooMuch once the kernel had to kill one of its processes."""
        if self.ran_out():
            raise TooMuch(TOGETHER)

    def remove(self) -> None:
        """Let go of it; one that the kernel still holds is left, empty, to the next start."""
        deadline = time.monotonic() + REMOVING
        for folder in self._folders():
            while folder.exists():
                try:
                    folder.rmdir()
                except OSError:
                    if time.monotonic() > deadline:
                        break
                    time.sleep(0.005)


def group_for(limits: Limits) -> Group | None:
    """A new group with these limits, None where this machine has none for us."""
    if find_place() is None:
        return None
    with contextlib.suppress(OSError):
        return Group(policy.together(limits), limits.processes)
    return None


@cache
def find_place() -> Place | None:
    """Where this process can make groups that bound memory and processes, by trying."""
    for place in _places():
        if _works(place):
            _sweep(place)
            return place
    return None


def _places() -> Iterator[Place]:
    own = _own_groups()
    for root in UNIFIED:
        if "" in own and (root / "cgroup.controllers").exists():
            group = root / own[""].lstrip("/")
            _enable(group)
            for folder in dict.fromkeys((group, group.parent, root)):
                if folder.is_relative_to(root):
                    yield Place(folder, folder, folder, unified=True)
    if all(name in own for name in NEEDED):
        folders = {name: MOUNTS / name / own[name].lstrip("/") for name in own if name}
        yield Place(folders["memory"], folders["pids"], folders.get("cpuacct"), unified=False)


def _own_groups() -> dict[str, str]:
    """The group of this process by controller; that of version 2 under the empty name."""
    found: dict[str, str] = {}
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            found |= dict.fromkeys(controllers.split(","), path)
    return found


def _enable(group: Path) -> None:
    """Hand the controllers on to groups below this one, where it was delegated to us.

    Version 2 does so only for a group without processes of its own, so this one moves to a leaf.
    """
    wanted = " ".join(f"+{name}" for name in NEEDED)
    with contextlib.suppress(OSError):
        if set(NEEDED) <= set((group / "cgroup.subtree_control").read_text().split()):
            return
        if (group / "cgroup.procs").read_text().split() == [str(os.getpid())]:
            leaf = group / f"softmark-{os.getpid()}-main"
            leaf.mkdir(exist_ok=True)
            (leaf / "cgroup.procs").write_text("0")
        (group / "cgroup.subtree_control").write_text(wanted)


def _works(place: Place) -> bool:
    """Whether a group can be made there, bounded, and entered by a process of ours."""
    name = f"softmark-{os.getpid()}-probe"
    folders = {folder / name for folder in (place.memory, place.pids, place.time) if folder}
    try:
        for folder in folders:
            folder.mkdir(exist_ok=True)
        _bound(place.memory / name, place.pids / name, 2**30, OURS, unified=place.unified)
        return all(os.access(folder / "cgroup.procs", os.W_OK) for folder in folders)
    except OSError:
        return False
    finally:
        for folder in folders:
            with contextlib.suppress(OSError):
                folder.rmdir()


def _bound(memory: Path, pids: Path, most: int, processes: int, *, unified: bool) -> None:
    (pids / "pids.max").write_text(str(processes))
    if unified:
        (memory / "memory.max").write_text(str(most))
        swap = memory / "memory.swap.max"
        if swap.exists():
            swap.write_text("0")
        return
    (memory / "memory.limit_in_bytes").write_text(str(most))
    both = memory / "memory.memsw.limit_in_bytes"  # memory and swap together
    if both.exists():
        both.write_text(str(most))


def _sweep(place: Place) -> None:
    """Remove empty groups of gradings that are over; one in use cannot be removed.

    A new one is left alone: its process has not entered it yet, and in a container's own process
    namespace the grading that made it is not seen.
    """
    for above in filter(None, {place.memory, place.pids, place.time}):
        for folder in above.glob("softmark-*-*"):
            with contextlib.suppress(OSError):
                is_old = time.time() - folder.stat().st_mtime > NEW
                if is_old and not Path("/proc", folder.name.split("-")[1]).exists():
                    folder.rmdir()


def _number(path: Path) -> int:
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return 0


def _words(path: Path) -> Mapping[str, int]:
    """The numbers in a file of `name number` lines."""
    try:
        lines = [line.split() for line in path.read_text().splitlines()]
    except OSError:
        return {}
    return {words[0]: int(words[1]) for words in lines if len(words) == 2 and words[1].isdigit()}
