"""The page of one run of the pipeline: `DIR/index.html`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from graders.storage.result_json import write_text
from reference.training.gpt.metrics import Kind, Metrics, Phase
from reference.training.metrics import Accuracy
from reports.drawing.charts import Curve, Look, Whisker, accuracy_chart, loss_chart, thinned
from reports.page import render

Names = Mapping[str, str]

MODELS = {
    "london": "Always London",
    "majority": "Most common place",
    "vanilla.nopretrain": "Vanilla, not pretrained",
    "vanilla.pretrain": "Vanilla, pretrained",
    "rope.pretrain": "RoPE, pretrained",
}
VARIANTS = {"vanilla": "vanilla", "rope": "RoPE"}
DEEDS: dict[Kind, str] = {"pretrain": "Pretrain", "finetune": "Finetune", "evaluate": "Evaluate"}
NOT_PRETRAINED = "not pretrained"
TOLD = 8  # points of a curve that are listed in its table


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing, its description in words, and its numbers: (curve, ((step, loss), ...))."""

    title: str
    svg: Markup
    words: str
    curves: tuple[tuple[str, tuple[tuple[float, float], ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Cell:
    """An accuracy, formatted for the table."""

    share: str
    right: str
    interval: str


@dataclass(frozen=True, slots=True)
class AccuracyRow:
    """A model's accuracies, one per part of the questions; None if it was not evaluated."""

    model: str
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True, slots=True)
class PipelineView:
    """Everything that the template gets; a row of `phases` holds the cells of the table."""

    metrics: Metrics
    headline: tuple[tuple[str, Cell], ...]
    parts: tuple[str, ...]
    rows: tuple[AccuracyRow, ...]
    accuracies: Chart
    curves: tuple[Chart, ...]
    phases: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]
    duration: str


def write_pipeline_page(metrics: Metrics, out: Path) -> Path:
    """Write `out/index.html` and return its path."""
    return write_text(out / "index.html", render("pipeline.html.jinja", pipeline_view(metrics)))


def pipeline_view(metrics: Metrics) -> PipelineView:
    """Return the run in words and drawings."""
    accuracies = (*metrics.accuracies, *metrics.baselines)
    parts = tuple(dict.fromkeys(accuracy.part for accuracy in accuracies))
    return PipelineView(
        metrics=metrics,
        headline=headline(metrics.accuracies, "dev", MODELS),
        parts=parts,
        rows=tuple(accuracy_rows(accuracies, parts, MODELS)),
        accuracies=accuracies_drawn(accuracies, MODELS, digits=0),
        curves=tuple(
            chart
            for kind, title in (("pretrain", "Pretraining"), ("finetune", "Finetuning"))
            if (chart := _curve_chart(title, [p for p in metrics.phases if p.kind == kind])).svg
        ),
        phases=tuple(map(_phase_row, metrics.phases)),
        notes=tuple(dict.fromkeys(phase.note for phase in metrics.phases if phase.note)),
        duration=duration(metrics.seconds),
    )


def duration(seconds: float) -> str:
    """Format a duration: `27.3 s`, or `3 min 5 s` from two minutes on."""
    if seconds < 120:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes:,} min {rest} s"


def headline(
    accuracies: Sequence[Accuracy], part: str, names: Names
) -> tuple[tuple[str, Cell], ...]:
    """Return the models and their accuracies on one part."""
    return tuple((names.get(a.model, a.model), _cell(a)) for a in accuracies if a.part == part)


def accuracy_rows(
    accuracies: Sequence[Accuracy], parts: Sequence[str], names: Names
) -> Iterator[AccuracyRow]:
    """Yield a row for each model."""
    for model in dict.fromkeys(accuracy.model for accuracy in accuracies):
        cells = {a.part: _cell(a) for a in accuracies if a.model == model}
        yield AccuracyRow(names.get(model, model), tuple(cells.get(part) for part in parts))


def _cell(accuracy: Accuracy) -> Cell:
    """Return the accuracy with its counts and its interval."""
    return Cell(
        share=f"{100 * accuracy.share:.1f}%",
        right=f"{accuracy.correct} of {accuracy.n}",
        interval=f"{100 * accuracy.low:.1f} to {100 * accuracy.high:.1f}%",
    )


def accuracies_drawn(accuracies: Sequence[Accuracy], names: Names, *, digits: int) -> Chart:
    """Return the chart of all accuracies, told with so many digits."""
    whiskers = [
        Whisker(names.get(a.model, a.model), a.part, 100 * a.share, 100 * a.low, 100 * a.high)
        for a in accuracies
    ]
    parts = (f"{w.name} on {w.part} {w.share:.{digits}f}%" for w in whiskers)
    words = f"Accuracies with their 95% intervals: {', '.join(parts)}."
    return Chart("Accuracies", drawn(accuracy_chart(whiskers)), words)


def _curve_chart(title: str, phases: Sequence[Phase]) -> Chart:
    curves = [
        Curve(_curve_name(p), _look(p), tuple((point.step, point.loss) for point in p.curve))
        for p in phases
        if p.curve
    ]
    sentences = (
        f"{c.name} goes from {c.points[0][1]:.2f} to {c.points[-1][1]:.2f} "
        f"in {c.points[-1][0]:,} steps"
        for c in curves
    )
    return Chart(
        title,
        drawn(loss_chart(curves)),
        f"{title}, loss over steps: {'; '.join(sentences)}.",
        tuple((c.name, tuple(thinned(c.points, TOLD))) for c in curves),
    )


def drawn(svg: str) -> Markup:
    """Return our own SVG for use in the page."""
    # Vega escapes all text that it draws, and the names are our own.
    return Markup(svg)  # noqa: S704


def _phase_row(phase: Phase) -> tuple[str, ...]:
    without = f", {NOT_PRETRAINED}" if _without(phase) else ""
    counts = (phase.epochs, phase.steps, round(phase.tokens_per_second))
    cells = (f"{count:,}" if count else "–" for count in counts)
    return (f"{DEEDS[phase.kind]} {_variant(phase)}{without}", *cells, duration(phase.seconds))


def _without(phase: Phase) -> bool:
    return "nopretrain" in phase.id


def _variant(phase: Phase) -> str:
    return VARIANTS.get(phase.variant, phase.variant)


def _curve_name(phase: Phase) -> str:
    return NOT_PRETRAINED if _without(phase) else _variant(phase)


def _look(phase: Phase) -> Look:
    if _without(phase):
        return "third"
    return "second" if phase.variant == "rope" else "first"
