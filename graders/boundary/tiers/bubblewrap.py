"""The strongest tier: a child in its own namespaces, built by bubblewrap (Linux only)."""

import contextlib
import json
import os
import select
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from graders.boundary import policy
from graders.boundary.child import forker
from graders.boundary.limits import usage
from graders.boundary.limits.capture import PipeCapture
from graders.boundary.limits.cgroup import Group, group_for, watch_memory
from graders.boundary.process import Child, LimitExceeded, Spawned
from graders.boundary.tiers import warm
from graders.boundary.tiers.launch import Job, command, launch, narrowing, order
from graders.model import Limits

PROGRAM = "bwrap"
TMP = Path("/tmp")  # noqa: S108  the child's own
WRITABLE = (TMP, Path("/dev/shm"), policy.INSIDE.scratch)  # noqa: S108
PLACEHOLDER = "/student/cat"  # the cheapest program that replies and waits until we hang up
READY = b"ready"
HELP_SECONDS = 20.0
GONE = 10.0  # seconds that the kernel may take to end a killed process namespace


def start(job: Job) -> Child:
    """Start a child in its own namespaces; it says hello after it has given up its rights."""
    inner = command(job, policy.INSIDE, _narrowing(job))
    with group_for(job.limits) as group:
        namespace, channel, capture = _build(job, inner, job.limits.output_bytes, group=group)
    process, watch = Spawned(namespace.process), namespace.watch
    return Child(process, channel, capture, namespace.kill, job.limits, watch, group)


def start_warm(job: Job) -> Child:
    """Start like `start`, but fork from the warm parent into a placeholder's namespaces."""
    words = order(job, policy.INSIDE, _narrowing(job))
    scratch = policy.INSIDE.scratch
    words["environment"] = policy.environment(scratch) | {"PWD": str(scratch)}
    namespace = _hold(job)
    with group_for(job.limits) as group:
        namespace.group = group
        try:
            first = namespace.first()
            capture = PipeCapture(job.limits.output_bytes)
            keeper, channel = warm.fork(forker.ENTER, words, capture, first, job.preload, group)
        except BaseException:
            namespace.end()
            raise
    namespace.joined = keeper.pid
    watch = namespace.watch
    child = Child(keeper, channel, capture, namespace.end, job.limits, watch, group)
    child.roots = namespace.roots()
    return child


def _hold(job: Job) -> "Namespace":
    """Return fully built namespaces that contain only a placeholder."""
    if job.stage.user is None:
        raise OSError("without root, nobody joins the namespaces that bubblewrap made")
    bound = ("--ro-bind", _program("cat"), PLACEHOLDER)
    namespace, channel, capture = _build(job, [PLACEHOLDER], len(READY), bound)
    namespace.held = channel
    try:
        channel.sendall(READY)
        _wait_for(capture)
    except BaseException:
        namespace.end()
        raise
    finally:
        capture.close()
    return namespace


def _wait_for(output: PipeCapture) -> None:
    """Wait until the placeholder replies; raises OSError on any other reply, or none."""
    waiting = select.poll()
    waiting.register(output.read, select.POLLIN)
    while READY.startswith(output.text().encode()) and waiting.poll(policy.START_SECONDS * 1000):
        if not output.drain() or output.text() == READY.decode():
            break
    if output.text() != READY.decode():
        raise OSError("bubblewrap built nothing")


def _narrowing(job: Job) -> dict[str, Any]:
    return narrowing(job, processes_before=0, reads_all=False, grants=None)


def _build(
    job: Job,
    inner: list[str],
    output_bytes: int,
    bound: Sequence[str] = (),
    group: Group | None = None,
) -> tuple["Namespace", socket.socket, PipeCapture]:
    """Build namespaces in which bubblewrap runs the command, in this control group."""
    status, report = os.pipe()
    try:
        words = arguments(job.stage.layout, job.stage.user, report, job.limits, bound) + inner
        words = group.command(words) if group is not None else words
        capture = PipeCapture(output_bytes)
        process, channel = launch(job, words, Path("/"), policy.INSIDE.scratch, capture, (report,))
    except OSError:
        os.close(status)
        raise
    finally:
        os.close(report)
    return Namespace(process, status, job.limits, group), channel, capture


def arguments(
    layout: policy.Layout,
    user: int | None,
    status: int,
    limits: Limits,
    bound: Sequence[str] = (),
) -> list[str]:
    """Return bubblewrap's command line up to the command itself, with the files of `layout`."""
    return [
        _program(),
        "--unshare-net", "--unshare-pid", "--unshare-ipc", "--unshare-uts",
        "--unshare-cgroup-try",
        *_identity(user),
        "--hostname", "student", "--die-with-parent", "--new-session",
        "--json-status-fd", str(status),
        *_tmpfs(str(TMP), policy.TMP_BYTES),
        *_machine(gpu=limits.gpu),
        "--proc", "/proc", "--dev", "/dev", *_tmpfs(str(WRITABLE[1]), policy.SHM_BYTES),
        *_devices(policy.gpu_devices(limits)),
        *_folders([policy.INSIDE.runtime]),
        "--ro-bind", str(layout.runtime), str(policy.INSIDE.runtime),
        "--ro-bind", str(layout.code), str(policy.INSIDE.code),
        *bound,
        *_tmpfs(str(policy.INSIDE.scratch), policy.SCRATCH_BYTES),
        "--remount-ro", "/dev", "--remount-ro", "/",
        "--chdir", str(policy.INSIDE.scratch), "--",
    ]  # fmt: skip


def _program(name: str = PROGRAM) -> str:
    """Return the path of a program; raises FileNotFoundError if it is not installed."""
    path = shutil.which(name)
    if path is None:
        raise FileNotFoundError(f"`{name}` is not installed")
    return path


def _identity(user: int | None) -> Iterator[str]:
    """Yield options that drop all capabilities, except two if the child must change its user."""
    if user is None:
        yield from ("--unshare-user", "--uid", "1000", "--gid", "1000")
    yield from ("--cap-drop", "ALL")
    if user is not None:
        yield from ("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID")


def _machine(*, gpu: bool) -> Iterator[str]:
    """Yield options that bind the interpreter and the libraries, but hide our own packages."""
    seen = policy.visible(gpu=gpu)
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


def _devices(gpu: Sequence[Path]) -> Iterator[str]:
    """Yield options that bind a GPU's files.

    Without a GPU, /dev/zero is replaced: its shared mappings are not counted for any process.
    """
    for path in gpu:
        yield from ("--dev-bind", str(path), str(path))
    if not gpu:
        yield from ("--dev-bind", os.devnull, "/dev/zero")


def _folders(paths: Iterable[Path]) -> Iterator[str]:
    """Yield options that create the parent folders of these paths, readable to any user."""
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
    """Return whether this bubblewrap can limit a temporary file system (0.7 and later)."""
    try:
        words = subprocess.run(  # noqa: S603
            [_program(), "--help"], capture_output=True, check=False, timeout=HELP_SECONDS
        )
    except subprocess.TimeoutExpired:
        raise OSError(f"`{PROGRAM}` does not answer") from None
    return b"--size" in words.stdout + words.stderr


class Namespace:
    """The process namespace of one child, held by its first process."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        status: int,
        limits: Limits,
        group: Group | None = None,
    ) -> None:
        self.process = process
        self.group = group
        self.held: socket.socket | None = None  # what a placeholder waits for
        self.joined: int | None = None  # the keeper of a child that entered from outside
        self._status = status
        self._limits = limits
        self._first: int | None = None
        self._handle: int | None = None

    def first(self) -> int:
        """Return a handle of the first process; raises OSError if it is gone."""
        self._find_first()
        if self._handle is None:
            raise OSError("bubblewrap did not say which process is the first")
        return self._handle

    def roots(self) -> tuple[int, ...]:
        """Return the processes whose descendants are all of the namespace's processes."""
        return (self.process.pid, *((self.joined,) if self.joined is not None else ()))

    def watch(self) -> int:
        """Return the namespace's memory in bytes, or 0; raises LimitExceeded if it is too much."""
        self._find_first()
        root = Path(f"/proc/{self._first}/root")
        if not _is_ours(root) and usage.count_files(root, WRITABLE) > policy.TREE_FILES:
            raise LimitExceeded("it made too many files")
        roots, sockets = self.roots(), 0
        if self.group is None:
            sockets = usage.held_open(*roots, system=-1, largest=0).sockets
        return watch_memory(self.group, self._limits, *roots, sockets=sockets)

    def kill(self) -> None:
        """End every process in the namespace, and wait until the kernel has."""
        if not _has_ended(self.process.pid):
            self._find_first()
        os.close(self._status)
        if self._handle is not None:
            _kill_and_wait(self._handle)
            os.close(self._handle)
        os.kill(self.process.pid, signal.SIGKILL)  # ours until it is reaped, so its own number

    def end(self) -> None:
        """Kill the namespace, then reap bubblewrap and close the placeholder's channel."""
        self.kill()
        self.process.wait()
        if self.held is not None:
            self.held.close()

    def _find_first(self) -> None:
        """Open a handle of the first process while it lives: later its ID may be reused."""
        if self._handle is not None:
            return
        os.set_blocking(self._status, False)
        with contextlib.suppress(OSError, IndexError, KeyError, ValueError):
            report = os.read(self._status, 2**16).splitlines()[0]
            self._first = int(json.loads(report)["child-pid"])
            self._handle = os.pidfd_open(self._first)


def _is_ours(root: Path) -> bool:
    """Return whether a process still has our root, because bubblewrap is not done yet."""
    try:
        return root.samefile("/")
    except OSError:  # then its files cannot be counted either
        return False


def _has_ended(pid: int) -> bool:
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _kill_and_wait(handle: int) -> None:
    """Kill a namespace's first process and wait; the kernel reports its end after all others'."""
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(handle, signal.SIGKILL)
    gone = select.poll()
    gone.register(handle, select.POLLIN)
    gone.poll(GONE * 1000)
