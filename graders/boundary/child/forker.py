"""The warm parent: a process that has imported torch and forks children (Linux only).

    python -c "... from graders.boundary.child.forker import main; main()" CONTROL,MODULE,...

    Softmark -- a letter and descriptors --> warm parent
                                                    | fork
                                                  keeper: waits for the child, reports how it ended
                                                    | fork, inside the child's own namespaces
                                                  child: gives up rights, becomes the worker

The warm parent runs no student code and reads nothing of a submission: the child's order is in a
file that only the child opens. The warm parent ends when Softmark closes CONTROL.
"""

import contextlib
import gc
import importlib
import json
import os
import resource
import signal
import socket
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from graders.boundary.child import entry as child
from graders.boundary.child import narrow, supervisor
from graders.boundary.child.libc import LIBC, checked

ENTER, SUPERVISE = b"e", b"s"  # join namespaces, or be supervised
GIVEN, PROCS = 5, 3  # descriptors in a message, and at most so many files cgroup.procs
# The namespaces of bubblewrap: mount, cgroup, UTS, IPC, PID and network.
NAMESPACES = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x20000000 | 0x40000000


@dataclass(frozen=True, slots=True)
class ChildFiles:
    """The descriptors of one child.

    `hold` is the first process of the namespaces to join, or a supervisor's pipe; writing to
    `procs`, the files cgroup.procs, enters a control group.
    """

    procs: tuple[int, ...]
    order: int
    channel: int
    output: int
    status: int
    hold: int


def main() -> None:
    """Fork a keeper for each message, until Softmark hangs up."""
    descriptor, *preload = sys.argv[1].split(",")
    control = socket.socket(fileno=int(descriptor))
    os.set_inheritable(control.fileno(), False)
    sys.argv[:] = [""]
    gc.disable()  # imported modules stay; looking for garbage among them takes a second
    importlib.import_module("graders.boundary.child.worker")  # imports torch, once for all children
    for module in preload:  # installed packages; no student's files are visible here
        importlib.import_module(module)
    _fill_caches()
    if len(os.listdir("/proc/self/task")) != 1:
        raise OSError("a thread was started: a fork would have its locks and not itself")
    gc.collect()
    gc.freeze()  # a collection in a child would copy the memory that it only reads
    gc.enable()
    while True:
        kind, descriptors, _, _ = socket.recv_fds(control, 1, GIVEN + PROCS)
        if not kind:
            return
        if len(descriptors) >= GIVEN:
            first, procs = descriptors[:GIVEN], tuple(descriptors[GIVEN:])
            _fork(kind, ChildFiles(procs, *first), control)
        for fd in descriptors:
            os.close(fd)


def _fill_caches() -> None:
    """Build what a preloaded transformers builds on first use, in 0.2 s."""
    table: Any = sys.modules.get("transformers.conversion_mapping")
    with contextlib.suppress(Exception):  # another release; then each child builds its own
        table.get_checkpoint_conversion_mapping("bert")


def _fork(kind: bytes, files: ChildFiles, control: socket.socket) -> None:
    """Start a keeper, and reap those that have ended since the last one."""
    while _reap():
        pass
    try:
        pid = os.fork()
    except OSError:  # Softmark sees its descriptors closed
        return
    if pid == 0:
        os.close(control.detach())
        supervisor.run(partial(_keep, kind, files))


def _reap() -> bool:
    try:
        return os.waitpid(-1, os.WNOHANG)[0] != 0
    except ChildProcessError:
        return False


# ---------------------------------------------------------------- the keeper


def _keep(kind: bytes, files: ChildFiles) -> int:
    """Start the child, wait for its end, and report its status, time and peak memory."""
    os.setsid()
    for file in files.procs:
        os.write(file, b"0")
        os.close(file)
    os.write(files.status, b"%d\n" % os.getpid())
    for number, descriptor in enumerate((files.channel, files.output, files.output)):
        os.dup2(descriptor, number)
    os.close(files.channel)
    os.close(files.output)
    keep = supervisor.supervise if kind == SUPERVISE else _enter
    code = keep(files.hold, partial(_begin, files.order))
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    os.write(files.status, b"%d %f %d\n" % (code, used.ru_utime + used.ru_stime, used.ru_maxrss))
    return 0


def _enter(first: int, start: Callable[[], None]) -> int:
    """Fork the child into the namespaces of this process, and return how it ended.

    Softmark kills the first process, and the kernel then ends all others in its namespace.
    """
    LIBC.prctl(narrow.PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    checked("setns", LIBC.setns(first, NAMESPACES))
    pid = os.fork()
    if pid == 0:
        supervisor.run(start)
    supervisor.let_go()
    narrow.keep_only_kill()
    return supervisor.shell_code(os.waitpid(pid, 0)[1])


# ---------------------------------------------------------------- the child


def _begin(order_file: int) -> None:
    """Become the same child that a fresh interpreter would have become."""
    with open(os.dup(order_file), "rb") as file:
        order = json.loads(file.read())
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    environment = order.pop("environment")
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(environment["HOME"])
    if tempfile.tempdir is not None:  # importing torch may have looked it up, before the fork
        tempfile.tempdir = environment["TMPDIR"]
    _move_runtime(order["runtime"])
    child.follow(order)


def _move_runtime(runtime: str) -> None:
    """Import from the child's own copy of our modules from now on, as a fresh child does."""
    for place in [path for path in sys.path_importer_cache if path.startswith(sys.path[0])]:
        del sys.path_importer_cache[place]
    sys.path[0] = runtime
    importlib.invalidate_caches()
