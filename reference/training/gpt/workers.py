"""Run tracks of phases, one after another or in parallel processes.

    worker: phase, phase, ...  -- queue: steps done | phase done | failed -->  this process

Models of this size do not use two cores fully, so on a CPU, two processes with one thread each are
faster than one with two threads.
"""

import multiprocessing
import os
import queue
import signal
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from multiprocessing.process import BaseProcess

import torch

from graders.errors import UsageError, UserError
from reference.training.gpt.metrics import Phase
from reference.training.gpt.phases import run_phase
from reference.training.gpt.plan import PhaseSpec, Plan
from reference.training.phase import Report
from reference.training.precision import Machine

LOOK_SECONDS = 0.5  # between two checks whether a silent worker is still alive


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a worker in a phase."""

    phase: str
    steps: int
    all_steps: int
    loss: float | None


@dataclass(frozen=True, slots=True)
class Failed:
    """A worker had to stop."""

    message: str
    hint: str


Message = Progress | Phase | Failed
Track = tuple[PhaseSpec, ...]


def run_here(plan: Plan, machine: Machine, report: Report) -> Generator[Phase]:
    """Yield every phase of the plan, in order, from this process."""
    torch.set_num_threads(machine.threads)
    for track in plan.tracks:
        for phase in track:
            yield run_phase(phase, plan, machine, report)


def run_in_parallel(plan: Plan, machine: Machine, report: Report) -> Generator[Phase]:
    """Yield every phase when it is finished, from as many processes as the machine has room for."""
    workers = machine.workers
    context = multiprocessing.get_context("spawn")
    messages: multiprocessing.Queue[Message] = context.Queue()
    tracks: multiprocessing.Queue[Track | None] = context.Queue()
    for track in (*plan.tracks, *([None] * workers)):
        tracks.put(track)
    running: list[BaseProcess] = [
        context.Process(target=_work, args=(plan, machine, tracks, messages, os.getpid()))
        for _ in range(workers)
    ]
    try:
        for process in running:
            process.start()
        yield from _listen(running, messages, report, sum(map(len, plan.tracks)))
    finally:
        for process in running:
            process.kill()
            process.join()


def _listen(
    running: list[BaseProcess],
    messages: "multiprocessing.Queue[Message]",
    report: Report,
    phases: int,
) -> Iterator[Phase]:
    """Yield the phases when they are finished. Raises UsageError if a worker fails or dies."""
    while phases:
        try:
            message = messages.get(timeout=LOOK_SECONDS)
        except queue.Empty:
            _refuse_dead(running)
            continue
        match message:
            case Progress(phase, steps, all_steps, loss):
                report(phase, steps, all_steps, loss)
            case Failed(text, hint):
                raise UsageError(text, hint)
            case Phase():
                phases -= 1
                yield message


def _refuse_dead(running: list[BaseProcess]) -> None:
    code = next((process.exitcode for process in running if process.exitcode), None)
    if code is not None:
        raise UsageError(
            f"a training process ended by itself (exit code {code})",
            "is there enough memory? the same command resumes where it stopped",
        )


def _work(
    plan: Plan,
    machine: Machine,
    tracks: "multiprocessing.Queue[Track | None]",
    messages: "multiprocessing.Queue[Message]",
    parent: int,
) -> None:
    """Run tracks until there are none; stop if the parent process is gone."""
    # The parent ends its workers. An interrupt inside put() could leave a queue that never closes.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    torch.set_num_threads(machine.threads)

    def report(phase: str, steps: int, all_steps: int, loss: float | None) -> None:
        if os.getppid() != parent:
            os._exit(1)
        messages.put(Progress(phase, steps, all_steps, loss))

    try:
        while (track := tracks.get()) is not None:
            for phase in track:
                messages.put(run_phase(phase, plan, machine, report))
    except UserError as error:
        messages.put(Failed(str(error), error.hint))
