"""Run `grade.py pipeline --assignment uw-a2`, from its options to a finished run."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from graders.data.labelled import Kind, LabelledData, open_labelled
from reference.models.methods import METHODS, Method
from reference.training.classification.encoders import Chosen, choose_encoder, make_ready
from reference.training.classification.metrics import ClassifierMetrics, Training
from reference.training.classification.plan import Plan
from reference.training.phase import Report, parse_names
from reference.training.precision import DTYPES, choose_machine
from reference.training.scalars import Scalar, curve_scalars, write_scalars


@dataclass(frozen=True, slots=True)
class Options:
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
    options: Options, report: Report, show: Callable[[ClassifierMetrics], object]
) -> ClassifierMetrics:
    """Run the classifier's pipeline; after each method, write its scalars and call `show`.

    Raises UsageError on options that do not exist and files that cannot be used.
    """
    methods = parse_names("--methods", options.methods, METHODS)
    chosen = choose_encoder(options.backbone, options.out, given_data=options.data is not None)
    machine = choose_machine(options.device, options.precision)

    def publish(metrics: ClassifierMetrics) -> None:
        curves = {
            f"{training.method}.train": training_scalars(training) for training in metrics.trainings
        }
        accuracies = (evaluation.accuracy for evaluation in metrics.evaluations)
        write_scalars(options.out, curves, (*metrics.majority, *accuracies))
        show(metrics)

    # Same seed as in grading, so that the predictions match.
    with open_labelled(options.data, options.kind) as data:
        plan = _plan(options, methods, chosen, data)
        precision = plan.claim(machine.precision, requested=options.precision != "auto")
        make_ready(chosen, data.train, options.seed)
        # This import of transformers is slow, and not needed to refuse an option.
        from reference.training.classification.pipeline import run_classifier

        machine = replace(machine, dtype=DTYPES[precision])
        return run_classifier(plan, data, machine, report=report, publish=publish)


def _plan(
    options: Options, methods: tuple[Method, ...], chosen: Chosen, data: LabelledData
) -> Plan:
    return Plan(
        options.assignment,
        options.kind,
        chosen.encoder,
        chosen.folder,
        chosen.name,
        methods,
        data.description,
        options.out,
        options.seed,
    )


def training_scalars(training: Training) -> list[Scalar]:
    """Return the curve, and dev loss and accuracy of each epoch."""
    scalars = curve_scalars(training.curve)
    scalars += [("dev/loss", epoch.epoch, epoch.dev_loss) for epoch in training.epochs]
    return scalars + [("dev/accuracy", epoch.epoch, epoch.dev_share) for epoch in training.epochs]
