"""From what `grade.py pipeline --assignment uw-a2` was asked for to a finished run."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from graders.errors import Misuse
from graders.labelled import Kind, LabelledData, open_labelled
from reference.methods import METHODS, Method
from training.classification.encoders import Chosen, choose_encoder, make_ready
from training.classification.metrics import ClassifierMetrics
from training.classification.plan import Plan, claim
from training.classification.scalars import write_scalars
from training.precision import choose_machine

DTYPES = {"bf16": torch.bfloat16, "fp32": torch.float32}


@dataclass(frozen=True, slots=True)
class Wishes:
    """The options of the command, as they were typed."""

    assignment: str
    kind: Kind
    out: Path
    data: Path | None
    backbone: str
    methods: str
    device: str
    precision: str
    seed: int


def train(
    wishes: Wishes,
    report: Callable[[str, int, int, float | None], None],
    show: Callable[[ClassifierMetrics], object],
) -> ClassifierMetrics:
    """Run the classifier's pipeline; after each method its scalars are written, `show` is called.

    Raises Misuse on options that do not exist and files that cannot be used.
    """
    methods = chosen_methods(wishes.methods)
    chosen = choose_encoder(wishes.backbone, wishes.out, given_data=wishes.data is not None)
    machine = choose_machine(wishes.device, wishes.precision)

    def publish(metrics: ClassifierMetrics) -> None:
        write_scalars(metrics, wishes.out)
        show(metrics)

    # Its seed is the one that submissions are graded with, so that predictions fit.
    with open_labelled(wishes.data, wishes.kind) as data:
        plan = _plan(wishes, methods, chosen, data)
        precision = claim(plan, machine.precision, asked=wishes.precision != "auto")
        make_ready(chosen, data.train, wishes.seed)
        # It imports transformers, which takes its time and is not needed to refuse an option.
        from training.classification.pipeline import run_classifier

        machine = replace(machine, dtype=DTYPES[precision])
        return run_classifier(plan, data, machine, report=report, publish=publish)


def _plan(wishes: Wishes, methods: tuple[Method, ...], chosen: Chosen, data: LabelledData) -> Plan:
    return Plan(
        wishes.assignment,
        wishes.kind,
        chosen.encoder,
        chosen.folder,
        chosen.name,
        methods,
        data.description,
        wishes.out,
        wishes.seed,
    )


def chosen_methods(text: str) -> tuple[Method, ...]:
    """The methods in the order of the courses, each once; raises Misuse on others."""
    asked = {part.strip() for part in text.split(",") if part.strip()}
    if not asked or asked - set(METHODS):
        wrong = ", ".join(sorted(asked - set(METHODS))) or text
        raise Misuse(f"--methods: there is no `{wrong}`", "there is `full`, `head` and `prefix`")
    return tuple(method for method in METHODS if method in asked)
