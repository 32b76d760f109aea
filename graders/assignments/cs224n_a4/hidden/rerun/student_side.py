"""Run the student's run.py for real, each command in its own process, in the student's child.

    files -> ./rerun/            what the handout's commands read and write
    command -> fork -> run.py    the modules of a new interpreter, torch already imported
                 | output        its end is kept
                 v
            exit status, and the content of the file it should have written

Nothing is graded here.
"""

import contextlib
import inspect
import itertools
import os
import re
import runpy
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn
from unittest import mock

import numpy as np
import torch
from torch.utils.data import DataLoader

from ...student_side import student_module
from ...training_script.student_side import saved_state, script

FOLDER = Path("rerun")
SAID = 4000  # characters kept from a command's output
LARGEST_TEXT = 2**20  # bytes of a file of predictions
OVER = os.WEXITED | os.WNOHANG | os.WNOWAIT
LAST_OUTPUT = 2.0  # seconds for the output to end after the command
# Matches `loss 2.345` or `loss=1e-3`.
LOSS = re.compile(rb"\bloss[ =:]{1,3}([0-9]{1,9}(?:\.[0-9]{1,9})?(?:e[-+]?[0-9]{1,2})?)\b")
LINE_END = re.compile(rb"[\r\n]")
LONGEST = 4_096  # bytes of a line
MOST, SENT = 200_000, 240

Schedule = Mapping[str, int]


def rerun_begins(files: dict[str, Any]) -> bool:
    """Write the course's files; return whether there is a run.py."""
    FOLDER.mkdir(exist_ok=True)
    for name, content in files.items():
        (FOLDER / name).write_bytes(np.asarray(content, dtype=np.uint8).tobytes())
    return script() is not None


def rerun_command(
    arguments: list[str], writes: str, schedule: dict[str, int] | None
) -> dict[str, Any]:
    """Run `python src/run.py arguments`; return how it ended and what it wrote."""
    with contextlib.suppress(FileNotFoundError):
        (FOLDER / writes).unlink()
    started = time.monotonic()
    losses = Losses()
    code, output = _run(lambda: _execute(arguments, schedule), losses)
    return {
        "status": code if code >= 0 else None,
        "signal": -code if code < 0 else None,
        "seconds": time.monotonic() - started,
        "said": output,
        "losses": losses.thinned(),
        **_contents(FOLDER / writes),
    }


def rerun_sees_gpu() -> bool:
    """Return whether torch finds a GPU; tested in a fork, since CUDA does not survive one."""
    code, _ = _run(lambda: int(not torch.cuda.is_available()), Losses())
    return code == 0


# ---------------------------------------------------------------- losses


class Losses:
    """The training losses in the output of run.py, in a progress bar or lines."""

    def __init__(self) -> None:
        self._found: list[float] = []
        self._begun = b""
        self._last = b""

    def read(self, data: bytes) -> None:
        """Add the next output; a redrawn line counts once."""
        *lines, self._begun = LINE_END.split(self._begun + data)
        self._begun = self._begun[-LONGEST:]
        for line in lines:
            match = LOSS.search(line)
            if match is None or len(self._found) == MOST:
                continue
            text = line[: match.end()]
            if text != self._last:
                self._found.append(float(match[1]))
            self._last = text

    def thinned(self) -> list[list[float]]:
        """Return a few hundred evenly spaced (step, loss), including the last."""
        every = max(1, -(-len(self._found) // SENT))
        pairs = [[float(step), loss] for step, loss in enumerate(self._found, 1)]
        return pairs[::-every][::-1]


# ---------------------------------------------------------------- one process


def _run(job: Callable[[], int], losses: Losses) -> tuple[int, str]:
    """Do the job in a fork; return its exit code (negative for a signal) and last output."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        _be_command(job, writing)
    os.close(writing)
    try:
        output = _listen(reading, pid, losses)
    finally:
        os.close(reading)
        with contextlib.suppress(OSError):
            os.killpg(pid, signal.SIGKILL)  # processes that the command left running
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), output


def _be_command(job: Callable[[], int], output: int) -> NoReturn:
    """Never return: a fork must not continue the worker's loop."""
    code = 1
    try:
        with contextlib.suppress(OSError):
            os.setsid()
        os.dup2(output, 1)
        os.dup2(output, 2)
        code = job()
    finally:
        os._exit(code)


def _listen(reading: int, pid: int, losses: Losses) -> str:
    """Return the end of the output until the process exits; its children may keep the pipe open."""
    output, over_since = b"", None
    while over_since is None or time.monotonic() - over_since < LAST_OUTPUT:
        if over_since is None and os.waitid(os.P_PID, pid, OVER) is not None:
            over_since = time.monotonic()
        if select.select([reading], [], [], 0.05)[0]:
            data = os.read(reading, 2**16)
            if not data:
                break
            losses.read(data)
            output = (output + data)[-SAID:]
    return output.decode("utf-8", "replace")


# ---------------------------------------------------------------- inside it


def _execute(arguments: list[str], schedule: Schedule | None) -> int:
    """Run the script as its author would; return the exit status."""
    run = script()
    assert run is not None  # tested in rerun_begins
    os.chdir(FOLDER)
    sys.argv[:] = ["src/run.py", *arguments]
    try:
        trainer = student_module("trainer")  # lets run.py import the other files by any name
        with _without_workers(), _shortened(schedule, trainer):
            runpy.run_path(run, run_name="__main__")
    except SystemExit as error:
        return _exit_status(error.code)
    except BaseException as error:  # noqa: BLE001  reported to the instructor
        _print_error(error, Path(run).parent)
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0


def _exit_status(code: Any) -> int:
    """Return the exit status as the interpreter does: None is 0; a text is printed, and 1."""
    if code is None or isinstance(code, int):
        return int(code or 0) % 256
    print(code, file=sys.stderr)
    return 1


def _print_error(error: BaseException, folder: Path) -> None:
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).parent == folder
    ]  # fmt: skip
    if frames:
        print(f"at {Path(frames[-1].filename).name}, line {frames[-1].lineno}", file=sys.stderr)
    print("".join(traceback.format_exception_only(error)), file=sys.stderr)


@contextlib.contextmanager
def _without_workers() -> Iterator[None]:
    """Load batches in the training process, because workers use sockets.

    The weaker sandbox tier has no sockets.
    """
    original = DataLoader.__init__
    signature = inspect.signature(original)

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        arguments = signature.bind(self, *args, **kwargs).arguments
        for name in ("self", "prefetch_factor", "persistent_workers", "multiprocessing_context"):
            arguments.pop(name, None)
        original(self, **{**arguments, "num_workers": 0})

    with mock.patch.object(DataLoader, "__init__", init):
        yield


@contextlib.contextmanager
def _shortened(schedule: Schedule | None, trainer: ModuleType) -> Iterator[None]:
    """Reduce epochs, batches and examples; every remaining step is the student's own."""
    if schedule is None:
        yield
        return
    kind = trainer.Trainer
    train, iterate = kind.train, DataLoader.__iter__

    def fewer_epochs(self: Any, *args: Any, **kwargs: Any) -> Any:
        self.config.max_epochs = min(self.config.max_epochs, schedule["epochs"])
        return train(self, *args, **kwargs)

    def fewer_batches(loader: Any) -> Iterator[Any]:
        for batch in itertools.islice(iterate(loader), schedule["batches"]):
            yield _first(batch, schedule["examples"])

    with (
        mock.patch.object(kind, "train", fewer_epochs),
        mock.patch.object(DataLoader, "__iter__", fewer_batches),
    ):
        yield


def _first(batch: Any, count: int) -> Any:
    """Return only the first examples of the batch."""
    if isinstance(batch, torch.Tensor):
        return batch[:count]
    if isinstance(batch, list | tuple):
        return [_first(part, count) for part in batch]
    return batch


# ---------------------------------------------------------------- the files it wrote


def _contents(path: Path) -> dict[str, Any]:
    """Return the shapes in a file of parameters, or the bytes of any other file."""
    if path.is_file() and path.suffix != ".params":
        with path.open("rb") as file:
            content = file.read(LARGEST_TEXT)
        return {"kind": "text", "content": np.frombuffer(content, dtype=np.uint8)}
    kind, state = saved_state(path)
    return {
        "kind": kind,
        "shapes": {str(name): list(tensor.shape) for name, tensor in state.items()},
    }
