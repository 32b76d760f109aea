"""Examine what this machine offers for grading: sandbox, torch, device, data."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from graders.boundary.tiers.sandbox import Tier, best_tier, tier_works, warm_works
from graders.data.course import describe_data, holds_data
from graders.data.declared import refuse_other_data
from graders.errors import UserError
from graders.registry.discovery import assignment_names, load_assignment
from graders.registry.packages import (
    install,
    missing_packages,
    named,
    packages_of,
    torch_wanted,
)

PROBE = "import torch; print(torch.__version__, torch.cuda.is_available())"


@dataclass(frozen=True, slots=True)
class Symptom:
    """One thing that was examined; `good` is False if it needs attention."""

    name: str
    state: str
    good: bool


def examine(data: Path | None, assignment: str = "") -> tuple[Symptom, ...]:
    """Return everything that determines whether and how well this machine can grade.

    With an assignment, the data are only compared with what it declares.
    """
    return (
        Symptom("python", sys.version.split()[0], sys.version_info >= (3, 11)),
        *_torch(),
        _sandbox(),
        *(_tier(tier) for tier in (Tier.BUBBLEWRAP, Tier.LANDLOCK)),
        _memory(),
        _data(data, assignment),
        *_packages(),
    )


def _torch() -> tuple[Symptom, Symptom]:
    """Examine torch in a separate process, because a broken torch must not end the doctor."""
    probe = subprocess.run(  # noqa: S603  our own interpreter and a constant
        [sys.executable, "-c", PROBE], capture_output=True, text=True, check=False
    )
    if probe.returncode != 0:
        reason = (probe.stderr.strip().splitlines() or ["it does not import"])[-1]
        return Symptom("torch", reason, good=False), Symptom("device", "none", good=False)
    version, cuda = probe.stdout.split()
    device = "cuda and cpu" if cuda == "True" else "cpu (checks of code need no GPU)"
    return Symptom("torch", version, good=True), Symptom("device", device, good=True)


def _sandbox() -> Symptom:
    tier = best_tier()
    if tier is Tier.NONE:
        state = "none: run and batch refuse; install bubblewrap (apt-get install bubblewrap)"
        return Symptom("isolation", state, good=False)
    return Symptom("isolation", tier.value, good=True)


def _tier(tier: Tier) -> Symptom:
    works = tier_works(tier)
    start = "starts warm" if warm_works(tier) else "starts cold: importing torch each time"
    state = f"works, {start}" if works else "does not work here"
    return Symptom(f"  {tier.value}", state, good=works)


def _memory() -> Symptom:
    """Report what limits the memory of all processes of a submission together."""
    if sys.platform != "linux":
        return Symptom("  memory", "of each process, as far as the system limits it", good=True)
    from graders.boundary.limits.cgroup import find_place

    place = find_place()
    if place is None:
        state = (
            "measured four times a second; for a limit in the kernel, grade as root or with "
            "`systemd-run --user --scope -p Delegate=yes`"
        )
        return Symptom("  memory", state, good=True)
    return Symptom("  memory", f"control groups, version {2 if place.unified else 1}", good=True)


def _data(folder: Path | None, assignment: str) -> Symptom:
    try:
        if folder is not None and assignment:
            refuse_other_data(load_assignment(assignment), folder)
            return Symptom("data", str(folder), good=True)
        described = describe_data(folder)
        for task in (load_assignment(name) for name in assignment_names()):
            if folder is not None and holds_data(task.data, folder):
                refuse_other_data(task, folder)
    except UserError as error:
        return Symptom("data", f"{error} ({error.hint})", good=False)
    return Symptom("data", described, good=True)


def _packages() -> Iterator[Symptom]:
    """Yield the assignments that cannot be graded here because a package is missing."""
    for name in assignment_names():
        task = load_assignment(name)
        if missing := missing_packages(task):
            yield Symptom(name, f"needs {named(missing)}: {install(missing)}", good=False)
        elif wanted := torch_wanted(packages_of(task)):
            yield Symptom(name, f"needs {wanted}: pip install '{wanted}'", good=False)
