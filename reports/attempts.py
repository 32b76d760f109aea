"""Write the report on attempts, only for staff: `attempts.html` and `attempts.csv`."""

from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from graders.progress import CheckProgress, Progress
from graders.storage.csv_cells import table
from graders.storage.result_json import write_text
from reports.drawing.charts import Axes, Curve, loss_chart
from reports.page import render
from reports.text import number

FILE = "attempts"
AXES = Axes("attempt", "mean share of the points (%)")
COLUMNS = (
    "criterion",
    "check",
    "students",
    "failed",
    "stuck",
    "lost",
    "attempts",
    "hours with a hint",
)


def write_attempts(progress: Progress, out: Path) -> Path:
    """Write both files into `out`, and return the path of the page."""
    rates = [f"passed at attempt {n}" for n in range(1, len(progress.shares) + 1)]
    columns = (*COLUMNS, "hours without", *rates)
    write_text(out / f"{FILE}.csv", table([columns, *map(_cells, progress.checks)], end="\n"))
    points = [(float(n), 100 * share) for n, share in enumerate(progress.shares, 1)]
    # Vega escapes all text that it draws.
    chart = Markup(loss_chart([Curve("", "second", points)], AXES)) if points else ""  # noqa: S704
    return write_text(
        out / f"{FILE}.html", render("attempts.html.jinja", {"found": progress, "chart": chart})
    )


def _cells(progress: CheckProgress) -> Sequence[str]:
    medians = (progress.attempts, progress.hours_with_hint, progress.hours_without)
    counts = map(str, (progress.students, progress.failed, progress.stuck, progress.lost))
    shown = ("" if value is None else number(round(value, 2)) for value in medians)
    return (
        progress.check.criterion,
        progress.check.id,
        *counts,
        *shown,
        *(f"{rate:.4f}" for rate in progress.rates),
    )
