"""Prepare the figures of checks for a page: a drawing and its description in words.

Every page of a course with predictions has several accuracies, so the template draws those
cheaply from these numbers. Rotations and curves are rare, and vl-convert draws them.
"""

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from markupsafe import Markup

from graders.figures import Accuracy, Curve, Rotation
from graders.model import Figure
from graders.statistics import percent, share_in_words, wilson
from reports.drawing import charts
from reports.drawing.rotation_chart import rotation_chart
from reports.text import line, number

SCALES = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)  # possible ends of an axis
ROOM = 1.04  # space beyond the last mark
NAMESPACE = re.compile(r' xmlns(?::xlink)?="[^"]*"')
SAME = 0.005  # radians that are too small to see
NAME = 32  # characters of a baseline's name or of an axis title


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark on the axis: its name, its value in words, and its position from 0 to 1."""

    name: str
    value: str
    place: float


@dataclass(frozen=True, slots=True)
class Strip:
    """An accuracy on an axis; `low` and `high` are the positions of its interval."""

    own: Mark
    low: float
    high: float
    threshold: Mark | None
    baselines: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure of a page: a title, the numbers in words, and either a strip or an SVG."""

    title: str
    words: str
    strip: Strip | None = None
    svg: Markup | None = None


def drawing(figure: Figure) -> Drawing:
    """Return the drawing of a figure whose numbers are finite; its names may be any text."""
    match figure:
        case Accuracy():
            return _accuracy(figure)
        case Rotation():
            return _rotation(figure)
        case Curve():
            return _curve(figure)


def _accuracy(figure: Accuracy) -> Drawing:
    share, bounds = figure.correct / figure.n, wilson(figure.correct, figure.n)
    levels = [figure.threshold or 0.0, *(level for _, level in figure.baselines)]
    top = next((scale for scale in SCALES if ROOM * max(bounds[1], *levels) <= scale), 1.0)
    threshold = None
    if figure.threshold is not None:
        threshold = _mark("threshold", figure.threshold, top)
    strip = Strip(
        # Alone it may be what the course counted, such as a baseline, and not the student's.
        own=replace(
            _mark("yours" if threshold or figure.baselines else "accuracy", share, top),
            value=percent(figure.correct, figure.n, figure.threshold),
        ),
        low=bounds[0] / top,
        high=min(bounds[1] / top, 1.0),
        threshold=threshold,
        baselines=tuple(_mark(name, level, top) for name, level in figure.baselines),
    )
    return Drawing(line(figure.label), _accuracy_in_words(figure, strip), strip)


def _mark(name: str, share: float, top: float) -> Mark:
    return Mark(line(name, NAME), _percent(share), min(max(share / top, 0.0), 1.0))


def _accuracy_in_words(figure: Accuracy, strip: Strip) -> str:
    parts = [share_in_words(figure.correct, figure.n, figure.threshold)]
    if strip.threshold is not None and figure.threshold is not None:
        reached = "reached" if figure.correct / figure.n >= figure.threshold else "not reached"
        parts.append(f"threshold {strip.threshold.value}, {reached}")
    return "; ".join(parts) + "."


def _rotation(figure: Rotation) -> Drawing:
    pairs = zip(figure.expected, figure.actual, strict=False)
    apart = [t for t, (expected, actual) in enumerate(pairs) if abs(expected - actual) > SAME]
    words = "Expected and actual angles are the same."
    if apart:
        t = apart[-1]
        words = (
            f"They differ at {len(apart)} of {len(figure.actual)} positions: at position {t}, "
            f"expected {figure.expected[t]:.2f} radians, actual {figure.actual[t]:.2f}."
        )
    svg = _rotation_svg(figure.expected, figure.actual)
    return Drawing(line(figure.label), words, svg=_inline(svg))


@lru_cache(maxsize=256)  # a known mistake looks the same in all submissions
def _rotation_svg(expected: tuple[float, ...], actual: tuple[float, ...]) -> str:
    return rotation_chart(expected, actual)


def _curve(figure: Curve) -> Drawing:
    (first, before), (last, after) = figure.points[0], figure.points[-1]
    quantity = line(figure.quantity, NAME)
    words = (
        f"{quantity}: {before:.3g} at step {number(first)}, {after:.3g} at step {number(last)}, "
        f"lowest {min(value for _, value in figure.points):.3g}."
    )
    curve = charts.Curve("", "second", figure.points)  # a single curve needs no name
    svg = charts.loss_chart([curve], charts.Axes("step", quantity))
    return Drawing(line(figure.label), words, svg=_inline(svg))


def _inline(svg: str) -> Markup:
    """Return our own SVG for use in HTML, without namespaces."""
    # Vega escapes all text that it draws.
    return Markup(NAMESPACE.sub("", svg, count=2))  # noqa: S704


def _percent(share: float) -> str:
    return f"{number(round(100 * share, 1))}%"
