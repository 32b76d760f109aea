"""Draw expected and actual angles of a rotation over positions, as SVG."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reports.drawing.charts import LOOKS, Look, chart_of, svg_of

if TYPE_CHECKING:
    import altair as alt

WIDTH, HEIGHT = 230, 140  # narrow enough for a phone


@dataclass(frozen=True, slots=True)
class Series:
    """The look of one of the two series."""

    name: str
    look: Look
    shape: str
    size: int


# The larger marks are drawn first, so that both are visible if they overlap.
SERIES = (Series("actual", "second", "diamond", 70), Series("expected", "first", "circle", 26))
NAMES = [series.name for series in SERIES]


def rotation_chart(expected: Sequence[float], actual: Sequence[float]) -> str:
    """Return the SVG of both series, distinguished by shape, dash and color."""
    import altair as alt

    legend = alt.Legend(orient="top", symbolSize=90)
    colours = alt.Scale(domain=NAMES, range=[LOOKS[series.look][0] for series in SERIES])
    shapes = alt.Scale(domain=NAMES, range=[series.shape for series in SERIES])
    dashes = alt.Scale(domain=NAMES, range=[LOOKS[series.look][1] for series in SERIES])
    colour = alt.Color("series:N", legend=legend, title=None, scale=colours)
    shape = alt.Shape("series:N", legend=legend, title=None, scale=shapes)
    dash = alt.StrokeDash("series:N", legend=None, scale=dashes)
    layers: list[alt.Chart] = []
    for series, angles in zip(SERIES, (actual, expected), strict=True):
        chart = _placed(series.name, angles)
        layers.append(chart.mark_line(strokeWidth=1.5).encode(colour, dash))
        points = chart.mark_point(filled=True, size=series.size, opacity=1)
        layers.append(points.encode(colour, shape))
    return svg_of(alt.LayerChart(layer=layers, width=WIDTH, height=HEIGHT))


def _placed(name: str, angles: Sequence[float]) -> "alt.Chart":
    import altair as alt

    rows: list[dict[str, object]] = [
        {"series": name, "position": position, "angle": angle}
        for position, angle in enumerate(angles)
    ]
    axis = alt.Axis(grid=False, tickMinStep=1)
    return chart_of(rows).encode(
        alt.X("position:Q", title="position t", axis=axis, scale=alt.Scale(nice=False)),
        alt.Y("angle:Q", title="angle in radians", axis=alt.Axis(tickCount=5)),
    )
