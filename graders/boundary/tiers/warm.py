"""Fork children from a warm parent, one per grading process (Linux only).

The parent is started when first needed, and again if it has died. It is one of our processes and
never runs student code; forker.py says what it does. Each child gets its own namespaces or
supervisor, exactly like one that starts in a fresh interpreter.
"""

import atexit
import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from graders.boundary import policy
from graders.boundary.limits.capture import Capture
from graders.boundary.limits.cgroup import Group
from graders.boundary.limits.resources import Resources, of_finished
from graders.boundary.stage import Stage
from graders.boundary.tiers.launch import open_channel, python

REPORT_BYTES = 200


class Keeper:
    """The process that forked a child, as it reports through a pipe.

    It is not a child of this process, so the pipe carries its process ID and the child's end.
    """

    def __init__(self, status: int) -> None:
        self._status = status
        self._said = b""
        self._over = False
        self.used = Resources()  # of the child and what it waited for; known when it has ended
        self.pid = self._first_word()

    def has_ended(self) -> bool:
        """Return whether the child has ended."""
        while not self._over and _readable(self._status, 0):
            self._read()
        return self._over

    def reap(self) -> int | None:
        """Return the child's exit status as a shell reports it; None while it runs."""
        if not self.has_ended():
            return None
        if self._status != -1:
            os.close(self._status)
            self._status = -1
        words = self._said.split()
        if len(words) < 4:  # the keeper was killed
            return -signal.SIGKILL
        self.used = of_finished(int(words[3]), float(words[2]))
        return int(words[1])

    def _first_word(self) -> int:
        """Return the keeper's process ID, which it sends first."""
        while b"\n" not in self._said:
            if self._over or not _readable(self._status, policy.START_SECONDS):
                os.close(self._status)
                raise OSError("the warm parent did not fork")
            self._read()
        return int(self._said.split()[0])

    def _read(self) -> None:
        data = os.read(self._status, REPORT_BYTES)
        self._said += data
        self._over = not data


def _readable(descriptor: int, seconds: float) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


class WarmParent:
    """A process that has imported torch and the `preload` modules, and forks children."""

    def __init__(self, preload: Sequence[str] = ()) -> None:
        self._stage = Stage(None, None, None)
        self._control, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
        with contextlib.ExitStack() as failing, theirs:
            failing.callback(self._stage.close)
            failing.callback(self._control.close)
            number = theirs.fileno()
            self._process = subprocess.Popen(  # noqa: S603  our own interpreter and modules
                python("forker", ",".join((str(number), *preload)), self._stage.layout.runtime),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=policy.environment(policy.INSIDE.scratch),
                cwd="/",
                start_new_session=True,
                pass_fds=(number,),
            )
            failing.pop_all()
        self.pid = self._process.pid

    def alive(self) -> bool:
        """Return whether it still runs."""
        return self._process.poll() is None

    def fork(self, kind: bytes, descriptors: tuple[int, ...]) -> None:
        """Request a child; raises OSError if the parent is gone."""
        socket.send_fds(self._control, [kind], list(descriptors))

    def remove_files(self) -> None:
        """Remove its files, once it has forked: by then it has imported everything."""
        self._stage.close()

    def close(self) -> None:
        """End it; the children that it forked end with it."""
        self._control.close()
        self._process.kill()
        self._process.wait()
        self._stage.close()


_lock = threading.Lock()
# By process ID (a fork of Softmark does not share its parent's) and by the modules it imported.
_parents: dict[tuple[int, tuple[str, ...]], WarmParent] = {}


def parent(preload: tuple[str, ...] = ()) -> WarmParent:
    """Return this process's warm parent with these modules; start one if none is running."""
    with _lock:
        warm_parent = _parents.get((os.getpid(), preload))
        if warm_parent is None or not warm_parent.alive():
            if warm_parent is not None:
                warm_parent.close()
            _parents[os.getpid(), preload] = warm_parent = WarmParent(preload)
        return warm_parent


@atexit.register
def close() -> None:
    """End the warm parents of this process; the next child starts a new one."""
    with _lock:
        parents = [_parents.pop(key) for key in list(_parents) if key[0] == os.getpid()]
    for warm_parent in parents:
        warm_parent.close()


def fork(  # noqa: PLR0913  what a child needs
    kind: bytes,
    order: Mapping[str, Any],
    capture: Capture,
    hold: int,
    preload: tuple[str, ...] = (),
    group: Group | None = None,
) -> tuple[Keeper, socket.socket]:
    """Fork a child from the warm parent, in this control group; return it and our channel end.

    The order contains in `environment` what a fresh interpreter would find in its own.
    Raises OSError, with nothing left open, if no child was started.
    """
    with open_channel(capture) as (ours, theirs):
        heard, status = os.pipe()
        try:
            with contextlib.ExitStack() as sent:  # closed here once the child has them
                sent.callback(os.close, status)
                file = os.memfd_create("order")
                sent.callback(os.close, file)
                os.write(file, json.dumps(order).encode())
                os.lseek(file, 0, os.SEEK_SET)
                warm_parent = parent(preload)
                procs = sent.enter_context(group.opened()) if group is not None else ()
                warm_parent.fork(kind, (file, theirs.fileno(), capture.write, status, hold, *procs))
        except OSError:
            os.close(heard)
            raise
        keeper = Keeper(heard)
    warm_parent.remove_files()
    return keeper, ours
