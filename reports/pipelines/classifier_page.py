"""The page of one run of the reference classifier: `DIR/index.html`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from graders.storage.result_json import write_text
from reference.training.classification.metrics import (
    ClassifierMetrics,
    Comparison,
    Evaluation,
    Training,
)
from reference.training.metrics import Accuracy
from reports.drawing.charts import Axes, Curve, Look, Whisker, accuracy_chart, loss_chart, thinned
from reports.page import render
from reports.pipelines.page import TOLD, Cell, Chart, cell_of, drawn, duration

MODELS = {
    "majority": "Majority class",
    "full": "Full fine-tuning",
    "head": "Head alone",
    "prefix": "Prefix and head",
}
COUNTS = {"full": "all, and 2d + 2", "head": "2d + 2", "prefix": "130d + 2"}
LOOKS: dict[str, Look] = {"full": "second", "head": "first", "prefix": "third"}
TASKS = {"sst2": "Sentences classified right (SST-2)", "boolq": "Questions answered right (BoolQ)"}
LEVEL = 0.05  # significance level of McNemar's test


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A model's accuracies, one per part of the data."""

    model: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class TrainingRow:
    """A training, formatted for the table."""

    method: str
    trained: str
    formula: str
    epochs: str
    chosen: str
    seconds: str


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """Two models on the same items, formatted for the table."""

    pair: str
    part: str
    only_first: str
    only_second: str
    p: str
    verdict: str


@dataclass(frozen=True, slots=True)
class ClassifierView:
    """Everything that the template gets."""

    metrics: ClassifierMetrics
    title: str
    chosen: str
    headline: tuple[tuple[str, Cell], ...]
    parts: tuple[str, ...]
    rows: tuple[ModelRow, ...]
    accuracies: Chart
    constant: tuple[str, ...]
    trainings: tuple[TrainingRow, ...]
    comparisons: tuple[ComparisonRow, ...]
    curves: tuple[Chart, ...]
    duration: str


def write_classifier_page(metrics: ClassifierMetrics, out: Path) -> Path:
    """Write `out/index.html` and return its path."""
    text = render("classifier.html.jinja", classifier_view(metrics))
    return write_text(out / "index.html", text)


def classifier_view(metrics: ClassifierMetrics) -> ClassifierView:
    """Return the run in words and drawings."""
    accuracies = (*(each.accuracy for each in metrics.evaluations), *metrics.majority)
    return ClassifierView(
        metrics=metrics,
        title=TASKS[metrics.kind],
        chosen=MODELS[metrics.chosen] if metrics.chosen else "",
        headline=tuple((MODELS[a.model], cell_of(a)) for a in accuracies if a.part == "test"),
        parts=tuple(dict.fromkeys(accuracy.part for accuracy in accuracies)),
        rows=tuple(_rows(accuracies)),
        accuracies=_accuracy_chart(accuracies),
        constant=tuple(_constant(each) for each in metrics.evaluations if each.constant),
        trainings=tuple(map(_training_row, metrics.trainings)),
        comparisons=tuple(map(_comparison_row, metrics.comparisons)),
        curves=tuple(chart for each in metrics.trainings for chart in _curves(each)),
        duration=duration(metrics.seconds),
    )


def _rows(accuracies: Sequence[Accuracy]) -> Iterator[ModelRow]:
    for model in dict.fromkeys(accuracy.model for accuracy in accuracies):
        cells = tuple(cell_of(each) for each in accuracies if each.model == model)
        yield ModelRow(MODELS[model], cells)


def _accuracy_chart(accuracies: Sequence[Accuracy]) -> Chart:
    whiskers = [
        Whisker(MODELS[a.model], a.part, share=100 * a.share, low=100 * a.low, high=100 * a.high)
        for a in accuracies
    ]
    told = ", ".join(f"{w.name} on {w.part} {w.share:.1f}%" for w in whiskers)
    words = f"Accuracies with their 95% intervals: {told}."
    return Chart("Accuracies", drawn(accuracy_chart(whiskers)), words)


def _constant(evaluation: Evaluation) -> str:
    """Return the sentence about a classifier that has learned nothing."""
    accuracy, label = evaluation.accuracy, int(evaluation.positive > 0)
    return (
        f"{MODELS[accuracy.model]} says {label} of every {accuracy.part} item: it is a constant "
        "classifier, and its accuracy is only the share of that label."
    )


def _training_row(training: Training) -> TrainingRow:
    return TrainingRow(
        method=MODELS[training.method],
        trained=f"{training.trained:,}",
        formula=COUNTS[training.method],
        epochs=str(len(training.epochs)),
        chosen=str(training.chosen),
        seconds=duration(training.seconds),
    )


def _comparison_row(comparison: Comparison) -> ComparisonRow:
    return ComparisonRow(
        pair=f"{MODELS[comparison.first]} against {MODELS[comparison.second]}",
        part=comparison.part,
        only_first=f"{comparison.only_first:,}",
        only_second=f"{comparison.only_second:,}",
        p=f"{comparison.p:.2g}",
        verdict="differ" if comparison.p < LEVEL else "not distinguishable",
    )


def _curves(training: Training) -> Iterator[Chart]:
    """Yield the charts of loss by step and of dev accuracy by epoch."""
    name, look = MODELS[training.method], LOOKS[training.method]
    losses = Curve("loss", look, tuple((point.step, point.loss) for point in training.curve))
    yield _curve_chart(f"{name}: training loss", losses, Axes("step", "loss"))
    shares = Curve("dev", look, tuple((e.epoch, 100 * e.dev_share) for e in training.epochs))
    yield _curve_chart(f"{name}: accuracy on dev", shares, Axes("epoch", "Accuracy (%)"))


def _curve_chart(title: str, curve: Curve, axes: Axes) -> Chart:
    told = thinned(curve.points, TOLD)
    words = f"{title} by {axes.x}."
    if told:
        first, last = told[0], told[-1]
        words = f"{title}, from {first[1]:.2f} to {last[1]:.2f} at {axes.x} {last[0]:,}."
    return Chart(title, drawn(loss_chart([curve], axes)), words, ((axes.x, tuple(told)),))
