"""Run `grade.py pipeline --assignment uw-a2`, from its options to a finished run."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from graders.data.labelled import Kind, LabelledData, open_labelled
from reference.models.methods import METHODS, Method
from reference.training.classification.encoders import Chosen, choose_encoder, make_ready
from reference.training.classification.metrics import ClassifierMetrics, Training
from reference.training.classification.plan import Plan
from reference.training.options import named
from reference.training.phase import Report
from reference.training.precision import DTYPES, choose_machine
from reference.training.scalars import Scalar, curve_scalars, write_scalars


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
    wishes: Wishes, report: Report, show: Callable[[ClassifierMetrics], object]
) -> ClassifierMetrics:
    """Run the classifier's pipeline; after each method, write its scalars and call `show`.

    Raises UsageError on options that do not exist and files that cannot be used.
    """
    methods = named("--methods", wishes.methods, METHODS)
    chosen = choose_encoder(wishes.backbone, wishes.out, given_data=wishes.data is not None)
    machine = choose_machine(wishes.device, wishes.precision)

    def publish(metrics: ClassifierMetrics) -> None:
        curves = {f"{each.method}.train": training_scalars(each) for each in metrics.trainings}
        found = (each.accuracy for each in metrics.evaluations)
        write_scalars(wishes.out, curves, (*metrics.majority, *found))
        show(metrics)

    # Same seed as in grading, so that the predictions match.
    with open_labelled(wishes.data, wishes.kind) as data:
        plan = _plan(wishes, methods, chosen, data)
        precision = plan.claim(machine.precision, asked=wishes.precision != "auto")
        make_ready(chosen, data.train, wishes.seed)
        # This import of transformers is slow, and not needed to refuse an option.
        from reference.training.classification.pipeline import run_classifier

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


def training_scalars(training: Training) -> list[Scalar]:
    """Return the curve, and dev loss and accuracy of each epoch."""
    scalars = curve_scalars(training.curve)
    scalars += [("dev/loss", each.epoch, each.dev_loss) for each in training.epochs]
    return scalars + [("dev/accuracy", each.epoch, each.dev_share) for each in training.epochs]
