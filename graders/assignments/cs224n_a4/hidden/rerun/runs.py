"""Run the handout's commands again, and record how each of them ended.

    pretrain vanilla, rope -> finetune without, vanilla, rope -> evaluate each on dev and test

A command is not run if its input is missing because an earlier one failed. If the process had to be
killed, the list ends there.
"""

import signal
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

import numpy as np

from graders.boundary.outcome import clean
from graders.boundary.student import Student
from graders.boundary.wire import Value
from graders.checks.compare import skip
from graders.data.birthplaces import DEV, TEST_INPUTS, TRAIN, WIKI, Data
from graders.errors import GraderFault, StudentFault
from graders.grading.rerun import Rerun, Schedule

from ...training_script.runs import Command
from ..checkpoints.submitted import CHECKPOINTS
from ..predictions.submitted import QUESTIONS, file_name

LINES = 5  # of the last output of a command
CHARACTERS = 160  # of each of them
MOST_LOSSES = 240
MOST_TENSORS, MOST_DIMENSIONS, LONGEST_NAME = 500, 8, 200  # a course model has 76, 4 and 30

Shapes = Mapping[str, tuple[int, ...]]


COMMANDS = (
    *(Command("pretrain", kind, f"{kind}.pretrain.params") for kind in ("vanilla", "rope")),
    *(
        Command("finetune", checkpoint.variant, checkpoint.file, checkpoint.starts_from)
        for checkpoint in CHECKPOINTS
    ),
    *(
        Command(
            "evaluate",
            checkpoint.variant,
            file_name(checkpoint.model, part),
            checkpoint.file,
            questions=file,
        )
        for checkpoint in CHECKPOINTS
        for part, file in QUESTIONS.items()
    ),
)


@dataclass(frozen=True, slots=True)
class Ran:
    """The result of one command: its problem, if any, its last output, and its file's content.

    `over`: the process was killed, and the files of all commands are gone.
    """

    command: Command
    problem: str = ""
    over: bool = False
    output: tuple[str, ...] = ()
    seconds: float = 0.0
    shapes: Shapes = field(default_factory=dict)
    content: bytes = b""
    losses: tuple[tuple[float, float], ...] = ()


def rerun_of(rerun: Rerun, data: Data) -> Sequence[Ran]:
    """Run each of COMMANDS with the student's run.py, once for all checks."""
    ran = rerun.student.once("rerun", lambda: _run_all(rerun, data))
    if not ran:
        skip("There is no run.py next to attention.py, so nothing can be trained again.")
    return ran


def _run_all(rerun: Rerun, data: Data) -> Sequence[Ran]:
    if rerun.plan.gpu:
        _demand_gpu(rerun.student)
    try:
        files = _files(data, rerun.plan.schedule)
        if not rerun.student.call("rerun_begins", files=files, read=lambda reply: reply is True):
            return ()
    except StudentFault as fault:
        return [Ran(COMMANDS[0], f"was not run: {fault}", over=True)]
    ran: list[Ran] = []
    for command in COMMANDS:
        written = {run.command.writes for run in ran if run.shapes}
        if ran and ran[-1].over:
            break
        if command.reads and command.reads not in written:
            ran.append(Ran(command, f"was not run, because `{command.reads}` is missing."))
        else:
            ran.append(_run(command, rerun))
    return ran


def _demand_gpu(student: Student) -> None:
    """Raise GraderFault if the sandbox has no GPU: run.py would train on the CPU, for days.

    No student code has run yet, so any problem is ours.
    """
    try:
        seen = student.call("rerun_sees_gpu", read=lambda reply: reply is True)
    except StudentFault:
        seen = False
    if not seen:
        raise GraderFault("torch finds a GPU on this machine, but none inside the sandbox")


def _run(command: Command, rerun: Rerun) -> Ran:
    schedule = rerun.plan.schedule
    try:
        return rerun.student.call(
            "rerun_command",
            arguments=list(command.arguments),
            writes=command.writes,
            schedule=None if schedule is None else asdict(schedule),
            read=partial(_ran, command),
        )
    except StudentFault as fault:
        return Ran(command, f"did not finish. {fault}", over=True)


def _files(data: Data, schedule: Schedule | None) -> dict[str, Value]:
    """Return the course's files as bytes; a schedule keeps only the first questions."""
    files: dict[str, Value] = {}
    for name in (WIKI, TRAIN, DEV, TEST_INPUTS):
        content = (data.folder / name).read_bytes()
        if schedule is not None and name in QUESTIONS.values():
            content = b"".join(content.splitlines(keepends=True)[: schedule.questions])
        files[name] = np.frombuffer(content, dtype=np.uint8)
    return files


# ---------------------------------------------------------------- a reply, which is untrusted


def _ran(command: Command, reply: Any) -> Ran:
    output = str(reply["said"]).splitlines()  # also at carriage returns of a progress bar
    lines = [clean(line.strip())[:CHARACTERS] for line in output if line.strip()]
    return Ran(
        command,
        _problem(command, reply),
        output=tuple(lines[-LINES:]),
        seconds=float(reply["seconds"]),
        shapes=_shapes(reply.get("shapes", {})),
        content=np.asarray(reply.get("content", ()), dtype=np.uint8).tobytes(),
        losses=_losses(reply.get("losses")),
    )


def _problem(command: Command, reply: Any) -> str:
    """Return why the command failed; nothing if it succeeded."""
    fault = {
        "missing": f"wrote no `{command.writes}`",
        "not a state dict": f"wrote a `{command.writes}` that contains no state dict",
    }.get(str(reply["kind"]))
    if reply["signal"] is not None:
        ending = f"was killed by {_signal_name(int(reply['signal']))}"
    elif reply["status"] != 0 or fault:
        ending = f"ended with exit status {int(reply['status'])}"
    else:
        return ""
    return f"{ending} and {fault}." if fault else f"{ending}."


def _losses(reply: Any) -> tuple[tuple[float, float], ...]:
    """Return the printed losses, if valid; they are shown but never graded."""
    try:
        return tuple((float(step), float(loss)) for step, loss in reply[:MOST_LOSSES])
    except Exception:  # noqa: BLE001  a reply may be of any type and shape
        return ()


def _signal_name(number: int) -> str:
    try:
        return f"signal {number} ({signal.Signals(number).name})"
    except ValueError:
        return f"signal {number}"


def _shapes(reply: Any) -> Shapes:
    if len(reply) > MOST_TENSORS:
        raise ValueError("not a model of this course")
    return {
        clean(str(name)[:LONGEST_NAME]): tuple(int(n) for n in shape[:MOST_DIMENSIONS])
        for name, shape in reply.items()
    }
