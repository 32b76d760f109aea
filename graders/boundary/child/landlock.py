"""Restrict a process to file, network and signal rules of the kernel (Landlock, Linux only).

An unprivileged process can restrict itself, and everything it starts, to a set of rules that can
only become narrower. Older kernels have fewer kinds of rules; `abi()` returns the version.
See landlock(7). Runs inside the child: standard library only.
"""

import ctypes
import os
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

from graders.boundary.child.libc import LIBC, checked

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same on every architecture
CREATE_RULESET_VERSION = 1
RULE_PATH_BENEATH = 1

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = (1 << bit for bit in range(4))
REFER, TRUNCATE, IOCTL_DEVICE = 1 << 13, 1 << 14, 1 << 15  # REFER: move to another folder
FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEVICE
# Kinds of file access in ABI 1, 2, ...: 13 at first, then move, truncate and device ioctl.
FILE_ACCESS = (0, (1 << 13) - 1, (1 << 14) - 1, (1 << 15) - 1, (1 << 15) - 1, (1 << 16) - 1)
NETWORK_ACCESS = 0b11  # bind and connect TCP, from ABI 4 on
SCOPES = 0b11  # abstract sockets and signals, from ABI 6 on
REFER_ABI, NEEDED_ABI, NETWORK_ABI, SCOPES_ABI = 2, 3, 4, 6  # before 3 any file was truncated
CLONE_NEWUSER = 0x10000000

GRANTS = {
    "read": EXECUTE | READ_FILE | READ_DIR,
    "list": READ_DIR,
    "write": FILE_ACCESS[-1] & ~EXECUTE,
    "device": READ_FILE | WRITE_FILE,
}


def abi() -> int:
    """Return the version of Landlock in this kernel, or 0 if it has none."""
    version: int = LIBC.syscall(CREATE_RULESET, None, 0, CREATE_RULESET_VERSION)
    return max(version, 0)


def restrict(paths: Mapping[str, Sequence[str]]) -> None:
    """Permanently restrict this process to the granted paths and its own processes, without TCP.

    `paths` has a list for each kind in GRANTS. Raises OSError if the kernel refuses.
    """
    version = abi()
    handled = FILE_ACCESS[min(version, len(FILE_ACCESS) - 1)]
    attributes = struct.pack("=Q", handled)
    if version >= NETWORK_ABI:
        attributes += struct.pack("=Q", NETWORK_ACCESS)
    if version >= SCOPES_ABI:
        attributes += struct.pack("=Q", SCOPES)
    ruleset = _call(CREATE_RULESET, attributes, len(attributes), 0)
    for kind, names in paths.items():
        for name in names:
            _grant(ruleset, name, GRANTS[kind] & handled)
    _call(RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def stand_apart() -> None:
    """Permanently keep this process from tracing processes that it did not start.

    File access stays the same. A process in a Landlock domain may only trace processes in that
    domain, and one in a user namespace of its own only those in that namespace, where it has every
    capability until it drops them. Raises OSError if the kernel refuses.
    """
    if abi() < REFER_ABI:
        checked("unshare", LIBC.unshare(CLONE_NEWUSER))
        return
    ruleset = _call(CREATE_RULESET, struct.pack("=Q", REFER), 8, 0)
    _grant(ruleset, "/", REFER)
    _call(RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _grant(ruleset: int, name: str, access: int) -> None:
    """Allow the access to a file, or to a folder and everything below it."""
    if not Path(name).is_dir():
        access &= FILE_RIGHTS
    handle = os.open(name, os.O_PATH | os.O_CLOEXEC)
    try:
        _call(ADD_RULE, ruleset, RULE_PATH_BENEATH, struct.pack("=Qi", access, handle), 0)
    finally:
        os.close(handle)


def _call(number: int, *arguments: int | bytes) -> int:
    """Make a system call and return its result; raises OSError if it fails."""
    plain = (
        ctypes.c_long(argument) if isinstance(argument, int) else argument for argument in arguments
    )
    return checked("landlock", LIBC.syscall(ctypes.c_long(number), *plain))
