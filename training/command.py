"""From what `grade.py pipeline` was asked for to a finished run."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from graders.data import open_data
from graders.errors import Misuse
from training.metrics import Metrics
from training.phases import Report
from training.pipeline import run_pipeline
from training.plan import Plan
from training.precision import choose_machine
from training.preset import PRESETS, Preset, Variant
from training.scalars import write_scalars


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
    """Run the pipeline; after each phase its scalars are written and `show` is called.

    Raises Misuse on options that do not exist and files that cannot be used.
    """
    preset, variants = _preset(wishes), _variants(wishes.variants)

    def publish(metrics: Metrics) -> None:
        write_scalars(metrics, wishes.out)
        show(metrics)

    with open_data(wishes.data) as data:
        plan = Plan(preset, variants, data.folder, data.description, wishes.out, wishes.seed)
        machine = choose_machine(wishes.device, wishes.precision, tracks=len(plan.tracks))
        return run_pipeline(plan, data, machine, report=report, publish=publish)


def _preset(wishes: Wishes) -> Preset:
    """The preset asked for; without one, the course's for the course's files."""
    name = wishes.preset or ("demo" if wishes.data is None else "cs224n-a4")
    for each in PRESETS.values():
        if each.name == name:
            return each
    names = ", ".join(f"`{each}`" for each in PRESETS)
    raise Misuse(f"--preset: there is no `{name}`", f"there is {names}")


def _variants(text: str) -> tuple[Variant, ...]:
    """The variants in the order of the course, each once."""
    asked = {part.strip() for part in text.split(",") if part.strip()}
    known: tuple[Variant, ...] = get_args(Variant)
    if not asked or asked - set(known):
        wrong = ", ".join(sorted(asked - set(known))) or text
        raise Misuse(f"--variants: there is no `{wrong}`", "there is `vanilla` and `rope`")
    return tuple(variant for variant in known if variant in asked)
