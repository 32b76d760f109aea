"""The strong tier: a child in namespaces of its own, built by bubblewrap (Linux only)."""

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from graders.boundary import policy, usage
from graders.boundary.capture import PipeCapture
from graders.boundary.launch import Job, command, launch, narrowing
from graders.boundary.process import Child, TooMuch
from graders.model import Limits

PROGRAM = "bwrap"
TMP = Path("/tmp")  # noqa: S108  the child's own
WRITABLE = (TMP, Path("/dev/shm"), policy.INSIDE.scratch)  # noqa: S108
GONE = 10.0  # seconds in which the kernel takes down a killed process namespace


def start(job: Job) -> Child:
    """A child in namespaces of its own; it says hello when it has narrowed itself."""
    narrow = narrowing(job, processes_before=0, reads_all=False, grants=None)
    inner = command(job, policy.INSIDE, narrow)
    status, report = os.pipe()
    try:
        devices = policy.gpu_devices(job.limits)
        words = [*arguments(job.stage.layout, job.stage.user, report, devices), *inner]
        capture = PipeCapture(job.limits.output_bytes)
        process, channel = launch(words, Path("/"), policy.INSIDE.scratch, capture, (report,))
    except OSError:
        os.close(status)
        raise
    finally:
        os.close(report)
    namespace = Namespace(process.pid, status, job.limits)
    return Child(process, channel, capture, namespace.kill, namespace.watch)


def arguments(
    layout: policy.Layout, user: int | None, status: int, devices: Iterable[Path] = ()
) -> list[str]:
    """The command line of bubblewrap up to the command itself; the files are those of `layout`."""
    return [
        _program(),
        *("--unshare-net", "--unshare-pid", "--unshare-ipc", "--unshare-uts"),
        "--unshare-cgroup-try",
        *_identity(user),
        *("--hostname", "student", "--die-with-parent", "--new-session"),
        *("--json-status-fd", str(status)),
        *_tmpfs(str(TMP), policy.TMP_BYTES),
        *_machine(),
        *("--proc", "/proc", "--dev", "/dev", *_tmpfs(str(WRITABLE[1]), policy.SHM_BYTES)),
        *(word for path in devices for word in ("--dev-bind", str(path), str(path))),
        *_folders([policy.INSIDE.runtime]),
        *("--ro-bind", str(layout.runtime), str(policy.INSIDE.runtime)),
        *("--ro-bind", str(layout.code), str(policy.INSIDE.code)),
        *_tmpfs(str(policy.INSIDE.scratch), policy.SCRATCH_BYTES),
        *("--remount-ro", "/dev", "--remount-ro", "/"),
        *("--chdir", str(policy.INSIDE.scratch), "--"),
    ]


def _program() -> str:
    """Where bubblewrap is; raises FileNotFoundError where it is not installed."""
    found = shutil.which(PROGRAM)
    if found is None:
        raise FileNotFoundError(f"`{PROGRAM}` is not installed")
    return found


def _identity(user: int | None) -> Iterator[str]:
    """No capabilities; where the child must change its user, those two until it has done so."""
    if user is None:
        yield from ("--unshare-user", "--uid", "1000", "--gid", "1000")
    yield from ("--cap-drop", "ALL")
    if user is not None:
        yield from ("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID")


def _machine() -> Iterator[str]:
    """The interpreter and the libraries, without what is ours among them."""
    seen = policy.visible()
    links = [path for path in seen if path.is_symlink()]
    tops = [path for path in seen if path not in links and not _lies_in_another(path, seen)]
    yield from _folders(tops)
    for path in links:
        yield from ("--symlink", os.readlink(path), str(path))
    for path in tops:
        yield from ("--ro-bind", str(path), str(path))
    for path in policy.hidden(seen):
        if path.is_dir():
            yield from ("--tmpfs", str(path), "--remount-ro", str(path))
        else:
            yield from ("--ro-bind", os.devnull, str(path))


def _folders(paths: Iterable[Path]) -> Iterator[str]:
    """The folders above these paths, empty, and open to whichever user the child becomes."""
    above = {parent for path in paths for parent in path.parents} - {Path("/"), TMP}
    for folder in sorted(above):
        yield from ("--perms", "0755", "--dir", str(folder))


def _lies_in_another(path: Path, paths: Iterable[Path]) -> bool:
    return any(path != other and path.is_relative_to(other) for other in paths)


def _tmpfs(path: str, size: int) -> Iterator[str]:
    if _sizes_tmpfs():
        yield from ("--size", str(size))
    yield from ("--perms", "1777", "--tmpfs", path)


@cache
def _sizes_tmpfs() -> bool:
    """Whether this bubblewrap can limit a temporary file system (0.7 and later)."""
    words = subprocess.run(  # noqa: S603
        [_program(), "--help"], capture_output=True, check=False
    )
    return b"--size" in words.stdout + words.stderr


class Namespace:
    """The process namespace of one child, held by its first process."""

    def __init__(self, pid: int, status: int, limits: Limits) -> None:
        self._pid = pid
        self._status = status
        self._most = limits.memory_bytes + policy.TREE_BYTES
        self._first: int | None = None
        self._handle: int | None = None

    def watch(self) -> None:
        """Raise TooMuch when memory or files of the whole namespace pass what is allowed."""
        self._find_first()
        if usage.memory(self._pid, self._most) > self._most:
            raise TooMuch("its processes together used too much memory")
        if usage.files(Path(f"/proc/{self._first}/root"), WRITABLE) > policy.TREE_FILES:
            raise TooMuch("it made too many files")

    def kill(self) -> None:
        """End every process in the namespace, and wait until the kernel has."""
        if not _has_ended(self._pid):
            self._find_first()
        os.close(self._status)
        if self._handle is not None:
            _kill_and_wait(self._handle)
            os.close(self._handle)
        os.kill(self._pid, signal.SIGKILL)  # ours until it is reaped, so the number is its own

    def _find_first(self) -> None:
        """Take hold of the first process while it lives: later its number may be another's."""
        if self._handle is not None:
            return
        os.set_blocking(self._status, False)
        with contextlib.suppress(OSError, IndexError, KeyError, ValueError):
            report = os.read(self._status, 2**16).splitlines()[0]
            self._first = int(json.loads(report)["child-pid"])
            self._handle = os.pidfd_open(self._first)


def _has_ended(pid: int) -> bool:
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _kill_and_wait(handle: int) -> None:
    """Kill the first process of a namespace; the kernel reports its end after all the others'."""
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(handle, signal.SIGKILL)
    gone = select.poll()
    gone.register(handle, select.POLLIN)
    gone.poll(GONE * 1000)
