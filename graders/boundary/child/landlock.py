"""File, network and signal rules that the kernel holds a process to (Landlock, Linux only).

A process that has no privileges can bind itself, and all it starts, to a set of rules that can
only become narrower. Older kernels know fewer kinds of rules; `abi()` says which.
See landlock(7). Runs inside the child: standard library only.
"""

import ctypes
import os
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # one number on every architecture
CREATE_RULESET_VERSION = 1
RULE_PATH_BENEATH = 1

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = (1 << bit for bit in range(4))
TRUNCATE, IOCTL_DEVICE = 1 << 14, 1 << 15
FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEVICE
# Kinds of file access that ABI 1, 2, ... know: 13 at first, then move, truncate and device ioctl.
FILE_ACCESS = (0, (1 << 13) - 1, (1 << 14) - 1, (1 << 15) - 1, (1 << 15) - 1, (1 << 16) - 1)
NETWORK_ACCESS = 0b11  # bind and connect TCP, from ABI 4 on
SCOPES = 0b11  # abstract sockets and signals, from ABI 6 on
NEEDED_ABI, NETWORK_ABI, SCOPES_ABI = 3, 4, 6  # before 3 a file could be cut to nothing

GRANTS = {
    "read": EXECUTE | READ_FILE | READ_DIR,
    "list": READ_DIR,
    "write": FILE_ACCESS[-1] & ~EXECUTE,
    "device": READ_FILE | WRITE_FILE,
    "gpu": READ_FILE | WRITE_FILE | IOCTL_DEVICE,  # a driver is asked by ioctl alone
}

LIBC = ctypes.CDLL(None, use_errno=True)


def abi() -> int:
    """The version of Landlock in this kernel, 0 where there is none."""
    version: int = LIBC.syscall(CREATE_RULESET, None, 0, CREATE_RULESET_VERSION)
    return max(version, 0)


def restrict(paths: Mapping[str, Sequence[str]]) -> None:
    """Bind this process to the granted paths, to no TCP and to its own processes, for good.

    `paths` holds a list for each kind in GRANTS. Raises OSError when the kernel refuses.
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


def _grant(ruleset: int, name: str, access: int) -> None:
    """Allow the access to a file, or to a folder and all below it."""
    if not Path(name).is_dir():
        access &= FILE_RIGHTS
    handle = os.open(name, os.O_PATH | os.O_CLOEXEC)
    try:
        _call(ADD_RULE, ruleset, RULE_PATH_BENEATH, struct.pack("=Qi", access, handle), 0)
    finally:
        os.close(handle)


def _call(number: int, *arguments: int | bytes) -> int:
    """A system call that raises OSError."""
    plain = (ctypes.c_long(each) if isinstance(each, int) else each for each in arguments)
    result: int = LIBC.syscall(ctypes.c_long(number), *plain)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"landlock: {os.strerror(code)}")
    return result
