"""The C library, for calls that Python's `os` lacks (standard library only)."""

import ctypes
import os

LIBC = ctypes.CDLL(None, use_errno=True)


def checked(call: str, result: int) -> int:
    """Return the result of a call; raises OSError with its errno if it is negative."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{call}: {os.strerror(number)}")
    return result
