"""Limit the time of the trusted side: of a whole check, and of reading one student's answer."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from graders.errors import GraderFault

GRACE = 900.0  # seconds for everything that a check does besides waiting for student code
AGAIN = 1.0  # seconds until the next alarm, if a check caught the first one


class TimeUp(GraderFault):
    """A block computed for longer than it may, perhaps because of what a student wrote."""


@contextmanager
def limit_time(seconds: float, *, processor: bool = False) -> Iterator[None]:
    """Raise GraderFault inside the block if it takes longer, independent of the system's date.

    With `processor`, it is TimeUp, and only the time counts in which this process computes, so that
    others which use the processor make no difference. A block of one kind may contain one of the
    other. This works only in a process's main thread, and not on Windows; otherwise nothing
    happens.
    """
    if (
        not hasattr(signal, "setitimer")
        or threading.current_thread() is not threading.main_thread()
    ):
        yield
        return

    def ring(_number: int, _frame: FrameType | None) -> None:
        raise (TimeUp if processor else GraderFault)(f"the check took more than {seconds:g} s")

    timer = signal.ITIMER_PROF if processor else signal.ITIMER_REAL
    number = signal.SIGPROF if processor else signal.SIGALRM
    before = signal.signal(number, ring)
    signal.setitimer(timer, seconds, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(timer, 0)
        signal.signal(number, before)
