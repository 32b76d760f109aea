"""Refuse system calls that student code does not need (seccomp, Linux only).

A program of the kernel's packet filter checks every system call: most pass, those in syscalls.py
fail with an error number. It is permanent and applies to everything that the process starts.
See seccomp(2). Runs inside the child: standard library only.
"""

import ctypes
import errno
import os
import platform
import struct
from collections.abc import Iterator

from graders.boundary.child import syscalls
from graders.boundary.child.libc import LIBC, checked

PR_SET_SECCOMP, MODE_FILTER = 22, 2
LOAD, MASK, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06
ALLOW, FAIL, KILL = 0x7FFF0000, 0x00050000, 0x80000000
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data (little-endian)
X32 = 0x40000000  # the second set of numbers that x86-64 has
AF_UNIX = 1
NEW_NAMESPACES = 0x7E020000
TYPE_INTO_TERMINAL = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX
LOCKS = (5, 6, 7, 36, 37, 38)  # F_GETLK, F_SETLK, F_SETLKW, and those of open files
# F_SETSIG sends any signal when a file is ready; F_SETLEASE and F_NOTIFY reveal what others open.
TELLING = (10, 1024, 1026)
SHARED_ANONYMOUS = 0x21  # MAP_SHARED, MAP_ANONYMOUS: memory that belongs to no process
PR_SET_DUMPABLE = 4  # a process that is not dumpable hides its open files
SEND_BUFFERS = (7, 32)  # SO_SNDBUF, SO_SNDBUFFORCE
EXIT_SIGNAL = 0xFF  # the part of clone's flags that says which signal the parent gets
EXIT_STATUS = 0xFF  # the part of a status that the parent gets
SIGKILL, RLIMIT_CPU = 9, 0
AS_IF_KILLED = 128 + SIGKILL  # the exit status with which a shell reports it

COLUMNS = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}


class Program(ctypes.Structure):
    """struct sock_fprog."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def install(*, shared: bool, scoped: bool = True, gpu: bool = False) -> None:
    """Refuse system calls in this process and all it starts; requires no_new_privs.

    `shared`: the child sees the machine's users, processes and sockets, so it gets no socket and
    may change neither other processes nor the mode of a file. `scoped` is False if neither
    Landlock nor a user of its own restricts its signals: then it may signal only itself. `gpu`:
    memory may be shared without a file, because a GPU driver needs it; only a control group then
    counts all of it. Raises OSError if the kernel refuses, or if `shared` and this architecture has
    no table.
    """
    if platform.machine() not in COLUMNS:
        if shared:
            raise OSError(f"no table of system calls for {platform.machine()}")
        return
    column, architecture = COLUMNS[platform.machine()]
    rules = _program(column, architecture, shared=shared, scoped=scoped, gpu=gpu)
    _load(rules)


def forbid_own_end() -> None:
    """Refuse to send SIGKILL, to exit with its status, or to set another limit on CPU time.

    A process that is killed anyway was killed by us, by its limits, or because the machine ran
    out of memory.
    """
    if platform.machine() in COLUMNS:
        column, architecture = COLUMNS[platform.machine()]
        _load(_own_end(column, architecture))


def _load(steps: Iterator[bytes]) -> None:
    code = b"".join(steps)
    program = Program(len(code) // 8, code)
    checked("seccomp", LIBC.prctl(PR_SET_SECCOMP, MODE_FILTER, ctypes.byref(program), 0, 0))


def _program(
    column: int, architecture: int, *, shared: bool, scoped: bool, gpu: bool
) -> Iterator[bytes]:
    yield from _call_number(architecture)
    yield from _fail_all(syscalls.REFUSED, column, errno.EPERM)
    yield from _fail_all(syscalls.UNLOCKED, column, 0)  # "failing" with error 0 is success
    for command in LOCKS:
        yield from _fail_if(syscalls.FCNTL[column], 1, EQUAL, command, error=0)
    for command in TELLING:
        yield from _fail_if(syscalls.FCNTL[column], 1, EQUAL, command)
    yield from _fail_if(syscalls.PRCTL[column], 0, EQUAL, PR_SET_DUMPABLE)
    for option in SEND_BUFFERS:
        yield from _fail_if(syscalls.SETSOCKOPT[column], 2, EQUAL, option)
    if not gpu:
        yield from _fail_if(
            syscalls.MMAP[column], 3, EQUAL, SHARED_ANONYMOUS, mask=SHARED_ANONYMOUS
        )
    yield from _fail(syscalls.CLONE3[column], errno.ENOSYS)  # flags not visible: libc uses clone
    yield from _fail_if(syscalls.CLONE[column], 0, ANY_BIT, NEW_NAMESPACES)
    for request in TYPE_INTO_TERMINAL:
        yield from _fail_if(syscalls.IOCTL[column], 1, EQUAL, request)
    if shared:
        yield from _shared(column)
    else:
        yield from _fail_unless(syscalls.SOCKET[column], AF_UNIX)
    if not scoped:
        yield from _own_signals(column)
    yield _step(RETURN, ALLOW)


def _call_number(architecture: int) -> Iterator[bytes]:
    """Load the number of the call; kill or fail if it is for another architecture."""
    yield _step(LOAD, ARCHITECTURE)
    yield from (_step(EQUAL, architecture, 1, 0), _step(RETURN, KILL))
    yield _step(LOAD, NUMBER)
    yield from (_step(AT_LEAST, X32, 0, 1), _step(RETURN, FAIL | errno.ENOSYS))


def _own_end(column: int, architecture: int) -> Iterator[bytes]:
    yield from _call_number(architecture)
    for numbers, argument in syscalls.KILLING:
        yield from _fail_if(numbers[column], argument, EQUAL, SIGKILL)
    yield from _fail_if(syscalls.CLONE[column], 0, EQUAL, SIGKILL, mask=EXIT_SIGNAL)
    for numbers in (syscalls.EXIT, syscalls.EXIT_GROUP):
        yield from _fail_if(numbers[column], 0, EQUAL, AS_IF_KILLED, mask=EXIT_STATUS)
    yield from _fail_if(syscalls.SETRLIMIT[column], 0, EQUAL, RLIMIT_CPU)
    yield from _fail_to_set(syscalls.PRLIMIT[column], RLIMIT_CPU)
    yield _step(RETURN, ALLOW)


def _fail_to_set(number: int, limit: int) -> Iterator[bytes]:
    """Fail if prlimit sets a new limit of this kind; reading the old one is allowed."""
    yield _step(EQUAL, number, 0, 8)
    yield from (_step(LOAD, ARGUMENTS + 8), _step(EQUAL, limit, 0, 5))
    yield from (_step(LOAD, ARGUMENTS + 16), _step(EQUAL, 0, 0, 2))  # both halves of a pointer
    yield from (_step(LOAD, ARGUMENTS + 20), _step(EQUAL, 0, 1, 0))
    yield _step(RETURN, FAIL | errno.EPERM)
    yield _step(LOAD, NUMBER)


def _shared(column: int) -> Iterator[bytes]:
    yield from _fail(syscalls.SOCKET[column], errno.EACCES)
    yield from _fail_all(syscalls.SHARED, column, errno.EPERM)
    yield from _fail_all(syscalls.PRETENDED, column, 0)
    yield from _fail_all(syscalls.UNSUPPORTED, column, errno.EOPNOTSUPP)
    for numbers in syscalls.OWN_PROCESS.values():
        yield from _fail_unless(numbers[column], 0)


def _own_signals(column: int) -> Iterator[bytes]:
    for numbers in (syscalls.TKILL, syscalls.PIDFD_SIGNAL):
        yield from _fail(numbers[column], errno.EPERM)
    for numbers in (syscalls.KILL, syscalls.TGKILL, syscalls.SIGQUEUE, syscalls.TGSIGQUEUE):
        yield from _fail_unless(numbers[column], os.getpid())


def _fail_all(table: dict[str, tuple[int, int]], column: int, error: int) -> Iterator[bytes]:
    for numbers in table.values():
        if numbers[column] != syscalls.ANY:
            yield from _fail(numbers[column], error)


def _fail(number: int, error: int) -> Iterator[bytes]:
    yield from (_step(EQUAL, number, 0, 1), _step(RETURN, FAIL | error))


def _fail_if(  # noqa: PLR0913  which argument is tested, and how
    number: int, argument: int, test: int, value: int, *, mask: int = 0, error: int = errno.EPERM
) -> Iterator[bytes]:
    """Fail if the argument (after the mask, if any) passes the test."""
    looked = [_step(LOAD, ARGUMENTS + 8 * argument)]
    if mask:
        looked.append(_step(MASK, mask))
    yield _step(EQUAL, number, 0, len(looked) + 3)
    yield from looked
    yield from (_step(test, value, 0, 1), _step(RETURN, FAIL | error))
    yield _step(LOAD, NUMBER)


def _fail_unless(number: int, value: int) -> Iterator[bytes]:
    """Fail if the first argument is not this value; then load the number again."""
    yield _step(EQUAL, number, 0, 4)
    yield _step(LOAD, ARGUMENTS)
    yield from (_step(EQUAL, value, 1, 0), _step(RETURN, FAIL | errno.EACCES))
    yield _step(LOAD, NUMBER)


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """Return one instruction: struct sock_filter."""
    return struct.pack("=HBBI", code, if_true, if_false, value)
