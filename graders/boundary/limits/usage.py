"""Measure what all processes of a child use together; per-process limits miss it (Linux only)."""

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE")
DELETED = " (deleted)"


@dataclass(frozen=True, slots=True)
class Open:
    """Open files and sockets that neither a folder nor a process's size shows.

    `size` (bytes) and `files` (count) are of files without a name, `sockets` is a count.
    """

    size: int
    files: int
    sockets: int


def process_tree(pid: int) -> list[int]:
    """Return this process and its descendants; only itself if the kernel does not list them."""
    processes = [pid]
    for process in processes:  # grows while it is read
        processes += _children(process)
    return processes


def measure_memory(*roots: int, enough: int) -> int:
    """Return the bytes used by these process trees; above `enough`, shared pages count once."""
    pids = {pid for root in roots for pid in process_tree(root)}
    total = sum(map(_resident, pids))
    return total if total <= enough else sum(map(_proportional, pids))


def count_files(root: Path, folders: Sequence[Path]) -> int:
    """Count the files on a child's own file systems, seen from its first process."""
    total = 0
    for folder in folders:
        try:
            system = os.statvfs(root / folder.relative_to("/"))
        except OSError:
            continue
        total += system.f_files - system.f_ffree
    return total


def measure_folder(path: Path, enough: int) -> tuple[int, int]:
    """Return bytes and files below a folder, counted until there are more than `enough` files.

    A tree too deep for a path counts as more than enough, because its files cannot be counted.
    """
    size = files = 0
    places = [os.fspath(path)]  # not os.walk, which recurses
    while places and files <= enough:
        try:
            with os.scandir(places.pop()) as entries:
                for entry in entries:
                    files += 1
                    if entry.is_dir(follow_symlinks=False):
                        places.append(entry.path)
                    else:
                        size += _allocated(entry.path)
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                return size, enough + 1
    return size, files


def held_open(*roots: int, system: int, largest: int) -> Open:
    """Return the deleted files and the sockets that these process trees hold open.

    Only files on the file system `system` (`st_dev`) count. A deleted file that is mapped but not
    open counts as `largest` bytes, because its size cannot be seen.
    """
    sizes: dict[int, int] = {}
    sockets: set[int] = set()
    for pid in {pid for root in roots for pid in process_tree(root)}:
        for status in _descriptors(pid):
            if stat.S_ISSOCK(status.st_mode):
                sockets.add(status.st_ino)
            elif stat.S_ISREG(status.st_mode) and not status.st_nlink and status.st_dev == system:
                sizes[status.st_ino] = status.st_blocks * 512
        for inode in _mapped_without_name(pid, system):
            sizes.setdefault(inode, largest)
    return Open(sum(sizes.values()), len(sizes), len(sockets))


def _descriptors(pid: int) -> Iterator[os.stat_result]:
    folder = f"/proc/{pid}/fd"
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for name in names:
        try:
            yield os.stat(f"{folder}/{name}")
        except OSError:
            continue


def _mapped_without_name(pid: int, system: int) -> Iterator[int]:
    """Yield the inodes of deleted files that a process maps."""
    try:
        lines = Path(f"/proc/{pid}/maps").read_text(errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        if line.endswith(DELETED):
            major, minor = (int(number, 16) for number in line.split()[3].split(":"))
            if os.makedev(major, minor) == system:
                yield int(line.split()[4])


def _children(pid: int) -> list[int]:
    try:
        tasks = os.listdir(f"/proc/{pid}/task")
        lists = [Path(f"/proc/{pid}/task/{task}/children").read_text() for task in tasks]
    except OSError:
        return []
    return [int(child) for children in lists for child in children.split()]


def _allocated(name: str) -> int:
    try:
        return os.lstat(name).st_blocks * 512
    except OSError:
        return 0


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
    except (OSError, IndexError):
        return 0


def _proportional(pid: int) -> int:
    """Return the process's memory; a page that n processes share counts as 1/n."""
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:
        return _resident(pid)
    return 0
