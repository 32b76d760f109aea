"""The fallback tier: a child restricted by Landlock, below a supervisor (Linux only)."""

import os
import socket
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from graders.boundary import policy
from graders.boundary.child import forker, landlock
from graders.boundary.limits import usage
from graders.boundary.limits.capture import PipeCapture
from graders.boundary.limits.cgroup import Group, group_for, watch_memory
from graders.boundary.process import Child, LimitExceeded, Process, Spawned
from graders.boundary.tiers import warm
from graders.boundary.tiers.identity import open_to_all, processes_of_this_user
from graders.boundary.tiers.launch import Job, command, launch, narrowing, order

SUPERVISOR = Path(__file__).parents[1] / "child" / "supervisor.py"
DEVICES = ("/dev/null", "/dev/full", "/dev/random", "/dev/urandom")
MACHINE = ("/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/sys/devices/system/cpu")
# From the supervisor's end of its pipe, the output and the control group.
Begin = Callable[[int, PipeCapture, Group | None], tuple[Process, socket.socket]]


def start(job: Job) -> Child:
    """Start a child under Landlock; it says hello after it has given up its rights."""
    if landlock.abi() < landlock.NEEDED_ABI:
        raise OSError("this kernel has no Landlock, or one that cannot keep files whole")
    return _start(job, partial(_launch, job, _narrowing(job)))


def start_as_another(job: Job) -> Child:
    """Start like `start` but without Landlock: the child may do whatever another user may."""
    narrow = narrowing(job, processes_before=0, reads_all=False, grants={})
    return _start(job, partial(_launch, job, narrow))


def start_warm(job: Job) -> Child:
    """Start like `start`, with supervisor and child forked from the warm parent."""
    words = order(job, job.stage.layout, _narrowing(job))
    words["environment"] = policy.environment(job.stage.layout.scratch)
    return _start(
        job,
        lambda heard, capture, group: warm.fork(
            forker.SUPERVISE, words, capture, heard, job.preload, group
        ),
    )


def _start(job: Job, begin: Begin) -> Child:
    """Start a supervisor and its child, which end when the pipe to the supervisor is closed."""
    heard, control = os.pipe()
    capture = PipeCapture(job.limits.output_bytes)
    with group_for(job.limits) as group:
        try:
            process, channel = begin(heard, capture, group)
        except OSError:
            os.close(control)
            raise
        finally:
            os.close(heard)
    watch = partial(_watch, process.pid, job, group)
    return Child(process, channel, capture, lambda: os.close(control), job.limits, watch, group)


def _launch(
    job: Job, narrow: dict[str, Any], heard: int, capture: PipeCapture, group: Group | None
) -> tuple[Process, socket.socket]:
    """Start the supervisor in a fresh interpreter."""
    layout = job.stage.layout
    inner = command(job, layout, narrow)
    words = [sys.executable, "-I", "-S", str(SUPERVISOR), str(heard), *inner]
    words = group.command(words) if group is not None else words
    process, channel = launch(job, words, layout.scratch, layout.scratch, capture, (heard,))
    return Spawned(process), channel


def _narrowing(job: Job) -> dict[str, Any]:
    seen = policy.visible()
    return narrowing(
        job,
        processes_before=0 if job.stage.user is not None else processes_of_this_user(),
        reads_all=job.stage.user is not None and not open_to_all((*seen, job.stage.root)),
        grants=grants(job.stage.layout, seen),
    )


def _watch(pid: int, job: Job, group: Group | None) -> int:
    """Return the tree's memory in bytes, or 0; raises LimitExceeded if it is too large."""
    scratch = job.stage.layout.scratch
    size, files = usage.measure_folder(scratch, policy.TREE_FILES)
    hidden = usage.held_open(pid, system=scratch.stat().st_dev, largest=policy.FILE_BYTES)
    if size + hidden.size > policy.SCRATCH_BYTES:
        raise LimitExceeded("it wrote too much to disk")
    if files + hidden.files > policy.TREE_FILES:
        raise LimitExceeded("it made too many files")
    return watch_memory(group, job.limits, pid, sockets=hidden.sockets)


def grants(layout: policy.Layout, seen: tuple[Path, ...]) -> dict[str, list[str]]:
    """Return the Landlock rules of one child, by kind of access."""
    readable, listable = _without(seen, policy.hidden(seen))
    readable |= {layout.runtime, layout.code, *filter(Path.exists, map(Path, MACHINE))}
    return {
        "read": sorted(map(str, readable)),
        "list": sorted(map(str, listable)),
        "write": [str(layout.scratch)],
        "device": [device for device in DEVICES if Path(device).exists()],
    }


def _without(seen: tuple[Path, ...], hidden: tuple[Path, ...]) -> tuple[set[Path], set[Path]]:
    """Return the folders to read, and those in which only the names may be listed.

    A rule on a folder applies to everything below it, so a folder that contains something hidden
    is granted entry by entry.
    """
    readable, listable = {path.resolve() for path in seen}, set[Path]()
    for secret in hidden:
        while above := next((path for path in readable if secret.is_relative_to(path)), None):
            readable.discard(above)
            if above != secret:
                listable.add(above)
                readable |= {entry.resolve() for entry in above.iterdir() if entry != secret}
    return readable, listable
