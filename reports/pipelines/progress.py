"""Print the progress of a pipeline to stderr and its accuracies to stdout."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Column, Table

from reference.training.classification.metrics import ClassifierMetrics
from reference.training.gpt.metrics import Metrics
from reference.training.metrics import Accuracy
from reports.terminal.results import ERR, OUT
from reports.text import line

NARROW = 80  # on a narrower terminal, only the remaining time is shown
NARROW_TITLE = 22


@dataclass(slots=True)
class Shown:
    """A phase that is being shown."""

    task: TaskID
    started: float
    done: int
    steps: int
    loss: str = ""


class PipelineProgress:
    """One bar per phase on a terminal; otherwise one line when a phase starts and one when it ends.

    Several phases may run at the same time.
    """

    def __init__(self, console: Console = ERR) -> None:
        self.console = console
        self.bars = Progress(
            *columns(console.width), console=console, disable=not console.is_terminal
        )
        self.shown: dict[str, Shown] = {}

    def __enter__(self) -> Self:
        self.bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        for phase, shown in self.shown.items():
            if shown.done < shown.steps:
                self._say(phase, shown, f"stopped at step {shown.done:,} of {shown.steps:,}")
        self.bars.stop()

    def update(self, phase: str, done: int, steps: int, loss: float | None) -> None:
        """Show how many steps of the phase are finished, and its latest loss."""
        name = line(phase)
        shown = self.shown.get(phase) or self._begin(name, done, steps)
        self.shown[phase] = shown
        shown.done = done
        shown.loss = shown.loss if loss is None else f"loss {loss:.3f}"
        self.bars.update(shown.task, completed=done, loss=shown.loss)
        if done == steps:
            self.bars.stop_task(shown.task)
            self._say(name, shown, "done")

    def _begin(self, name: str, done: int, steps: int) -> Shown:
        if not self.console.is_terminal:
            from_step = f", from step {done:,}" if done else ""
            self.console.print(f"{name}: {steps:,} steps{from_step}", soft_wrap=True)
        task = self.bars.add_task(name, total=steps, completed=done, loss="")
        return Shown(task, time.monotonic(), done, steps)

    def _say(self, name: str, shown: Shown, what: str) -> None:
        if not self.console.is_terminal:
            seconds = time.monotonic() - shown.started
            loss = f", {shown.loss}" if shown.loss else ""
            sentence = f"{name}: {what} after {seconds:.1f} s{loss}"
            self.console.print(sentence, soft_wrap=True)


def columns(width: int) -> tuple[ProgressColumn, ...]:
    """Return phase, bar, steps, loss and times; narrow terminals cut titles and elapsed time."""
    narrow = width < NARROW
    title = Column(no_wrap=True, overflow="ellipsis", max_width=NARROW_TITLE if narrow else None)
    # All columns except the bar keep their width: a short bar is as clear as a long one.
    steps, loss, elapsed, left = (Column(no_wrap=True) for _ in range(4))
    times: tuple[ProgressColumn, ...] = (
        TimeElapsedColumn(table_column=elapsed),
        TextColumn("left", style="dim", table_column=Column(no_wrap=True)),
    )
    return (
        TextColumn("{task.description}", markup=False, table_column=title),
        BarColumn(),
        MofNCompleteColumn(table_column=steps),
        TextColumn("{task.fields[loss]}", markup=False, table_column=loss),
        *(() if narrow else times),
        TimeRemainingColumn(table_column=left),
    )


def show_pipeline(metrics: Metrics, out: Path) -> None:
    """Show the accuracies of a finished run, and where its files are."""
    _show_accuracies((*metrics.baselines, *metrics.accuracies))
    OUT.print(f"checkpoints, predictions, metrics.json and the page: {out / 'index.html'}")


def show_classifier(metrics: ClassifierMetrics, out: Path) -> None:
    """Show a classifier run's accuracies, its constant classifiers, and where its files are."""
    _show_accuracies(
        (*metrics.majority, *(evaluation.accuracy for evaluation in metrics.evaluations))
    )
    for evaluation in metrics.evaluations:
        if evaluation.constant:
            accuracy = evaluation.accuracy
            what = f"{accuracy.model} says the same of every {accuracy.part} item"
            OUT.print(f"{what}: a constant classifier", soft_wrap=True)
    OUT.print(f"weights, predictions, metrics.json and the page: {out / 'index.html'}")


def _show_accuracies(accuracies: Sequence[Accuracy]) -> None:
    table = Table("model", "on", Column("right", justify="right"), "95% interval", box=None)
    for accuracy in accuracies:
        right = f"{accuracy.correct} of {accuracy.n} = {100 * accuracy.share:.1f}%"
        table.add_row(
            accuracy.model,
            accuracy.part,
            right,
            f"{100 * accuracy.low:.1f} to {100 * accuracy.high:.1f}%",
        )
    OUT.print(table)
