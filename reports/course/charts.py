"""Draw the charts of the course page: score distributions, and accuracies with their threshold.

As in reports/drawing/charts.py, charts use the page's colors and nothing that its policy forbids.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from reports.course.accuracies import AccuracySeries, Measured
from reports.course.view import Bin, CourseView
from reports.drawing.charts import chart_of, svg_of
from reports.text import number

if TYPE_CHECKING:
    import altair as alt

FEWEST = 3  # with fewer submissions, the table says more than a chart
ONE_BY_ONE = 120  # more dots than this would overlap; they become a band
STRIP = 160  # number of places at which a band is drawn
WIDTH, HEIGHT = 320, 150
SMALL = (200, 74)
REACHED, BELOW = "reached", "below"
TWO_DECIMALS = "'' + round(100 * datum.value) / 100"  # Vega's default is fewer decimals


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart and its description in words for screen readers."""

    svg: Markup
    words: str


@dataclass(frozen=True, slots=True)
class Drawings:
    """The charts of a course: the totals, each criterion, each accuracy."""

    totals: Drawing | None
    criteria: Mapping[str, Drawing]
    accuracies: tuple[Drawing | None, ...]


def draw(course: CourseView) -> Drawings:
    """Draw all charts; those with too few submissions are None or left out."""
    return Drawings(
        totals=_drawn_bins(course.bins, "Scores", (WIDTH, HEIGHT)),
        criteria={
            graded.criterion.id: drawing
            for graded in course.rubric
            if (drawing := _drawn_bins(graded.bins, graded.criterion.title, SMALL))
        },
        accuracies=tuple(map(_drawn_accuracies, course.accuracies)),
    )


@lru_cache(maxsize=64)  # criteria with equal bins share a chart, also when the page is drawn again
def bars_chart(bins: tuple[Bin, ...], size: tuple[int, int]) -> str:
    """Return the SVG of a histogram of points, with the count on top of each bar."""
    import altair as alt

    rows: list[dict[str, object]] = [
        {"low": bar.low, "high": bar.high, "middle": (bar.low + bar.high) / 2, "n": bar.count}
        for bar in bins
    ]
    edges = [bar.low for bar in bins] + [bins[-1].high]
    few: dict[str, Any] = {"values": [edges[0], edges[len(edges) // 2], edges[-1]]}
    ticks = {"tickCount": 6} if size[0] >= WIDTH else few
    axis = alt.Axis(**ticks, grid=False, title=None, labelExpr=TWO_DECIMALS)
    scale = alt.Scale(domain=[edges[0], edges[-1]], nice=False)
    across = alt.X("low:Q", bin="binned", scale=scale, axis=axis)
    up = alt.Y("n:Q", axis=None, scale=alt.Scale(domain=[0, max(e.count for e in bins) * 1.18]))
    base = chart_of(rows)
    bars = base.mark_bar(color="var(--curve-1)", binSpacing=2).encode(across, up, x2="high:Q")
    words = base.transform_filter("datum.n > 0").mark_text(dy=-7, color="var(--ink)")
    counts = words.encode(x="middle:Q", y=up, text="n:Q")
    return svg_of(alt.LayerChart(layer=[bars, counts], width=size[0], height=size[1]))


def accuracies_chart(series: AccuracySeries) -> str:
    """Return the SVG of all accuracies in increasing order, with intervals and the threshold."""
    import altair as alt

    few = len(series.measured) <= ONE_BY_ONE
    layers = [*(_dots(series) if few else _band(series)), *_lines(series)]
    return svg_of(alt.LayerChart(layer=layers, width=WIDTH, height=HEIGHT))


def places(count: int) -> list[int]:
    """Return at most STRIP evenly spaced indices below `count`, with the first and the last."""
    if count <= STRIP:
        return list(range(count))
    return [round(place * (count - 1) / (STRIP - 1)) for place in range(STRIP)]


def _drawn_bins(bins: tuple[Bin, ...], title: str, size: tuple[int, int]) -> Drawing | None:
    if sum(bar.count for bar in bins) < FEWEST:
        return None
    counts = (
        f"{bar.count} from {number(bar.low)} to {number(bar.high)}" for bar in bins if bar.count
    )
    # Vega escapes all text that it draws.
    svg = Markup(bars_chart(bins, size))  # noqa: S704
    return Drawing(svg, f"{title}, number of submissions by points: {', '.join(counts)}.")


def _drawn_accuracies(series: AccuracySeries) -> Drawing | None:
    if len(series.measured) < FEWEST:
        return None
    return Drawing(Markup(accuracies_chart(series)), in_words(series))  # noqa: S704  as above


def in_words(series: AccuracySeries) -> str:
    """Return what the chart of a series shows, in words."""
    first, middle, third = (f"{100 * share:.1f}" for share in series.quartiles)
    lowest, highest = series.measured[0].share, series.measured[-1].share
    sentence = (
        f"{series.label} of {len(series.measured):,} submissions, from {100 * lowest:.1f} to "
        f"{100 * highest:.1f}%; half of them lie between {first} and {third}%, the median is "
        f"{middle}%."
    )
    if series.threshold is None:
        return sentence
    return (
        f"{sentence} {series.reached:,} reach the threshold of {100 * series.threshold:.3g}%; the "
        f"95% interval of {len(series.close):,} contains it."
    )


def _across(series: AccuracySeries) -> "alt.X":
    import altair as alt

    scale = alt.Scale(domain=[0, len(series.measured) + 1], nice=False)
    axis = alt.Axis(ticks=False, labels=False, grid=False)
    return alt.X("place:Q", scale=scale, title="Submissions, sorted by accuracy", axis=axis)


def _up(series: AccuracySeries, share: str = "share:Q") -> "alt.Y":
    import altair as alt

    marks = [series.threshold or 0.0, *(baseline for _, baseline in series.baselines)]
    top = min(100.0, 105 * max(max(accuracy.high for accuracy in series.measured), *marks))
    scale, axis = alt.Scale(domain=[0, top]), alt.Axis(tickCount=4)
    return alt.Y(share, scale=scale, title="Accuracy (%)", axis=axis)


def _row(series: AccuracySeries, place: int, measured: Measured) -> dict[str, object]:
    side = BELOW if measured.share < (series.threshold or 0.0) else REACHED
    shares = {"share": measured.share, "low": measured.low, "high": measured.high}
    rounded = {name: round(100 * share, 2) for name, share in shares.items()}
    return {"place": place + 1, "side": side, **rounded}


def _dots(series: AccuracySeries) -> list["alt.Chart"]:
    """Draw each accuracy as a dot with its interval; the color and shape show if it is too low."""
    import altair as alt

    across, up = _across(series), _up(series)
    rows = chart_of([_row(series, n, accuracy) for n, accuracy in enumerate(series.measured)])
    sides = [REACHED, BELOW]
    colours = alt.Scale(domain=sides, range=["var(--curve-1)", "var(--curve-2)"])
    shapes = alt.Scale(domain=sides, range=["circle", "triangle-down"])
    colour = alt.Color("side:N", scale=colours, legend=None)
    rules = rows.mark_rule(strokeWidth=1.2, opacity=0.55).encode(
        across, _up(series, "low:Q"), colour, y2="high:Q"
    )
    shape = alt.Shape("side:N", scale=shapes, legend=None)
    dots = rows.mark_point(filled=True, size=26, opacity=1).encode(across, up, colour, shape)
    return [rules, dots]


def _band(series: AccuracySeries) -> list["alt.Chart"]:
    """Draw the accuracies as one line, with their intervals as a band around it."""
    across, up = _across(series), _up(series)
    chosen = places(len(series.measured))
    rows = chart_of([_row(series, n, series.measured[n]) for n in chosen])
    band = rows.mark_area(color="var(--curve-1)", opacity=0.25)
    line = rows.mark_line(color="var(--curve-1)", strokeWidth=2).encode(across, up)
    return [band.encode(across, _up(series, "low:Q"), y2="high:Q"), line]


def _lines(series: AccuracySeries) -> list["alt.Chart"]:
    """Draw the threshold and the baselines as horizontal lines.

    The page explains the dashed ones.
    """
    up, most = _up(series), len(series.measured) + 1
    dashed = chart_of([{"share": 100 * share} for _, share in series.baselines])
    layers = [dashed.mark_rule(color="var(--curve-3)", strokeDash=[4, 3]).encode(y=up)]
    if series.threshold is not None:
        share = 100 * series.threshold
        edge = chart_of([{"share": share, "name": f"threshold {share:.3g}%", "place": most}])
        text: dict[str, Any] = {"align": "right", "dx": -2, "dy": 9, "color": "var(--ink)"}
        layers += [
            edge.mark_rule(color="var(--ink)").encode(y=up),
            edge.mark_text(**text).encode(_across(series), up, text="name:N"),
        ]
    return layers
