"""Draw charts as SVG for our own pages: Vega-Lite with vl-convert, without a browser or network.

Colors are the page's CSS variables, so a chart also works in dark mode and in print. Nothing in
the SVG has an inline style or an id: the page's policy forbids inline styles, and several charts
on a page would share ids.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import altair as alt

WIDTH, HEIGHT = 320, 200
NARROW = 240  # the part of the same width that model names leave
ROW = 46  # pixels for one model's two accuracies
LETTER = 6.5  # pixels per letter in a wide font
LABEL = 16  # pixels between the lines of two labels
FEW_STEPS = 8
POINTS = 240  # more points are not visible at this width

Look = Literal["first", "second", "third"]
Point = tuple[float, float]
# Blue, vermilion, gray (after Okabe and Ito 2008): distinguishable with any color vision, and by
# their dashes without color.
LOOKS: dict[Look, tuple[str, list[int]]] = {
    "first": ("var(--curve-1)", [7, 3]),
    "second": ("var(--curve-2)", [1, 0]),
    "third": ("var(--curve-3)", [2, 3]),
}
SHAPES = {"dev": "circle", "test": "diamond"}


@dataclass(frozen=True, slots=True)
class Curve:
    """A line with its name at its end; its points are (step, loss)."""

    name: str
    look: Look
    points: Sequence[Point]


@dataclass(frozen=True, slots=True)
class Whisker:
    """A share with its interval, in percent."""

    name: str
    part: str
    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Axes:
    """The axis titles of a chart of curves."""

    x: str = "step"
    y: str = "loss"


LOSS_OVER_STEPS = Axes()


def loss_chart(curves: Sequence[Curve], axes: Axes = LOSS_OVER_STEPS) -> str:
    """Return the SVG of losses over steps, each curve named at its end.

    It is empty without any points.
    """
    import altair as alt

    drawn = [Curve(c.name, c.look, thinned(c.points, POINTS)) for c in curves]
    drawn = [curve for curve in drawn if curve.points]
    if not drawn:
        return ""
    losses = [loss for curve in drawn for _, loss in curve.points]
    low, top = min(0.0, *losses), 1.05 * max(0.0, *losses) or 1.0
    points = [_row(curve, *point) for curve in drawn for point in curve.points]
    scale, few = alt.Scale(domain=[low, top]), alt.Axis(tickCount=4)
    place = (
        alt.X("step:Q", title=axes.x, axis=alt.Axis(grid=False, **_ticks(drawn))),
        alt.Y("loss:Q", title=axes.y, scale=scale, axis=few),
    )
    colour, dash = _looks(drawn)
    lines = chart_of(points).mark_line(strokeWidth=2).encode(*place, colour, dash)
    # The same text twice, first thick and in the paper's color, so that no line crosses it.
    ends = chart_of([_row(*end) for end in label_places(drawn, top)]).encode(*place, text="curve:N")
    text: dict[str, Any] = {"align": "left", "dx": 5, "fontSize": 13, "fontWeight": 600}
    paper: dict[str, Any] = dict.fromkeys(("color", "stroke"), "var(--paper)")
    halo = ends.mark_text(**text, **paper, strokeWidth=5, strokeJoin="round")
    label = ends.mark_text(**text).encode(color=colour)
    return svg_of(alt.LayerChart(layer=[lines, halo, label], width=WIDTH, height=HEIGHT))


def _ticks(drawn: Sequence[Curve]) -> dict[str, Any]:
    """Return where the ticks of the steps are: at each of a few, for there is none in between."""
    steps = sorted({step for curve in drawn for step, _ in curve.points})
    return {"values": steps, "format": "d"} if len(steps) <= FEW_STEPS else {"tickCount": 4}


def accuracy_chart(whiskers: Sequence[Whisker]) -> str:
    """Return the SVG of shares in percent with their intervals, one row per name; empty if none."""
    import altair as alt

    if not whiskers:
        return ""
    names = list(dict.fromkeys(whisker.name for whisker in whiskers))
    parts = [part for part in SHAPES if any(w.part == part for w in whiskers)]
    beside = alt.Axis(labelColor="var(--ink)", minExtent=LETTER * max(map(len, names)))
    rows = chart_of([_whisker_row(whisker) for whisker in whiskers]).encode(
        y=alt.Y("name:N", sort=names, title=None, axis=beside),
        yOffset=alt.YOffset("part:N", sort=parts),
    )
    scale, axis = alt.Scale(domain=[0, 100]), alt.Axis(tickCount=5)
    rules = rows.mark_rule(color="var(--curve-1)", strokeWidth=1.5)
    dots = rows.mark_point(color="var(--curve-1)", filled=True, size=70, opacity=1)
    shapes = alt.Scale(domain=parts, range=[SHAPES[part] for part in parts])
    legend = alt.Legend(orient="top", symbolFillColor="var(--curve-1)", symbolStrokeWidth=0)
    shape = alt.Shape("part:N", title=None, scale=shapes, legend=legend)
    words = rows.mark_text(align="left", dx=6, color="var(--ink)")
    layers = [
        rules.encode(x=alt.X("low:Q", title="Accuracy (%)", scale=scale, axis=axis), x2="high:Q"),
        dots.encode(x=alt.X("share:Q", scale=scale), shape=shape),
        words.encode(x=alt.X("high:Q", scale=scale), text=alt.Text("share:Q", format=".0f")),
    ]
    return svg_of(alt.LayerChart(layer=layers, width=NARROW, height=ROW * len(names)))


def thinned(points: Sequence[Point], most: int) -> list[Point]:
    """Return at most `most` of the points with a finite loss, evenly chosen, including the last."""
    finite = [point for point in points if math.isfinite(point[1])]
    step = max(1, math.ceil(len(finite) / most))
    return finite[::-step][::-1]


def label_places(curves: Sequence[Curve], top: float) -> list[tuple[Curve, float, float]]:
    """Return each label's position.

    A label is at its curve's end, or moved up if it would cover another label.
    """
    gap = LABEL * top / HEIGHT
    lowest: dict[float, float] = {}  # by step: curves that end at another step cannot collide
    places = []
    for curve in sorted(curves, key=lambda c: c.points[-1][1]):
        step, loss = curve.points[-1]
        height = max(loss, lowest.get(step, gap / 2))
        places.append((curve, step, height))
        lowest[step] = height + gap
    return places


def _looks(curves: Sequence[Curve]) -> tuple["alt.Color", "alt.StrokeDash"]:
    import altair as alt

    names = [curve.name for curve in curves]
    colours, dashes = zip(*(LOOKS[curve.look] for curve in curves), strict=True)
    return (
        alt.Color("curve:N", scale=alt.Scale(domain=names, range=list(colours)), legend=None),
        alt.StrokeDash("curve:N", scale=alt.Scale(domain=names, range=list(dashes)), legend=None),
    )


def _row(curve: Curve, step: float, loss: float) -> dict[str, object]:
    return {"curve": curve.name, "step": step, "loss": loss}


def _whisker_row(whisker: Whisker) -> dict[str, object]:
    return {field.name: getattr(whisker, field.name) for field in fields(whisker)}


def chart_of(rows: list[dict[str, object]]) -> "alt.Chart":
    """Return a chart of these rows, without marks and encodings."""
    import altair as alt

    return alt.Chart(alt.InlineData(values=rows))


def svg_of(chart: "alt.LayerChart") -> str:
    """Return the SVG of the chart in the page's colors."""
    import altair as alt
    import vl_convert

    # The page's letters may be wider than those that vl-convert measures.
    room = {"left": 2, "right": 14, "top": 4, "bottom": 4}
    chart = chart.configure(background="transparent", aria=False, padding=room)
    chart = chart.configure_view(stroke=None).configure_text(fontSize=12)
    chart = chart.configure_axis(
        labelColor="var(--muted)",
        titleColor="var(--muted)",
        titleFontWeight="normal",
        gridColor="var(--rule)",
        domainColor="var(--muted)",
        tickColor="var(--muted)",
        labelFlush=False,
        labelFontSize=12,
        titleFontSize=12,
    ).configure_legend(labelColor="var(--ink)", labelFontSize=12)
    version = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
    svg: str = vl_convert.vegalite_to_svg(chart.to_dict(), vl_version=version, allowed_base_urls=[])
    # Its description is next to it; Vega's own roles name marks without describing them.
    return svg.replace("<svg ", '<svg aria-hidden="true" ', 1)
