"""Manage one running child: its channel, its output and its end."""

import contextlib
import os
import selectors
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from graders.boundary import wire
from graders.boundary.limits.capture import Capture, PipeCapture
from graders.boundary.limits.resources import Resources, Times, of_finished, of_trees
from graders.model import Limits

if TYPE_CHECKING:  # which exists on Linux only
    from graders.boundary.limits.cgroup import Group

RECEIVE_BYTES = 2**18
ENDING_SECONDS = 2.0  # seconds that a child may take to end after it closed its channel
POLL = 0.002
WATCH = 0.25  # seconds between two checks of what the whole tree uses
TREE_CPU_GRACE = 2  # seconds that all processes together may use above the limit of one
REAPING = 15.0  # seconds that a killed tree may take to disappear


@dataclass(frozen=True, slots=True)
class Ending:
    """How a child ended: an exit status, or the number of a signal.

    `starved` says whether its processes had reached their memory limit; `seconds` is the processor
    time that they used since the first request.
    """

    status: int | None = None
    signal: int | None = None
    starved: bool = False
    seconds: float = 0.0


class ChildStopped(Exception):
    """The child gives no answer any more."""


class ChannelClosed(ChildStopped):
    """The child closed its end of the channel."""


class LimitExceeded(ChildStopped):
    """The child's processes together use too much of something; the message says what."""


class CpuTimeExceeded(ChildStopped):
    """The child's processes together used more processor time than allowed."""


class Process(Protocol):
    """The process that represents a child: the child itself, or what started it and waits for it.

    `used` is the kernel's count for it and for those it waited for, known once it is reaped.
    """

    pid: int
    used: Resources

    def has_ended(self) -> bool:
        """Return whether it has ended; its process ID is not reused yet."""

    def reap(self) -> int | None:
        """Return how it ended and release its process ID; None while it runs."""


class Spawned:
    """A process that this one started."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.pid = process.pid
        self.used = Resources()
        self._process = process

    def has_ended(self) -> bool:
        """Return whether it has ended; on Linux this does not reap it."""
        if sys.platform == "linux":
            flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
            return os.waitid(os.P_PID, self.pid, flags) is not None
        return self.reap() is not None

    def reap(self) -> int | None:
        """Return its exit status once it has ended; None while it runs."""
        if sys.platform != "linux" or self._process.returncode is not None:
            return self._process.poll()
        pid, status, used = os.wait4(self.pid, os.WNOHANG)
        if pid == 0:
            return None
        self.used = of_finished(_peak_of_its_own(used.ru_maxrss), used.ru_utime + used.ru_stime)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        return self._process.returncode


def _peak_of_its_own(peak: int) -> int:
    """Return the peak that the kernel reports for a child, or 0 if it may be this process's own.

    A child begins as a copy of this process, and the kernel counts the copy's memory, too.
    """
    import resource  # does not exist on every system; this function runs only on Linux

    own_peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if peak > own_peak else 0


class Child:
    """A started child; `end` kills all of its processes and may be called twice.

    While it works on an answer, `watch` is called regularly: it returns the bytes of memory that
    all of its processes hold, and may raise LimitExceeded. If there is a control group, the group
    counts what they used.
    """

    def __init__(  # noqa: PLR0913  each tier passes its own
        self,
        process: Process,
        channel: socket.socket,
        capture: Capture,
        kill: Callable[[], None],
        limits: Limits,
        watch: Callable[[], int] | None = None,
        group: "Group | None" = None,
    ) -> None:
        self.pid = process.pid
        self.roots: tuple[int, ...] = (process.pid,)  # these and their descendants are the child
        self.capture = capture
        self._process = process
        self._channel = channel
        self._kill = kill
        self._limits = limits
        self._watch = watch
        self._group = group
        self._held = 0  # the most bytes that `watch` saw
        self._times = Times()
        self._before: float | None = None  # processor time before the first request
        self._watched = time.monotonic()
        self._reader = wire.FrameReader()
        self._ending: Ending | None = None
        self._used = Resources()
        self.busy = 0.0
        self._selector = selectors.DefaultSelector()
        self._selector.register(channel, selectors.EVENT_READ)
        if isinstance(capture, PipeCapture):
            self._selector.register(capture.read, selectors.EVENT_READ, capture)

    def ask(self, frame: bytes, deadline: float) -> bytes | bytearray:
        """Send a frame and return the child's reply.

        Raises TimeoutError, ChildStopped or WireError. The time that replies take is added to
        `busy`, in seconds.
        """
        if self._before is None:
            self._before = self.resources().cpu_seconds
        if self._process.has_ended():  # a process that it left behind must not answer for it
            raise ChannelClosed
        started = time.monotonic()
        try:
            self._send(frame, deadline)
            return self.receive(deadline)
        finally:
            self.busy += time.monotonic() - started

    def _send(self, frame: bytes, deadline: float) -> None:
        self._channel.settimeout(max(deadline - time.monotonic(), 0.001))
        try:
            self._channel.sendall(frame)
        except TimeoutError:
            raise
        except OSError:
            raise ChannelClosed from None

    def receive(self, deadline: float) -> bytes | bytearray:
        """Return the next frame; raises TimeoutError, ChildStopped or WireError."""
        while (frame := self._reader.take()) is None:
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                raise TimeoutError
            self._wait(min(remaining, WATCH))
        return frame

    def has_unread(self) -> bool:
        """Return whether the child sent something without a request; may raise ChannelClosed."""
        if self._reader.pending:
            return True
        ready = self._selector.select(0)
        if any(key.fileobj is self._channel for key, _ in ready):
            self._read_channel()
            return True
        return False

    def has_ended(self) -> bool:
        """Return whether its process has ended; its channel may close a moment later."""
        return self._process.has_ended()

    def _wait(self, seconds: float) -> None:
        if time.monotonic() - self._watched > WATCH:
            self._look()
        for key, _ in self._selector.select(seconds):
            if key.data is None:
                self._read_channel()
            elif not key.data.drain():
                self._selector.unregister(key.fileobj)

    def _look(self) -> None:
        """Measure what all of its processes use; raises LimitExceeded or CpuTimeExceeded."""
        if self._watch is not None:
            self._held = max(self._held, self._watch())
        seconds = self.resources().cpu_seconds - (self._before or 0.0)
        if self._before is not None and seconds > self._limits.cpu_seconds + TREE_CPU_GRACE:
            raise CpuTimeExceeded
        self._watched = time.monotonic()

    def _read_channel(self) -> None:
        try:
            data = self._channel.recv(RECEIVE_BYTES)
        except OSError:
            data = b""
        if not data:
            raise ChannelClosed
        self._reader.feed(data)

    def resources(self) -> Resources:
        """Return what all of its processes have used until now."""
        if self._channel.fileno() != -1:
            if self._group is not None:
                self._used = self._group.used()
            elif not self._process.has_ended():
                self._used = self._used.larger_of(of_trees(*self.roots, times=self._times))
        return self._used

    def end(self, patience: float = 0.0) -> Ending | None:
        """Kill all processes of this child; return how it ended on its own, None if it did not.

        `patience` is how many seconds it still has to end on its own.
        """
        if self._channel.fileno() != -1:
            self.resources()
            by_itself = self._wait_for_end(patience)
            # Killed before it is reaped: until then no other process can have its ID.
            with contextlib.suppress(ProcessLookupError):
                self._kill()
            self._reap_within(REAPING)
            if self._group is not None:
                self._used = self._group.used()
            else:
                self._used = self._used.larger_of(self._process.used)
            self._ending = self._completed(self._ending) if by_itself and self._ending else None
            if self._group is not None:
                self._group.remove()
            self._selector.close()
            self._channel.close()
            self.capture.close()
        return self._ending

    def _completed(self, ending: Ending) -> Ending:
        """Return the ending with what its processes had used by then."""
        if self._group is not None:
            starved = self._group.ran_out()
        else:
            starved = self._held >= self._limits.memory_bytes
        seconds = self._used.cpu_seconds - (self._before or 0.0)
        return replace(ending, starved=starved, seconds=seconds)

    def _wait_for_end(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while not (ended := self._process.has_ended()) and time.monotonic() < deadline:
            time.sleep(POLL)
        return ended

    def _reap_within(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not self._reap() and time.monotonic() < deadline:
            time.sleep(POLL)

    def _reap(self) -> bool:
        """Return whether the process has ended, and remember how it ended."""
        code = self._process.reap()
        if code is not None:
            self._ending = ending(code)
        return code is not None


def ending(code: int) -> Ending:
    """Read an exit status: the child's own, or as the sandbox reports it (128 + signal)."""
    number = -code if code < 0 else code - 128
    return Ending(signal=number) if 0 < number < 65 else Ending(status=code)
