"""Train a submission's model again: the plan of `--rerun` and the process that runs it.

    --rerun -> plan_rerun -> RerunPlan -> Options -> open_rerun -> Rerun -> the fixture `rerun`

On a GPU the student's own schedule runs. On a CPU it would take days, so a Schedule shortens it to
a few steps, and only for the built-in sample dataset, on which the accuracy doesn't matter.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from graders.boundary.side import Side
from graders.boundary.student import Student
from graders.boundary.tiers.sandbox import Tier
from graders.errors import UsageError
from graders.execution.rerun_memory import free_bytes, free_gpu_bytes, jobs_that_fit
from graders.model import Assignment

WALL_MINUTES = 60.0
CORES = 4  # CPU seconds per second of wall time, so that wall time is the limit that matters


@dataclass(frozen=True, slots=True)
class Schedule:
    """How training is shortened: epochs, batches per epoch, examples per batch, questions."""

    epochs: int
    batches: int
    examples: int
    questions: int

    @property
    def in_words(self) -> str:
        """A description of what was shortened, for the results."""
        return (
            f"shortened to {self.epochs} epochs of {self.batches} batches of at most "
            f"{self.examples} examples, and to {self.questions} questions"
        )


SHORT = Schedule(epochs=2, batches=2, examples=16, questions=8)


@dataclass(frozen=True, slots=True)
class RerunPlan:
    """How to train a submission again; without a Schedule, exactly as its author wrote it."""

    wall_seconds: float
    gpu: bool = False
    schedule: Schedule | None = None

    @property
    def in_words(self) -> str:
        """One line for the Result."""
        where = "on a GPU" if self.gpu else "on the CPU"
        cut = "its own schedule" if self.schedule is None else self.schedule.in_words
        return f"{where}, {cut}, at most {self.wall_seconds / 60:g} minutes"


@dataclass(frozen=True, slots=True)
class Rerun:
    """The process in which the student's run.py trains, and the plan it follows."""

    student: Student
    plan: RerunPlan


def plan_rerun(*, data: Path | None, device: str, minutes: float, tier: Tier) -> RerunPlan:
    """Return the plan for this device; raises UsageError if it cannot train, or only for days."""
    if not 0 < minutes < math.inf:
        raise UsageError(f"--rerun-wall {minutes:g}: more than 0 minutes are needed")
    if device != "cpu" and free_gpu_bytes() is not None:
        if tier is Tier.LANDLOCK:  # a driver needs sockets, which other processes could use
            raise UsageError(
                "--rerun cannot use a GPU in the Landlock sandbox",
                "install bubblewrap, or pass `--device cpu`",
            )
        return RerunPlan(60 * minutes, gpu=True)
    if device == "cuda":
        raise UsageError("--rerun: torch finds no GPU on this machine", "see `grade.py doctor`")
    if data is not None:
        raise UsageError(
            "--rerun trains on a CPU only for the built-in sample dataset",
            "leave --data out, or use a GPU",
        )
    return RerunPlan(60 * minutes, schedule=SHORT)


def jobs_for(plan: RerunPlan, jobs: int) -> int:
    """Return how many of `jobs` may train at the same time: as many as fit in memory."""
    return jobs_that_fit(jobs, free_bytes(), free_gpu_bytes() if plan.gpu else None)


def gpus_for(plan: RerunPlan | None, assignment: Assignment) -> float:
    """Return the share of a GPU that a cluster reserves for one submission, or 0."""
    return assignment.limits.gpus if plan is not None and plan.gpu else 0.0


@contextmanager
def open_rerun(
    code: Path | None, assignment: Assignment, plan: RerunPlan | None, tier: Tier
) -> Iterator[Rerun | None]:
    """Yield the process of this plan, started at the first call, or None without a plan."""
    if plan is None:
        yield None
        return
    limits = replace(
        assignment.limits,
        wall_seconds=plan.wall_seconds,
        cpu_seconds=math.ceil(plan.wall_seconds) * CORES,
        total_seconds=math.inf,  # `wall_seconds` alone limits it, for all commands together
        gpu=plan.gpu,
    )
    side = Side(assignment.folder)
    with Student(code, side, limits, seed=assignment.seed, tier=tier) as student:
        yield Rerun(student, plan)
