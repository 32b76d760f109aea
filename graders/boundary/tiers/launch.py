"""Launch a child in any tier: its order, its command line and its channel."""

import json
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graders.boundary import policy
from graders.boundary.limits.capture import Capture
from graders.boundary.side import PACKAGE
from graders.boundary.stage import Stage
from graders.model import Limits

BOOT = (
    "import sys; sys.path.insert(0, sys.argv.pop()); "
    "from graders.boundary.child.{} import main; main()"
)


@dataclass(frozen=True, slots=True)
class Job:
    """One child to start: its files, limits and seed; a `probe` gives up its rights and ends.

    `warm` says whether it may be forked from a parent that has imported torch and the modules in
    `preload`.
    """

    stage: Stage
    limits: Limits
    seed: int
    probe: bool = False
    warm: bool = True
    preload: tuple[str, ...] = ()


def order(job: Job, layout: policy.Layout, narrow: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the order to a child, with `layout` as the child sees it; see child/entry.py."""
    return {
        "runtime": str(layout.runtime),
        "code": str(layout.code),
        "seed": job.seed,
        "packages": policy.packages(),
        "modules": [f"{PACKAGE}.{name}" for name in job.stage.side.files] if job.stage.side else [],
        "narrow": narrow,
        "probe": job.probe,
        "gpu": policy.visible_gpu(job.limits),
    }


def command(job: Job, layout: policy.Layout, narrow: Mapping[str, Any] | None) -> list[str]:
    """Return the command line of a child that starts in a fresh interpreter."""
    return python("entry", json.dumps(order(job, layout, narrow)), layout.runtime)


def python(module: str, argument: str, runtime: Path) -> list[str]:
    """Return a command line that calls `main` of one of our modules in a fresh interpreter."""
    flags = policy.PYTHON_FLAGS
    return [sys.executable, *flags, "-c", BOOT.format(module), argument, str(runtime)]


def narrowing(
    job: Job, *, processes_before: int, reads_all: bool, grants: Mapping[str, Sequence[str]] | None
) -> dict[str, Any]:
    """Return the part of an order that says what a Linux child gives up; see narrow.py."""
    return {
        "user": job.stage.user,
        "reads_all": reads_all,
        "landlock": grants,
        "gpu": job.limits.gpu,
        "rlimits": policy.rlimits(job.limits, processes_before),
        "memory": policy.address_space(job.limits),
        "cpu": job.limits.cpu_seconds,
    }


def launch(  # noqa: PLR0913  what to start, where, and what it keeps
    job: Job,
    words: list[str],
    cwd: Path,
    scratch: Path,
    capture: Capture,
    keep: Sequence[int] = (),
) -> tuple[subprocess.Popen[bytes], socket.socket]:
    """Start the command of a job with one end of a new channel as its standard input.

    Raises OSError, with nothing left open, if the program cannot be started.
    """
    with open_channel(capture) as (ours, theirs):
        process = subprocess.Popen(  # noqa: S603  the command is ours
            words,
            stdin=subprocess.PIPE if sys.platform == "win32" else theirs.fileno(),
            stdout=capture.write,
            stderr=capture.write,
            env=policy.environment(scratch, gpu=job.limits.gpu),
            cwd=cwd,
            start_new_session=True,
            pass_fds=keep,
        )
        if sys.platform == "win32":
            _share(theirs, process)
    return process, ours


@contextmanager
def open_channel(capture: Capture) -> Iterator[tuple[socket.socket, socket.socket]]:
    """Yield our end and the child's end of a new channel, for a block that starts the child.

    The ends that the child has are closed here afterwards, and after an OSError all of them.
    """
    ours, theirs = socket.socketpair()
    try:
        try:
            yield ours, theirs
        finally:
            theirs.close()
            capture.started()
    except OSError:
        ours.close()
        capture.close()
        raise


def _share(theirs: socket.socket, process: subprocess.Popen[bytes]) -> None:
    """Send the child its end on systems where a socket cannot be standard input (Windows)."""
    if sys.platform == "win32" and process.stdin is not None:
        with process.stdin as pipe:
            pipe.write(theirs.share(process.pid).hex().encode() + b"\n")
