"""Supervise a child that has no process namespace of its own (Linux, tier `landlock`).

    python -I -S supervisor.py CONTROL COMMAND...        a fresh child
    supervise(CONTROL, start)                            one that a warm parent forks

It adopts all descendants of the command, however they detach, and ends them all when the command
ends, when CONTROL is closed, or when Softmark dies. It runs no student code, and the child's
rules do not let the child reach it.
"""

import ctypes
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import NoReturn

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
FAILED = 125
PAUSE = 0.001
ROUNDS = 100  # of stopping before killing; the limit on processes stops a fork bomb much earlier


def main() -> int:
    """Run the command and return its exit status as a shell would report it."""
    control, command = int(sys.argv[1]), sys.argv[2:]
    os.set_inheritable(control, False)
    return supervise(control, partial(os.execv, command[0], command))


def supervise(control: int, start: Callable[[], int | None]) -> int:
    """Call `start` in a new process; when that ends, end its descendants and return its status."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        return FAILED
    wake, woken = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    signal.set_wakeup_fd(woken)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    pid = _fork(start)
    status = _watch(pid, control, wake)
    _end_all()
    return status


def _fork(start: Callable[[], int | None]) -> int:
    pid = os.fork()
    if pid == 0:
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        run(start)
    let_go()
    return pid


def run(body: Callable[[], int | None]) -> NoReturn:
    """Call `body` and exit with its result: a fork must never continue in its parent's code."""
    code: int | None = 1  # as when an interpreter ends with an exception
    try:
        code = body()
    except BaseException:  # noqa: BLE001  also SystemExit ends here
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(code or 0)


def let_go() -> None:
    """Close the channel and the output, so that only the child has them."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nothing, descriptor)
    os.close(nothing)


def shell_code(status: int) -> int:
    """Return the exit status as a shell reports it: 128 + the signal if one ended the process."""
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def _watch(pid: int, control: int, wake: int) -> int:
    """Wait until the command ends or Softmark asks for its end; return the exit status."""
    poll = select.poll()
    poll.register(control, select.POLLIN)
    poll.register(wake, select.POLLIN)
    while True:
        ready = [descriptor for descriptor, _ in poll.poll()]
        if control in ready:
            return 128 + signal.SIGKILL
        if signal.SIGTERM in os.read(wake, 4096):
            return 128 + signal.SIGKILL
        for ended, status in _reap():
            if ended == pid:
                return shell_code(status)


def _reap() -> list[tuple[int, int]]:
    ended: list[tuple[int, int]] = []
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if pid == 0:
            return ended
        ended.append((pid, status))


def _end_all() -> None:
    """Stop all descendants so that none can fork, then kill them, until none is left."""
    while alive := _descendants():
        for _ in range(ROUNDS):
            running = [pid for pid, state in alive.items() if state not in "TtZX"]
            if not running:
                break
            _signal(running, signal.SIGSTOP)
            alive = _descendants()
        _signal(list(alive), signal.SIGKILL)
        _reap()
        time.sleep(PAUSE)


def _signal(pids: list[int], number: int) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue


def _descendants() -> dict[int, str]:
    """Return all descendants of this process with their states."""
    parents, states = {}, {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                state, parent = file.read().rpartition(b")")[2].split()[:2]
        except OSError:
            continue
        parents[int(name)], states[int(name)] = int(parent), state.decode()
    pids, size = {os.getpid()}, 0
    while size != len(pids):
        size = len(pids)
        pids |= {pid for pid, parent in parents.items() if parent in pids}
    pids.discard(os.getpid())
    return {pid: states[pid] for pid in pids}


if __name__ == "__main__":
    sys.exit(main())
