"""Limit the time of a check on the trusted side: a check that never ends is our fault."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from graders.errors import GraderFault

GRACE = 900.0  # seconds for everything that a check does besides waiting for student code
SOON = 0.001  # seconds until an alarm that is overdue; 0 would mean none
AGAIN = 1.0  # seconds until the next alarm, if a check caught the first one


@contextmanager
def limit_time(seconds: float, what: str = "the check") -> Iterator[None]:
    """Raise GraderFault inside the block if it takes longer, independent of the system's date.

    Blocks may be nested: after the inner one, the outer one has the rest of its time. This works
    only in a process's main thread, and not on Windows; otherwise nothing happens.
    """
    if (
        not hasattr(signal, "setitimer")
        or threading.current_thread() is not threading.main_thread()
    ):
        yield
        return

    def ring(_number: int, _frame: FrameType | None) -> None:
        raise GraderFault(f"{what} took more than {seconds:g} s")

    before, started = signal.signal(signal.SIGALRM, ring), time.monotonic()
    left, again = signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if left:
            passed = time.monotonic() - started
            signal.setitimer(signal.ITIMER_REAL, max(left - passed, SOON), again)
