"""A clock for the trusted side: a check that never ends is our fault, and ends all the same."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from graders.errors import GraderFault

GRACE = 900.0  # seconds for all that a check does besides waiting for the student's code
AGAIN = 1.0  # seconds until a check that caught the first alarm gets another


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise GraderFault inside the block when it takes longer; the system's date is not asked.

    Only a process's first thread can be woken so, and not on Windows: elsewhere nothing happens.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not MAIN:
        yield
        return

    def ring(_number: int, _frame: FrameType | None) -> None:
        raise GraderFault(f"the check took more than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


MAIN = threading.main_thread()
