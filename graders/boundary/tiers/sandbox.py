"""Start a child in one of three tiers; the rest of Softmark works the same with each.

    bubblewrap   own namespaces: no network, no other process, no other file
    landlock     kernel rules on files, TCP and signals; its own user if we are root
    none         a plain subprocess, on any system: for code that its own author runs; if we are
                 root, as in a container, another user with limits and fewer system calls

In the first two a child can start warm: as a fork of a process that has imported torch.

Modules that exist only on Linux are imported by the functions that need them.
"""

import logging
import os
import signal
import subprocess
import sys
import tempfile
from enum import Enum
from functools import cache
from pathlib import Path

from graders.boundary import policy
from graders.boundary.limits.capture import FileCapture
from graders.boundary.process import Child, Spawned
from graders.boundary.stage import Stage
from graders.boundary.tiers.launch import Job, command, launch
from graders.model import Limits

LOG = logging.getLogger(__name__)
PROBE_SECONDS = 20.0
PROBE_LIMITS = Limits(PROBE_SECONDS, 20, 2**30, 2**16, 16)


class Tier(Enum):
    """The tiers of the sandbox, the strongest first."""

    BUBBLEWRAP = "bubblewrap"
    LANDLOCK = "landlock"
    NONE = "none"


def best_tier() -> Tier:
    """Return the strongest tier that works on this machine, by trying."""
    return next(tier for tier in Tier if tier_works(tier))


@cache
def tier_works(tier: Tier) -> bool:
    """Return whether a child really starts and gives up its rights in this tier, by trying."""
    return tier is Tier.NONE or (sys.platform == "linux" and _probe(tier, warm=False))


@cache
def warm_works(tier: Tier, preload: tuple[str, ...] = ()) -> bool:
    """Return True if a warm parent can fork children as strictly isolated as cold starts.

    The parent is the one with these modules; it is started if it does not run yet.
    """
    if tier is Tier.NONE or sys.platform != "linux":
        return False
    return _may_fork(tier) and tier_works(tier) and _probe(tier, warm=True, preload=preload)


def _may_fork(tier: Tier) -> bool:
    """Return whether a forked child could be isolated as strictly as one that starts cold."""
    from graders.boundary.child.landlock import SCOPES_ABI, abi

    return tier is Tier.BUBBLEWRAP or abi() >= SCOPES_ABI


def start_ahead(tier: Tier, preload: tuple[str, ...]) -> None:
    """Start the warm parent early, if children will be forked.

    Its imports take seconds, during which the upload and the checks are read.
    """
    if tier is not Tier.NONE and _may_fork(tier) and (tier is Tier.LANDLOCK or os.geteuid() == 0):
        from graders.boundary.tiers import warm  # exists only on Linux

        warm.parent(preload)


def _probe(tier: Tier, *, warm: bool, preload: tuple[str, ...] = ()) -> bool:
    """Return whether a child without a submission gives up its rights and ends normally."""
    stage = Stage(None, None, user_for(tier))
    job = Job(stage, PROBE_LIMITS, seed=0, probe=True, preload=preload)
    try:
        child = _start(tier, job, warm=warm)
        ending = child.end(PROBE_SECONDS)
        return ending is not None and ending.status == 0
    except OSError:
        return False
    finally:
        stage.close()


def user_for(tier: Tier) -> int | None:
    """Return the user that a child of this tier becomes, or None for our own."""
    if sys.platform != "linux":
        return None
    from graders.boundary.tiers.identity import open_to_all, student_user

    needed = (*policy.visible(), Path(tempfile.gettempdir()) / "stage")
    if tier is Tier.NONE and not open_to_all(needed):
        return None
    return student_user()


def start(tier: Tier, job: Job) -> Child:
    """Start a child; raises OSError if the sandbox cannot be built.

    It is forked from a warm parent if the job and the tier allow it, except with a GPU, because a
    driver's state must not be copied. If the warm start fails, the child starts cold.
    """
    if job.warm and not job.limits.gpu and warm_works(tier, job.preload):
        try:
            return _start(tier, job, warm=True)
        except OSError as error:
            LOG.info("a cold start, as the warm one failed: %s", error)
    return _start(tier, job, warm=False)


def _start(tier: Tier, job: Job, *, warm: bool) -> Child:
    if tier is Tier.BUBBLEWRAP:
        from graders.boundary.tiers import bubblewrap

        return bubblewrap.start_warm(job) if warm else bubblewrap.start(job)
    if tier is Tier.LANDLOCK:
        from graders.boundary.tiers import supervised

        return supervised.start_warm(job) if warm else supervised.start(job)
    if job.stage.user is not None:
        from graders.boundary.tiers import supervised

        return supervised.start_as_another(job)
    return _start_plain(job)


def _start_plain(job: Job) -> Child:
    """Start a child without isolation: only its own environment, channel and folder."""
    layout = job.stage.layout
    capture = FileCapture(job.stage.root / "output", job.limits.output_bytes)
    words = command(job, layout, None)
    process, channel = launch(job, words, layout.scratch, layout.scratch, capture)
    return Child(Spawned(process), channel, capture, lambda: _kill_plain(process), job.limits)


def _kill_plain(process: subprocess.Popen[bytes]) -> None:
    """End the child and the processes in its session; one that left the session is not reached."""
    if sys.platform == "win32":
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)
