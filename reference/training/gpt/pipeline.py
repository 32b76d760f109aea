"""Run `grade.py pipeline`, from its options to a finished run.

The whole pipeline: baselines, only finetuning, then pretraining, finetuning, evaluation.
"""

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

from graders.data.birthplaces import Data, open_data
from graders.errors import UsageError
from reference.data.evaluation import LONDON, constant_accuracy, majority_place
from reference.training.files import write_text
from reference.training.gpt.metrics import SCHEMA, Metrics, Phase
from reference.training.gpt.plan import PhaseSpec, Plan
from reference.training.gpt.preset import PRESETS, Preset, Variant
from reference.training.gpt.workers import run_here, run_in_parallel
from reference.training.metrics import PARTS, Accuracy, accuracy, versions, write_metrics
from reference.training.phase import Report, parse_names
from reference.training.precision import Machine, choose_machine
from reference.training.scalars import curve_scalars, write_scalars

LONDON_FILE = "london_baseline_accuracy.txt"

Publish = Callable[[Metrics], None]


@dataclass(frozen=True, slots=True)
class Options:
    """The options of the command, as they were typed."""

    out: Path
    data: Path | None
    variants: str
    preset: str
    device: str
    precision: str
    seed: int


def train(options: Options, report: Report, show: Callable[[Metrics], object]) -> Metrics:
    """Run the pipeline; after each phase, write its scalars and call `show`.

    Raises UsageError on options that do not exist and files that cannot be used.
    """
    choices: tuple[Variant, ...] = get_args(Variant)
    preset, variants = _preset(options), parse_names("--variants", options.variants, choices)

    def publish(metrics: Metrics) -> None:
        curves = {phase.id: curve_scalars(phase.curve) for phase in metrics.phases if phase.curve}
        write_scalars(options.out, curves, (*metrics.baselines, *metrics.accuracies))
        show(metrics)

    with open_data(options.data) as data:
        plan = Plan(preset, variants, data.folder, data.description, options.out, options.seed)
        machine = choose_machine(options.device, options.precision, tracks=len(plan.tracks))
        return run_pipeline(plan, data, machine, report=report, publish=publish)


def _preset(options: Options) -> Preset:
    """Return the requested preset; by default, the course's preset for the course's files."""
    name = options.preset or ("demo" if options.data is None else "cs224n-a4")
    for preset in PRESETS.values():
        if preset.name == name:
            return preset
    names = ", ".join(f"`{key}`" for key in PRESETS)
    raise UsageError(f"--preset: there is no `{name}`", f"there is {names}")


def run_pipeline(
    plan: Plan, data: Data, machine: Machine, *, report: Report, publish: Publish
) -> Metrics:
    """Run what is left of the plan; `publish` gets the metrics whenever a phase is finished.

    Raises StorageError if a file is damaged or the disk is full, and UsageError if the folder
    contains another run.
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
    if machine.workers == 1:
        return run_here(plan, machine, report)
    return run_in_parallel(plan, machine, report)


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
    evaluations = [phase for phase in names if phase.id in done and phase.kind == "evaluate"]
    return replace(
        metrics,
        complete=len(done) == len(names),
        seconds=round(sum(phase.seconds for phase in done.values()), 3),
        phases=tuple(done[phase.id] for phase in names if phase.id in done),
        accuracies=tuple(
            result for phase in evaluations for result in evaluated(phase, plan.out, data)
        ),
    )


def _publish(metrics: Metrics, plan: Plan, publish: Publish) -> None:
    write_metrics(plan.out, SCHEMA, metrics)
    publish(metrics)


def baselines(data: Data) -> tuple[Accuracy, ...]:
    """Return the baselines: London, and the training set's most frequent place, for everybody."""
    constant = {"london": LONDON, "majority": majority_place(data.train)}
    return tuple(
        accuracy(name, part, [place] * len(gold), gold)
        for name, place in constant.items()
        for part in PARTS
        if (gold := gold_of(data, part)) is not None
    )


def evaluated(phase: PhaseSpec, folder: Path, data: Data) -> tuple[Accuracy, ...]:
    """Return the accuracies of an evaluation's files, if the answers are known."""
    accuracies = []
    for part in PARTS:
        gold = gold_of(data, part)
        if gold is not None:
            text = (folder / phase.prediction_file(part)).read_text(encoding="utf-8")
            predictions = text.removesuffix("\n").split("\n")
            accuracies.append(accuracy(phase.model, part, predictions, gold))
    return tuple(accuracies)


def gold_of(data: Data, part: str) -> tuple[str, ...] | None:
    """Return the correct places, or None if they are not known."""
    return data.dev if part == "dev" else data.test
