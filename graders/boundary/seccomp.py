"""System calls that a student's process has no use for, refused by the kernel (Linux only).

A program of the kernel's packet filter looks at every system call: most pass, the ones below
fail with an error number. It stays for good, and for every process the child starts.
See seccomp(2). Runs inside the child: standard library only.
"""

import ctypes
import errno
import os
import platform
import struct
from collections.abc import Iterator

PR_SET_SECCOMP, MODE_FILTER = 22, 2
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050000, 0x80000000
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data (little-endian)
X32 = 0x40000000  # the second set of numbers that x86-64 has
ANY = -1
AF_UNIX = 1
NEW_NAMESPACES = 0x7E020000
TYPE_INTO_TERMINAL = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX

# name: (x86-64, aarch64); ANY where the architecture lacks it
REFUSED = {
    # into other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    # new namespaces and mounts
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    # ways round the file and network rules
    "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    # memory that no limit counts
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    # keys and large parts of the kernel
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "fanotify_init": (300, 262),
    "quotactl": (179, 60),
    "acct": (163, 89),
    "syslog": (103, 116),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "iopl": (172, ANY),
    "ioperm": (173, ANY),
}
# name: (x86-64, aarch64), refused by their arguments
SOCKET, CLONE, CLONE3, IOCTL = (41, 198), (56, 220), (435, 435), (16, 29)
KILL_CALL, TGKILL, TKILL = (62, 129), (234, 131), (200, 130)
SIGQUEUE, TGSIGQUEUE, PIDFD_SIGNAL = (129, 138), (297, 240), (424, 424)

COLUMNS = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}

LIBC = ctypes.CDLL(None, use_errno=True)


class Program(ctypes.Structure):
    """struct sock_fprog."""

    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def install(*, unix_sockets: bool, own_signals_only: bool) -> None:
    """Refuse the calls above to this process and all it starts; needs no_new_privs.

    `own_signals_only` is for kernels whose Landlock cannot scope signals: then this process may
    signal itself and nobody else. An architecture without a column gets no filter.
    """
    if platform.machine() not in COLUMNS:
        return
    column, architecture = COLUMNS[platform.machine()]
    code = b"".join(_filter(column, architecture, unix_sockets, own_signals_only))
    program = Program(len(code) // 8, code)
    if LIBC.prctl(PR_SET_SECCOMP, MODE_FILTER, ctypes.byref(program), 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"seccomp: {os.strerror(number)}")


def _filter(
    column: int, architecture: int, unix_sockets: bool, own_signals_only: bool
) -> Iterator[bytes]:
    yield _step(LOAD, ARCHITECTURE)
    yield from (_step(EQUAL, architecture, 1, 0), _step(RETURN, KILL))
    yield _step(LOAD, NUMBER)
    yield from (_step(AT_LEAST, X32, 0, 1), _step(RETURN, REFUSE | errno.ENOSYS))
    for numbers in REFUSED.values():
        if numbers[column] != ANY:
            yield from _refuse(numbers[column], errno.EPERM)
    yield from _refuse(CLONE3[column], errno.ENOSYS)  # flags out of sight: glibc falls back
    yield from _refuse_if(CLONE[column], 0, ANY_BIT, NEW_NAMESPACES)
    for request in TYPE_INTO_TERMINAL:
        yield from _refuse_if(IOCTL[column], 1, EQUAL, request)
    if unix_sockets:
        yield from _refuse_unless(SOCKET[column], 0, AF_UNIX)
    else:
        yield from _refuse(SOCKET[column], errno.EACCES)
    if own_signals_only:
        for numbers in (TKILL, PIDFD_SIGNAL):
            yield from _refuse(numbers[column], errno.EPERM)
        for numbers in (KILL_CALL, TGKILL, SIGQUEUE, TGSIGQUEUE):
            yield from _refuse_unless(numbers[column], 0, os.getpid())
    yield _step(RETURN, ALLOW)


def _refuse(number: int, error: int) -> Iterator[bytes]:
    yield from (_step(EQUAL, number, 0, 1), _step(RETURN, REFUSE | error))


def _refuse_if(number: int, argument: int, test: int, value: int) -> Iterator[bytes]:
    """Refuse the call when its argument passes the test, and look at the number again."""
    yield _step(EQUAL, number, 0, 4)
    yield _step(LOAD, ARGUMENTS + 8 * argument)
    yield from (_step(test, value, 0, 1), _step(RETURN, REFUSE | errno.EPERM))
    yield _step(LOAD, NUMBER)


def _refuse_unless(number: int, argument: int, value: int) -> Iterator[bytes]:
    """Refuse the call when its argument differs from the value."""
    yield _step(EQUAL, number, 0, 4)
    yield _step(LOAD, ARGUMENTS + 8 * argument)
    yield from (_step(EQUAL, value, 1, 0), _step(RETURN, REFUSE | errno.EACCES))
    yield _step(LOAD, NUMBER)


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """One instruction: struct sock_filter."""
    return struct.pack("=HBBI", code, if_true, if_false, value)
