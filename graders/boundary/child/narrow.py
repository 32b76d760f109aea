"""Give up rights in a child before any student code is imported (Linux only).

    identity and capabilities -> no new privileges -> Landlock -> seccomp -> limits

This file and those it imports use only the standard library: they run inside the child.
A step that fails ends the child before it says hello, which the parent reports as our fault.
"""

import ctypes
import os
import resource
import signal
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from graders.boundary.child import landlock, seccomp
from graders.boundary.child.libc import LIBC, checked

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_KEEPCAPS, PR_SET_NO_NEW_PRIVS = 1, 4, 8, 38
CAPABILITY_VERSION = 0x20080522
CAP_DAC_READ_SEARCH, CAP_KILL = 1 << 2, 1 << 5
CPU_GRACE = 2  # seconds between the signal that can be caught and the one that cannot


def give_up(order: Mapping[str, Any]) -> Callable[[], None]:
    """Restrict this process permanently; return a function that limits its memory and time.

    Those two limits are added to what the libraries use, so call it after importing them.
    Raises OSError if the kernel refuses a step.
    """
    if len(os.listdir("/proc/self/task")) != 1:
        raise OSError("a thread was started too early: it would keep what this one gives up")
    Path("/proc/self/oom_score_adj").write_text("1000")  # the first to be killed if memory runs out
    sizes = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)
    if order["user"] is not None:
        _become(order["user"])
    _keep_capabilities(CAP_DAC_READ_SEARCH if order["reads_all"] else 0)
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    _prctl(PR_SET_NO_NEW_PRIVS, 1)
    if (grants := order["landlock"]) is None:
        if order["user"] is None:  # the namespace's first process has this user, too, and no filter
            landlock.stand_apart()
            _keep_capabilities(0)
        seccomp.install(shared=False, gpu=order["gpu"])
    else:
        if grants:  # otherwise there is no Landlock, only the other user and the filter
            landlock.restrict(grants)
        scoped = bool(grants) and landlock.abi() >= landlock.SCOPES_ABI
        # The kernel lets a user signal only its own processes, and hardly ever do two children
        # have the same user.
        alone = order["user"] is not None
        seccomp.install(shared=True, scoped=scoped or alone)
    for name, value in order["rlimits"].items():
        _limit(name, value, value)
    return partial(_limit_memory_and_time, sizes, order["memory"], order["cpu"])


def check_process_limit() -> None:
    """Raise OSError if the kernel lets this process start others despite the limit.

    The kernel does so for root, even without capabilities: nothing would stop a fork bomb.
    """
    hard = resource.getrlimit(resource.RLIMIT_NPROC)[1]
    resource.setrlimit(resource.RLIMIT_NPROC, (0, hard))
    try:
        pid = os.fork()
    except BlockingIOError:
        return
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    raise OSError("the limit on processes does not hold for this user")


def _limit_memory_and_time(sizes: int, memory: int, cpu: int) -> None:
    """Limit what student code may use on top of what this process has used until now."""
    pages = int(os.read(sizes, 200).split()[0])
    os.close(sizes)
    memory += pages * resource.getpagesize()
    _limit("RLIMIT_AS", memory, memory)
    seconds = int(time.process_time()) + 1 + cpu
    _limit("RLIMIT_CPU", seconds, seconds + CPU_GRACE)
    seccomp.forbid_own_end()


def _become(user: int) -> None:
    """Change to a user that owns nothing; capabilities stay until they are dropped explicitly."""
    _prctl(PR_SET_KEEPCAPS, 1)
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    _prctl(PR_SET_DUMPABLE, 1)  # its own /proc/self stays readable to it


def keep_only_kill() -> None:
    """Keep no capability except to signal the child, which ends with this process."""
    _keep_capabilities(CAP_KILL)


def _keep_capabilities(mask: int) -> None:
    """Drop every capability that is not in the mask; there may be none to drop."""
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0)
    data = (ctypes.c_uint32 * 6)(mask, mask, 0, 0, 0, 0)
    checked("capset", LIBC.capset(header, data))


def _limit(name: str, soft: int, hard: int) -> None:
    """Set a limit, never above the one already in force."""
    which = getattr(resource, name)
    ceiling = resource.getrlimit(which)[1]
    if ceiling != resource.RLIM_INFINITY:
        soft, hard = min(soft, ceiling), min(hard, ceiling)
    resource.setrlimit(which, (soft, hard))


def _prctl(option: int, value: int) -> None:
    checked(f"prctl {option}", LIBC.prctl(option, value, 0, 0, 0))
