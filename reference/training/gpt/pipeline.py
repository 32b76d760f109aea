"""The whole pipeline: baselines, only finetuning, then pretraining, finetuning, evaluation."""

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import replace

from graders.data.birthplaces import Data
from reference.data.evaluation import LONDON, constant_accuracy
from reference.training.files import write_text
from reference.training.gpt.accuracy import baselines, evaluated
from reference.training.gpt.metrics import SCHEMA, Metrics, Phase
from reference.training.gpt.plan import Plan
from reference.training.gpt.workers import run_beside, run_here
from reference.training.metrics import versions, write_metrics
from reference.training.phase import Report
from reference.training.precision import Machine

LONDON_FILE = "london_baseline_accuracy.txt"

Publish = Callable[[Metrics], None]


def run_pipeline(
    plan: Plan, data: Data, machine: Machine, *, report: Report, publish: Publish
) -> Metrics:
    """Run what is left of the plan; `publish` gets the metrics whenever a phase is finished.

    Raises UsageError if a file is damaged, the disk is full or the folder contains another run.
    """
    plan.claim()
    metrics = _begin(plan, data, machine)
    # In the format of the course's script.
    write_text(plan.out / LONDON_FILE, f"{constant_accuracy(data.dev, LONDON)}\n")
    _publish(metrics, plan, publish)
    done: dict[str, Phase] = {}
    with closing(_phases(plan, machine, report)) as phases:
        for phase in phases:
            done[phase.id] = phase
            metrics = _with(metrics, plan, data, done)
            _publish(metrics, plan, publish)
    return metrics


def _phases(plan: Plan, machine: Machine, report: Report) -> Generator[Phase]:
    """Yield finished phases: run in this process, as on a GPU, or in parallel."""
    return (run_here if machine.workers == 1 else run_beside)(plan, machine, report)


def _begin(plan: Plan, data: Data, machine: Machine) -> Metrics:
    """Return the metrics of a run in which no phase is finished yet."""
    return Metrics(
        preset=plan.preset.name,
        complete=False,
        seed=plan.seed,
        device=machine.name,
        precision=machine.precision,
        versions=versions("torch"),
        data=data.description,
        seconds=0.0,
        baselines=baselines(data),
        phases=(),
        accuracies=(),
    )


def _with(metrics: Metrics, plan: Plan, data: Data, done: dict[str, Phase]) -> Metrics:
    """Return the metrics with the finished phases, in the plan's order."""
    names = [phase for track in plan.tracks for phase in track]
    asked = [phase for phase in names if phase.id in done and phase.kind == "evaluate"]
    return replace(
        metrics,
        complete=len(done) == len(names),
        seconds=round(sum(phase.seconds for phase in done.values()), 3),
        phases=tuple(done[phase.id] for phase in names if phase.id in done),
        accuracies=tuple(
            accuracy for phase in asked for accuracy in evaluated(phase, plan.out, data)
        ),
    )


def _publish(metrics: Metrics, plan: Plan, publish: Publish) -> None:
    write_metrics(plan.out, SCHEMA, metrics)
    publish(metrics)
