"""Run `grade.py pipeline`, from its options to a finished run."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from graders.data.birthplaces import open_data
from graders.errors import UsageError
from reference.training.gpt.metrics import Metrics
from reference.training.gpt.pipeline import run_pipeline
from reference.training.gpt.plan import Plan
from reference.training.gpt.preset import PRESETS, Preset, Variant
from reference.training.options import named
from reference.training.phase import Report
from reference.training.precision import choose_machine
from reference.training.scalars import curve_scalars, write_scalars


@dataclass(frozen=True, slots=True)
class Wishes:
    """The options of the command, as they were typed."""

    out: Path
    data: Path | None
    variants: str
    preset: str
    device: str
    precision: str
    seed: int


def train(wishes: Wishes, report: Report, show: Callable[[Metrics], object]) -> Metrics:
    """Run the pipeline; after each phase, write its scalars and call `show`.

    Raises UsageError on options that do not exist and files that cannot be used.
    """
    known: tuple[Variant, ...] = get_args(Variant)
    preset, variants = _preset(wishes), named("--variants", wishes.variants, known)

    def publish(metrics: Metrics) -> None:
        curves = {each.id: curve_scalars(each.curve) for each in metrics.phases if each.curve}
        write_scalars(wishes.out, curves, (*metrics.baselines, *metrics.accuracies))
        show(metrics)

    with open_data(wishes.data) as data:
        plan = Plan(preset, variants, data.folder, data.description, wishes.out, wishes.seed)
        machine = choose_machine(wishes.device, wishes.precision, tracks=len(plan.tracks))
        return run_pipeline(plan, data, machine, report=report, publish=publish)


def _preset(wishes: Wishes) -> Preset:
    """Return the requested preset; by default, the course's preset for the course's files."""
    name = wishes.preset or ("demo" if wishes.data is None else "cs224n-a4")
    for each in PRESETS.values():
        if each.name == name:
            return each
    names = ", ".join(f"`{each}`" for each in PRESETS)
    raise UsageError(f"--preset: there is no `{name}`", f"there is {names}")
