"""Format the item analysis for the course page."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graders.course.item_statistics import ItemStatistics

MEASURES = {
    "difficulty": "Points earned",
    "discrimination": "Discrimination",
    "repeated": "Changed",
    "seconds": "Time",
}
Z = 1.96  # standard errors that chance exceeds in one of forty cases


@dataclass(frozen=True, slots=True)
class ItemRow:
    """One row of the item analysis, formatted; `flags` say what needs attention."""

    criterion: str
    title: str
    graded: int
    difficulty: str
    discrimination: str
    repeated: str
    seconds: str
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ItemTables:
    """One row per criterion and one row per check."""

    criteria: tuple[ItemRow, ...]
    checks: tuple[ItemRow, ...]

    @property
    def measured(self) -> Mapping[str, str]:
        """The headings of the columns in which some row has a value."""
        rows = (*self.criteria, *self.checks)
        return {
            name: heading
            for name, heading in MEASURES.items()
            if any(getattr(row, name) != "–" for row in rows)
        }

    @property
    def flagged(self) -> tuple[ItemRow, ...]:
        """The rows that need attention; the row of a check also counts for its criterion."""
        return tuple(row for row in (*self.criteria, *self.checks) if row.flags)


def item_tables(items: Sequence[ItemStatistics]) -> ItemTables:
    """Return the item analysis by criterion and by check."""
    return ItemTables(
        criteria=tuple(_row(item) for item in items if item.check is None),
        checks=tuple(_row(item) for item in items if item.check is not None),
    )


def _row(item: ItemStatistics) -> ItemRow:
    return ItemRow(
        criterion=item.criterion.id,
        title=item.check.description if item.check else item.criterion.title,
        graded=item.graded,
        difficulty=_earned(item),
        discrimination=_signed(item.discrimination),
        repeated=f"{item.changed:,} of {item.repeated:,}" if item.repeated else "–",
        seconds=_seconds(item.median_seconds),
        flags=tuple(_flags(item)),
    )


def _earned(item: ItemStatistics) -> str:
    if item.difficulty is None:
        return "–"
    return f"{100 * item.difficulty:.0f}%{'' if item.criterion.points else ' passed'}"


def _signed(value: float | None) -> str:
    # Rounded first, so that minus zero is never shown.
    return "–" if value is None else f"{round(value, 2) + 0.0:.2f}".replace("-", "−")


def _seconds(value: float | None) -> str:
    if value is None:
        return "–"
    return "< 0.01 s" if value < 0.005 else f"{value:.2f} s"


def _flags(item: ItemStatistics) -> list[str]:
    flags = []
    discrimination = item.discrimination
    if discrimination is not None and discrimination < -Z / math.sqrt(item.compared - 1):
        flags.append("stronger students do worse")
    if item.changed:
        flags.append("its verdict changed")
    return flags
