"""Keep a process from system calls it has no use for (seccomp, Linux only).

A program of the kernel's packet filter looks at every system call: most pass, those of
syscalls.py fail with an error number. It stays for good, and for all that the process starts.
See seccomp(2). Runs inside the child: standard library only.
"""

import ctypes
import errno
import os
import platform
import struct
from collections.abc import Iterator

from graders.boundary import syscalls

PR_SET_SECCOMP, MODE_FILTER = 22, 2
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, FAIL, KILL = 0x7FFF0000, 0x00050000, 0x80000000
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data (little-endian)
X32 = 0x40000000  # the second set of numbers that x86-64 has
AF_UNIX = 1
NEW_NAMESPACES = 0x7E020000
TYPE_INTO_TERMINAL = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX

COLUMNS = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}

LIBC = ctypes.CDLL(None, use_errno=True)


class Program(ctypes.Structure):
    """struct sock_fprog."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def install(*, shared: bool, scoped: bool = True) -> None:
    """Refuse system calls to this process and all it starts; needs no_new_privs.

    `shared`: the child sees the machine's users, processes and sockets, so it gets no socket, and
    may change no process but itself and no mode of a file. `scoped` is False where Landlock
    cannot keep its signals in: then this process may signal itself and nobody else.
    Raises OSError when the kernel refuses, or when a shared machine's calls are unknown to us.
    """
    if platform.machine() not in COLUMNS:
        if shared:
            raise OSError(f"no table of system calls for {platform.machine()}")
        return
    column, architecture = COLUMNS[platform.machine()]
    code = b"".join(_program(column, architecture, shared, scoped))
    program = Program(len(code) // 8, code)
    if LIBC.prctl(PR_SET_SECCOMP, MODE_FILTER, ctypes.byref(program), 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"seccomp: {os.strerror(number)}")


def _program(column: int, architecture: int, shared: bool, scoped: bool) -> Iterator[bytes]:
    yield _step(LOAD, ARCHITECTURE)
    yield from (_step(EQUAL, architecture, 1, 0), _step(RETURN, KILL))
    yield _step(LOAD, NUMBER)
    yield from (_step(AT_LEAST, X32, 0, 1), _step(RETURN, FAIL | errno.ENOSYS))
    yield from _fail_all(syscalls.REFUSED, column, errno.EPERM)
    yield from _fail(syscalls.CLONE3[column], errno.ENOSYS)  # flags out of sight: libc falls back
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


def _shared(column: int) -> Iterator[bytes]:
    yield from _fail(syscalls.SOCKET[column], errno.EACCES)
    yield from _fail_all(syscalls.SHARED, column, errno.EPERM)
    yield from _fail_all(syscalls.PRETENDED, column, 0)  # "failing" with error 0 is success
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


def _fail_if(number: int, argument: int, test: int, value: int) -> Iterator[bytes]:
    """Fail when the argument passes the test; then look at the number again."""
    yield _step(EQUAL, number, 0, 4)
    yield _step(LOAD, ARGUMENTS + 8 * argument)
    yield from (_step(test, value, 0, 1), _step(RETURN, FAIL | errno.EPERM))
    yield _step(LOAD, NUMBER)


def _fail_unless(number: int, value: int) -> Iterator[bytes]:
    """Fail when the first argument is not this value; then look at the number again."""
    yield _step(EQUAL, number, 0, 4)
    yield _step(LOAD, ARGUMENTS)
    yield from (_step(EQUAL, value, 1, 0), _step(RETURN, FAIL | errno.EACCES))
    yield _step(LOAD, NUMBER)


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """One instruction: struct sock_filter."""
    return struct.pack("=HBBI", code, if_true, if_false, value)
