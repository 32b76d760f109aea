import ctypes
import os

import aim

LIBC = ctypes.CDLL(None)
ALL_EVENTS = 0xFFF


def watched(descriptor, path):
    """Whether the kernel would tell of events there."""
    return LIBC.inotify_add_watch(descriptor, os.fsencode(path), ALL_EVENTS) >= 0


descriptor = LIBC.inotify_init()
if descriptor >= 0:
    found = [each for each in aim.TARGETS["files"] if watched(descriptor, each)]
    aim.tell(found)
