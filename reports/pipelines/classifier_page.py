"""The page of one run of the reference classifier: `DIR/index.html`."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from graders.storage.result_json import write_text
from reference.training.classification.metrics import (
    ClassifierMetrics,
    Comparison,
    Evaluation,
    Training,
)
from reports.drawing.charts import Axes, Curve, Look, loss_chart, thinned
from reports.page import render
from reports.pipelines.page import (
    TOLD,
    AccuracyRow,
    Cell,
    Chart,
    accuracies_drawn,
    accuracy_rows,
    drawn,
    duration,
    headline,
)

MODELS = {
    "majority": "Majority class",
    "full": "Full fine-tuning",
    "head": "Head alone",
    "prefix": "Prefix and head",
}
COUNTS = {"full": "all, and 2d + 2", "head": "2d + 2", "prefix": "130d + 2"}
LOOKS: dict[str, Look] = {"full": "second", "head": "first", "prefix": "third"}
TASKS = {"sst2": "Accuracy on sentences (SST-2)", "boolq": "Accuracy on questions (BoolQ)"}
LEVEL = 0.05  # significance level of McNemar's test


@dataclass(frozen=True, slots=True)
class ClassifierView:
    """Everything the template gets; rows of `trainings` and `comparisons` hold a table's cells."""

    metrics: ClassifierMetrics
    title: str
    chosen: str
    headline: tuple[tuple[str, Cell], ...]
    parts: tuple[str, ...]
    rows: tuple[AccuracyRow, ...]
    accuracies: Chart
    constant: tuple[str, ...]
    trainings: tuple[tuple[str, ...], ...]
    comparisons: tuple[tuple[str, ...], ...]
    curves: tuple[Chart, ...]
    duration: str


def write_classifier_page(metrics: ClassifierMetrics, out: Path) -> Path:
    """Write `out/index.html` and return its path."""
    text = render("classifier.html.jinja", classifier_view(metrics))
    return write_text(out / "index.html", text)


def classifier_view(metrics: ClassifierMetrics) -> ClassifierView:
    """Return the run in words and drawings."""
    accuracies = (*(evaluation.accuracy for evaluation in metrics.evaluations), *metrics.majority)
    parts = tuple(dict.fromkeys(accuracy.part for accuracy in accuracies))
    return ClassifierView(
        metrics=metrics,
        title=TASKS[metrics.kind],
        chosen=MODELS[metrics.chosen] if metrics.chosen else "",
        headline=headline(accuracies, "test", MODELS),
        parts=parts,
        rows=tuple(accuracy_rows(accuracies, parts, MODELS)),
        accuracies=accuracies_drawn(accuracies, MODELS, digits=1),
        constant=tuple(
            _constant(evaluation) for evaluation in metrics.evaluations if evaluation.constant
        ),
        trainings=tuple(map(_training_row, metrics.trainings)),
        comparisons=tuple(map(_comparison_row, metrics.comparisons)),
        curves=tuple(chart for training in metrics.trainings for chart in _curves(training)),
        duration=duration(metrics.seconds),
    )


def _constant(evaluation: Evaluation) -> str:
    """Return the sentence about a classifier that has learned nothing."""
    accuracy, label = evaluation.accuracy, int(evaluation.positive > 0)
    return (
        f"{MODELS[accuracy.model]} predicts {label} for every {accuracy.part} item, so its "
        "accuracy is only the share of that label."
    )


def _training_row(training: Training) -> tuple[str, ...]:
    method, epochs = training.method, len(training.epochs)
    cells = (MODELS[method], f"{training.trained:,}", COUNTS[method], str(epochs))
    return (*cells, str(training.chosen), duration(training.seconds))


def _comparison_row(comparison: Comparison) -> tuple[str, ...]:
    pair = f"{MODELS[comparison.first]} against {MODELS[comparison.second]}, {comparison.part}"
    counts = (f"{comparison.only_first:,}", f"{comparison.only_second:,}")
    verdict = "differ" if comparison.p < LEVEL else "not distinguishable"
    return (pair, *counts, f"{comparison.p:.2g}", verdict)


def _curves(training: Training) -> Iterator[Chart]:
    """Yield the charts of loss by step and of dev accuracy by epoch."""
    name, look = MODELS[training.method], LOOKS[training.method]
    losses = Curve("loss", look, tuple((point.step, point.loss) for point in training.curve))
    yield _curve_chart(f"{name}: training loss", losses, Axes("step", "loss"))
    shares = Curve("dev", look, tuple((e.epoch, 100 * e.dev_share) for e in training.epochs))
    yield _curve_chart(f"{name}: accuracy on dev", shares, Axes("epoch", "Accuracy (%)"))


def _curve_chart(title: str, curve: Curve, axes: Axes) -> Chart:
    points = thinned(curve.points, TOLD)
    words = f"{title} by {axes.x}."
    if points:
        first, last = points[0], points[-1]
        words = f"{title}, from {first[1]:.2f} to {last[1]:.2f} at {axes.x} {last[0]:,}."
    return Chart(title, drawn(loss_chart([curve], axes)), words, ((axes.x, tuple(points)),))
