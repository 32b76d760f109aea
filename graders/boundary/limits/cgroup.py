"""Give each child a control group, in which the kernel counts and limits all its processes.

    version 2    memory.max, memory.swap.max, pids.max      one folder per group
    version 1    memory.limit_in_bytes, pids.max            one folder per group and controller

A group counts what /proc does not show: shared mappings, sockets, pipes, files in memory.
It needs root, or a group that was delegated to this user (`systemd-run --user --scope -p
Delegate=yes`). Without one, usage.py counts what it can see. See cgroups(7).
"""

import contextlib
import os
import secrets
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from graders.boundary import policy
from graders.boundary.limits import usage
from graders.boundary.limits.resources import Resources
from graders.boundary.process import LimitExceeded
from graders.model import Limits

TOO_MUCH_MEMORY = "its processes together used too much memory"
MOUNTS = Path("/sys/fs/cgroup")
UNIFIED = (MOUNTS, MOUNTS / "unified")
NEEDED = ("memory", "pids")
OURS = 8  # processes that are Softmark's: bubblewrap, supervisor, keeper
REMOVING = 2.0  # seconds that the kernel may take to release a group whose processes are gone
NEW = 300.0  # seconds within which a process enters the group that was created for it
NEARLY = 0.95  # of the limit: a group whose peak is this high was stopped by its limit
ENTER = """\
for each in "$@"; do shift; [ "$each" = -- ] && break; echo 0 > "$each" || exit 125; done
unset PWD OLDPWD SHLVL
exec "$@"
"""


@dataclass(frozen=True, slots=True)
class GroupFolders:
    """The folders in which groups can be created, one per controller."""

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
        name = f"softmark-{os.getpid()}-{secrets.token_hex(6)}"
        self._unified = place.unified
        self._memory = place.memory / name
        self._pids = place.pids / name
        self._time = place.time / name if place.time is not None else None
        self.limit = memory
        try:
            for folder in self._folders():
                folder.mkdir()
            _bound(self._memory, self._pids, memory, processes + OURS, unified=place.unified)
        except OSError:
            self.remove()
            raise

    def _folders(self) -> list[Path]:
        """Return each folder once: under version 2 they are the same."""
        return list(dict.fromkeys(filter(None, (self._memory, self._pids, self._time))))

    @property
    def procs(self) -> tuple[Path, ...]:
        """The files to which a process writes 0 to enter the group."""
        return tuple(folder / "cgroup.procs" for folder in self._folders())

    def command(self, words: list[str]) -> list[str]:
        """Return a command line that enters the group and then runs the given one."""
        return ["/bin/sh", "-c", ENTER, "sh", *map(str, self.procs), "--", *words]

    @contextlib.contextmanager
    def opened(self) -> Iterator[tuple[int, ...]]:
        """Yield these files as descriptors, for a process that may not open them."""
        with contextlib.ExitStack() as stack:
            yield tuple(
                stack.enter_context(file.open("wb", buffering=0)).fileno() for file in self.procs
            )

    def used(self) -> Resources:
        """Return the peak memory and the processor time of all its processes together."""
        if self._unified:
            peak = _number(self._memory / "memory.peak") or _number(self._memory / "memory.current")
            return Resources(peak, _words(self._memory / "cpu.stat").get("usage_usec", 0) / 1e6)
        peak = _number(self._memory / "memory.max_usage_in_bytes")
        spent = _number(self._time / "cpuacct.usage") / 1e9 if self._time is not None else 0.0
        return Resources(peak, spent)

    def ran_out(self) -> bool:
        """Return whether the kernel killed a process because the group reached its limit."""
        if self._unified:
            events = _words(self._memory / "memory.events")
            return bool(events.get("oom_kill") and events.get("oom"))
        killed = _words(self._memory / "memory.oom_control").get("oom_kill", 0)
        return bool(killed) and self.used().peak_memory_bytes >= NEARLY * self.limit

    def watch(self) -> None:
        """Raise LimitExceeded if the kernel had to kill one of its processes."""
        if self.ran_out():
            raise LimitExceeded(TOO_MUCH_MEMORY)

    def remove(self) -> None:
        """Remove it; if the kernel still holds it, a later start removes the empty folder."""
        deadline = time.monotonic() + REMOVING
        for folder in self._folders():
            while folder.exists():
                try:
                    folder.rmdir()
                except OSError:
                    if time.monotonic() > deadline:
                        break
                    time.sleep(0.005)


@contextlib.contextmanager
def group_for(limits: Limits) -> Iterator[Group | None]:
    """Yield a new group with these limits, or None if none can be created here.

    It is removed if the block raises, so that a child that does not start leaves no group.
    """
    group = None
    if find_place() is not None:
        with contextlib.suppress(OSError):
            group = Group(policy.tree_memory_bytes(limits), limits.processes)
    try:
        yield group
    except BaseException:
        if group is not None:
            group.remove()
        raise


def watch_memory(group: Group | None, limits: Limits, *roots: int, sockets: int) -> int:
    """Return the memory of these process trees in bytes; raises LimitExceeded if it is too much.

    If there is a control group, the kernel limits the memory, and this returns 0.
    """
    if group is not None:
        group.watch()
        return 0
    most = policy.tree_memory_bytes(limits)
    memory = usage.measure_memory(*roots, enough=most) + sockets * policy.SOCKET_BYTES
    if memory > most:
        raise LimitExceeded(TOO_MUCH_MEMORY)
    return memory


@cache
def find_place() -> GroupFolders | None:
    """Find where this process can create groups that limit memory and processes, by trying."""
    for place in _places():
        if _works(place):
            _sweep(place)
            return place
    return None


def _places() -> Iterator[GroupFolders]:
    groups = _own_groups()
    for root in UNIFIED:
        if "" in groups and (root / "cgroup.controllers").exists():
            group = root / groups[""].lstrip("/")
            _enable(group)
            for folder in dict.fromkeys((group, group.parent, root)):
                if folder.is_relative_to(root):
                    yield GroupFolders(folder, folder, folder, unified=True)
    if all(name in groups for name in NEEDED):
        folders = {name: MOUNTS / name / groups[name].lstrip("/") for name in groups if name}
        yield GroupFolders(
            folders["memory"], folders["pids"], folders.get("cpuacct"), unified=False
        )


def _own_groups() -> dict[str, str]:
    """Return this process's group per controller; that of version 2 under the empty name."""
    groups: dict[str, str] = {}
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            groups |= dict.fromkeys(controllers.split(","), path)
    return groups


def _enable(group: Path) -> None:
    """Enable the controllers for groups below this one, if it was delegated to us.

    Version 2 allows this only for a group without its own processes, so ours moves to a leaf.
    """
    controllers = " ".join(f"+{name}" for name in NEEDED)
    with contextlib.suppress(OSError):
        if set(NEEDED) <= set((group / "cgroup.subtree_control").read_text().split()):
            return
        if (group / "cgroup.procs").read_text().split() == [str(os.getpid())]:
            leaf = group / f"softmark-{os.getpid()}-main"
            leaf.mkdir(exist_ok=True)
            (leaf / "cgroup.procs").write_text("0")
        (group / "cgroup.subtree_control").write_text(controllers)


def _works(place: GroupFolders) -> bool:
    """Return whether our processes can create a group there, limit it and enter it."""
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


def _sweep(place: GroupFolders) -> None:
    """Remove empty groups of gradings that have ended; one in use cannot be removed.

    A new one is kept: its process may not have entered it yet, and the grading that created it
    may be in another container, where we cannot see it.
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
    """Return the numbers in a file of `name number` lines."""
    try:
        lines = [line.split() for line in path.read_text().splitlines()]
    except OSError:
        return {}
    return {words[0]: int(words[1]) for words in lines if len(words) == 2 and words[1].isdigit()}
