import ctypes
import fcntl
import os
import resource
import signal

import aim

LIBC = ctypes.CDLL(None)
SIGKILL, CLONE = 9, 56


class Event(ctypes.Structure):
    """struct sigevent, as far as it matters."""

    _fields_ = (("value", ctypes.c_void_p), ("number", ctypes.c_int), ("rest", ctypes.c_int * 20))


def by_a_timer():
    """Let a timer send the signal."""
    timer, soon = ctypes.c_void_p(), (ctypes.c_long * 4)(0, 0, 0, 1000)
    LIBC.timer_create(1, ctypes.byref(Event(None, SIGKILL)), ctypes.byref(timer))
    LIBC.timer_settime(timer, 0, soon, None)


def by_a_pipe():
    """Let a pipe that becomes ready send the signal."""
    reading, writing = os.pipe()
    fcntl.fcntl(reading, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(reading, 10, SIGKILL)  # F_SETSIG
    fcntl.fcntl(reading, fcntl.F_SETFL, os.O_ASYNC)
    os.write(writing, b"x")


def by_a_child():
    """Let the end of a child send the signal."""
    if LIBC.syscall(CLONE, SIGKILL, 0, 0, 0, 0) == 0:
        os._exit(0)


aim.attempt(signal.raise_signal, SIGKILL)
aim.attempt(os.kill, os.getpid(), SIGKILL)
aim.attempt(signal.pthread_kill, LIBC.pthread_self(), SIGKILL)
aim.attempt(by_a_timer)
aim.attempt(by_a_pipe)
aim.attempt(by_a_child)
aim.attempt(resource.setrlimit, resource.RLIMIT_CPU, (0, 0))
os._exit(128 + SIGKILL)
