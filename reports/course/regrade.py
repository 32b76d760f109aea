"""The page for staff on the changes by a regrade: `DIR/regrade.html`."""

from collections.abc import Sequence
from pathlib import Path

from graders.model import Difference, Regraded
from graders.storage.result_json import write_text
from reports.page import render

FILE = "regrade.html"
LISTED = 1000  # submissions; nobody reads a longer page


def write_regrade_page(regraded: Regraded, out: Path) -> Path:
    """Write `out/regrade.html`, the largest losses first, and return its path.

    If nothing had to be regraded, the last page is kept.
    """
    if regraded.before == regraded.after:
        return out / FILE
    rows = by_loss(regraded.differences)
    apart = sum((row.before is None) != (row.after is None) for row in rows)
    more = max(0, len(rows) - LISTED)
    adjusted = [(row, sentence) for row in rows for sentence in row.adjusted]
    view = {"regraded": regraded, "rows": rows[:LISTED], "more": more, "apart": apart}
    view |= {"adjusted": adjusted}
    return write_text(out / FILE, render("regrade.html.jinja", view, style="course.css"))


def by_loss(differences: Sequence[Difference]) -> list[Difference]:
    """Sort by gain, the largest losses first."""
    return sorted(differences, key=lambda difference: (difference.gain, difference.submission))
