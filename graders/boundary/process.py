"""One running child: its channel, its output, its end."""

import contextlib
import os
import selectors
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from graders.boundary import wire
from graders.boundary.limits.capture import Capture, PipeCapture
from graders.boundary.limits.resources import Resources, Times, of_finished, of_trees
from graders.model import Limits

RECEIVE_BYTES = 2**18
TOGETHER = "its processes together used too much memory"
LAST_WORDS = 2.0  # seconds in which a child that hung up must have ended
POLL = 0.002
WATCH = 0.25  # seconds between two looks at what the whole tree uses
CPU_GRACE = 2  # seconds that all processes together may take longer than one
REAPING = 15.0  # seconds in which a killed tree must be gone


@dataclass(frozen=True, slots=True)
class Ending:
    """How a child ended: an exit status, or the number of a signal.

    `starved` is whether its processes had reached their limit on memory, and `seconds` what they
    used of the processor since they were first asked something.
    """

    status: int | None = None
    signal: int | None = None
    starved: bool = False
    seconds: float = 0.0


class HungUp(Exception):
    """The child closed its end of the channel."""


class TooMuch(Exception):
    """The processes of the child use too much together; the message says of what."""


class TooLong(Exception):
    """The processes of the child used more processor time together than one may."""


class ControlGroup(Protocol):
    """What the kernel counts of all processes of a child; see cgroup.py."""

    def used(self) -> Resources:
        """What they used until now, those that are over among them."""

    def ran_out(self) -> bool:
        """Whether one of them was killed because together they reached their limit on memory."""

    def remove(self) -> None:
        """Let go of it, once they are over."""


class Process(Protocol):
    """The process that stands for a child: the child, or what started it and waits for it.

    `used` is what the kernel says of it and of those it waited for, known once it is reaped.
    """

    pid: int
    used: Resources

    def has_ended(self) -> bool:
        """Whether it is over; its number is still its own."""

    def reap(self) -> int | None:
        """How it ended, and let go of its number; None while it runs."""


class Spawned:
    """A process that this one started."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.pid = process.pid
        self.used = Resources()
        self._process = process

    def has_ended(self) -> bool:
        """Whether it is over, and still to be reaped where the system can tell."""
        if sys.platform == "linux":
            flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
            return os.waitid(os.P_PID, self.pid, flags) is not None
        return self.reap() is not None

    def reap(self) -> int | None:
        """Its exit status once it is over."""
        if sys.platform != "linux" or self._process.returncode is not None:
            return self._process.poll()
        pid, status, used = os.wait4(self.pid, os.WNOHANG)
        if pid == 0:
            return None
        self.used = of_finished(_peak_of_its_own(used.ru_maxrss), used.ru_utime + used.ru_stime)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        return self._process.returncode


def _peak_of_its_own(peak: int) -> int:
    """What the kernel says is a child's peak, unless it may be this process's own.

    A child begins as a copy, and the kernel counts what that had before it became another program.
    """
    import resource  # not everywhere; this is asked on Linux alone

    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if peak > own else 0


class Child:
    """A started child; `end` kills all of its processes and may be called twice.

    While it works on an answer, `watch` is called now and then: it returns the bytes of memory
    that all of its processes hold, and raises TooMuch. Where there is a control group, this says
    what they used.
    """

    def __init__(  # noqa: PLR0913  each tier has its own of them
        self,
        process: Process,
        channel: socket.socket,
        capture: Capture,
        kill: Callable[[], None],
        limits: Limits,
        watch: Callable[[], int] | None = None,
        group: ControlGroup | None = None,
    ) -> None:
        self.pid = process.pid
        self.tops: tuple[int, ...] = (process.pid,)  # with all below them, all of its processes
        self.capture = capture
        self._process = process
        self._channel = channel
        self._kill = kill
        self._limits = limits
        self._watch = watch
        self._group = group
        self._held = 0  # the most bytes that `watch` saw
        self._times = Times()
        self._before: float | None = None  # processor time before the first question
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
        """The frame that answers this one.

        Raises TimeoutError, HungUp, TooMuch, TooLong or WireError; `busy` adds up the seconds that
        answers took.
        """
        if self._before is None:
            self._before = self.resources().cpu_seconds
        if self._process.has_ended():  # whatever it left behind does not answer in its place
            raise HungUp
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
            raise HungUp from None

    def receive(self, deadline: float) -> bytes | bytearray:
        """The next frame; raises TimeoutError, HungUp, TooMuch or WireError."""
        while (frame := self._reader.take()) is None:
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                raise TimeoutError
            self._wait(min(remaining, WATCH))
        return frame

    def has_unread(self) -> bool:
        """Whether something came that nobody asked for, or the child has hung up."""
        if self._reader.pending:
            return True
        ready = self._selector.select(0)
        return any(key.fileobj is self._channel for key, _ in ready)

    def _wait(self, seconds: float) -> None:
        if time.monotonic() - self._watched > WATCH:
            self._look()
        for key, _ in self._selector.select(seconds):
            if key.data is None:
                self._read_channel()
            elif not key.data.drain():
                self._selector.unregister(key.fileobj)

    def _look(self) -> None:
        """Look at what all of its processes use; raises TooMuch or TooLong."""
        if self._watch is not None:
            self._held = max(self._held, self._watch())
        seconds = self.resources().cpu_seconds - (self._before or 0.0)
        if self._before is not None and seconds > self._limits.cpu_seconds + CPU_GRACE:
            raise TooLong
        self._watched = time.monotonic()

    def _read_channel(self) -> None:
        try:
            data = self._channel.recv(RECEIVE_BYTES)
        except OSError:
            data = b""
        if not data:
            raise HungUp
        self._reader.feed(data)

    def resources(self) -> Resources:
        """What all of its processes have used until now."""
        if self._channel.fileno() != -1:
            if self._group is not None:
                self._used = self._group.used()
            elif not self._process.has_ended():
                self._used = self._used.seen_again(of_trees(*self.tops, times=self._times))
        return self._used

    def end(self, patience: float = 0.0) -> Ending | None:
        """Kill every process of this child; how it ended by itself, None if it did not.

        `patience` is how long it may still take to end by itself.
        """
        if self._channel.fileno() != -1:
            self.resources()
            by_itself = self._wait_for_end(patience)
            # Killed before it is reaped: until then its number belongs to nobody else.
            with contextlib.suppress(ProcessLookupError):
                self._kill()
            self._reap_within(REAPING)
            if self._group is not None:
                self._used = self._group.used()
            else:
                self._used = self._used.seen_again(self._process.used)
            self._ending = self._told(self._ending) if by_itself and self._ending else None
            if self._group is not None:
                self._group.remove()
            self._selector.close()
            self._channel.close()
            self.capture.close()
        return self._ending

    def _told(self, ending: Ending) -> Ending:
        """The ending, with what its processes had used by then."""
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
        """Whether the process is over; remembers how it ended."""
        code = self._process.reap()
        if code is not None:
            self._ending = ending(code)
        return code is not None


def ending(code: int) -> Ending:
    """Read an exit status: of the child itself, or as the sandbox passes it on (128 + signal)."""
    number = -code if code < 0 else code - 128
    return Ending(signal=number) if 0 < number < 65 else Ending(status=code)
