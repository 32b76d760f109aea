"""The page of one run of the pipeline: `DIR/index.html`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from graders.storage.result_json import write_text
from reference.training.gpt.metrics import Kind, Metrics, Phase
from reference.training.metrics import Accuracy
from reports.drawing.charts import Curve, Look, Whisker, accuracy_chart, loss_chart, thinned
from reports.page import render

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
class PhaseRow:
    """A phase, formatted for the table; `-` if a value is missing."""

    name: str
    epochs: str
    steps: str
    speed: str
    seconds: str


@dataclass(frozen=True, slots=True)
class PipelineView:
    """Everything that the template gets."""

    metrics: Metrics
    headline: tuple[tuple[str, Cell], ...]
    parts: tuple[str, ...]
    rows: tuple[AccuracyRow, ...]
    accuracies: Chart
    curves: tuple[Chart, ...]
    phases: tuple[PhaseRow, ...]
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
        headline=tuple((_model(a), cell_of(a)) for a in metrics.accuracies if a.part == "dev"),
        parts=parts,
        rows=tuple(_rows(accuracies, parts)),
        accuracies=_accuracy_chart(accuracies),
        curves=tuple(
            chart
            for kind, title in (("pretrain", "Pretraining"), ("finetune", "Finetuning"))
            if (chart := _curve_chart(title, [p for p in metrics.phases if p.kind == kind])).svg
        ),
        phases=tuple(map(_phase_row, metrics.phases)),
        duration=duration(metrics.seconds),
    )


def duration(seconds: float) -> str:
    """Format a duration: `27.3 s`, or `3 min 5 s` from two minutes on."""
    if seconds < 120:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes:,} min {rest} s"


def _rows(accuracies: Sequence[Accuracy], parts: Sequence[str]) -> Iterator[AccuracyRow]:
    for model in dict.fromkeys(map(_model, accuracies)):
        cells = {a.part: cell_of(a) for a in accuracies if _model(a) == model}
        yield AccuracyRow(model, tuple(cells.get(part) for part in parts))


def cell_of(accuracy: Accuracy) -> Cell:
    """Return the accuracy with its counts and its interval."""
    return Cell(
        share=f"{100 * accuracy.share:.1f}%",
        right=f"{accuracy.correct} of {accuracy.n}",
        interval=f"{100 * accuracy.low:.1f} to {100 * accuracy.high:.1f}%",
    )


def _model(accuracy: Accuracy) -> str:
    return MODELS.get(accuracy.model, accuracy.model)


def _accuracy_chart(accuracies: Sequence[Accuracy]) -> Chart:
    whiskers = [
        Whisker(_model(a), a.part, share=100 * a.share, low=100 * a.low, high=100 * a.high)
        for a in accuracies
    ]
    told = (f"{w.name} on {w.part} {w.share:.0f}%" for w in whiskers)
    words = f"Accuracies with their 95% intervals: {', '.join(told)}."
    return Chart("Accuracies", drawn(accuracy_chart(whiskers)), words)


def _curve_chart(title: str, phases: Sequence[Phase]) -> Chart:
    curves = [
        Curve(_curve_name(p), _look(p), tuple((point.step, point.loss) for point in p.curve))
        for p in phases
        if p.curve
    ]
    told = (
        f"{c.name} goes from {c.points[0][1]:.2f} to {c.points[-1][1]:.2f} "
        f"in {c.points[-1][0]:,} steps"
        for c in curves
    )
    return Chart(
        title,
        drawn(loss_chart(curves)),
        f"{title}, loss over steps: {'; '.join(told)}.",
        tuple((c.name, tuple(thinned(c.points, TOLD))) for c in curves),
    )


def drawn(svg: str) -> Markup:
    """Return our own SVG for use in the page."""
    # Vega escapes all text that it draws, and the names are our own.
    return Markup(svg)  # noqa: S704


def _phase_row(phase: Phase) -> PhaseRow:
    without = f", {NOT_PRETRAINED}" if _without(phase) else ""
    return PhaseRow(
        name=f"{DEEDS[phase.kind]} {_variant(phase)}{without}",
        epochs=_count(phase.epochs),
        steps=_count(phase.steps),
        speed=_count(round(phase.tokens_per_second)),
        seconds=duration(phase.seconds),
    )


def _count(number: int) -> str:
    return f"{number:,}" if number else "–"


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
