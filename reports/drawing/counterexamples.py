"""A counterexample as a table: texts of characters stand in columns, so that places compare.

    found.counterexample ──┬── sequences with □ and ⁇, lists of numbers ──> Grid: a cell a place
                           └── everything else ──> label and value

Which cells differ is marked where two rows of one length stand against each other.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from graders.model import CheckResult
from reports.text import line

MOST = 160  # cells of a row
FEWEST = 4  # numbers that are worth columns
LONGEST = 1_000  # characters of a value that is looked at
MODEL_CHARACTERS = ("□", "⁇")
SOURCE = "document"  # what a sequence is made of
NUMBERS = re.compile(r"\[(-?[0-9.e+-]+(?:, ?-?[0-9.e+-]+)*)\]")
NAMED = re.compile(r"(?m)^([^\n=]{1,40}) = (\[.*\])$")
KINDS = {" ": "sp", "□": "pad", "⁇": "mask", "\n": "nl"}
DRAWN = {"\n": "↵"}


@dataclass(frozen=True, slots=True)
class Cell:
    """One place: what stands there, what it is, and whether the row beside it has another."""

    text: str
    kind: str = ""
    differs: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of one text; `more` of its places are not shown."""

    label: str
    cells: tuple[Cell, ...]
    more: int = 0


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows of cells that stand under each other; `wide` cells hold numbers."""

    rows: tuple[Row, ...]
    wide: bool = False

    @property
    def width(self) -> int:
        """How many places the longest row has."""
        return max(len(row.cells) for row in self.rows)

    @property
    def differing(self) -> int:
        """At how many places the rows differ."""
        return sum(cell.differs for cell in self.rows[-1].cells)


@dataclass(frozen=True, slots=True)
class Example:
    """A counterexample: its grid, if it has one, and the other rows."""

    grid: Grid | None
    rows: tuple[tuple[str, str], ...]

    @property
    def has_spaces(self) -> bool:
        """Whether a space is drawn somewhere in it."""
        cells = (cell for row in (self.grid.rows if self.grid else ()) for cell in row.cells)
        drawn = (" " in text and is_exact(label, text) for label, text in self.rows)
        return any(drawn) or any(cell.kind == "sp" for cell in cells)


def example(found: CheckResult) -> Example:
    """What a check gives as an example, its texts of characters in a grid.

    Without what stands above it already as expected and actual.
    """
    told = (found.expected, found.actual)
    pairs = tuple(pair for pair in found.counterexample if pair[1] not in told)
    for split in (_sequences, _numbers):
        grid, rows = split(pairs)
        if grid is not None:
            return Example(grid, rows)
    return Example(None, pairs)


def rows_in_order(found: CheckResult) -> tuple[tuple[str, str], ...]:
    """What a check gives as an example, without what is told above it; what compares comes first.

    So that texts of characters stand under each other in a terminal, too.
    """
    rest = example(found).rows
    told = (found.expected, found.actual)
    compared = (pair for pair in found.counterexample if pair not in rest and pair[1] not in told)
    return (*compared, *rest)


def is_exact(label: str, text: str) -> bool:
    """Whether every space of a value counts: a text of characters, not words about them."""
    return label == SOURCE or _marks(text) > 0 or text != " ".join(text.split())


def named_lists(text: str) -> Grid | None:
    """The grid of a text that is nothing but lines `name = [1, 2, …]`."""
    found = NAMED.findall(text[:LONGEST])
    if len(found) < 2 or len(found) != len(text.splitlines()):
        return None
    rows = [(name, _numbers_of(value)) for name, value in found]
    if not all(numbers for _, numbers in rows):
        return None
    return Grid(tuple(_row(name, numbers) for name, numbers in rows), wide=True)


def _sequences(
    pairs: Sequence[tuple[str, str]],
) -> tuple[Grid | None, tuple[tuple[str, str], ...]]:
    """Sequences of the vocabulary, under the document that they are made of."""
    taken = [pair for pair in pairs if _is_sequence(pair[1])]
    taken = [pair for pair in pairs if pair in taken or pair[0] == SOURCE]
    if len(taken) < 2:
        return None, ()
    rest = tuple(pair for pair in pairs if pair not in taken)
    return Grid(_marked([_row(label, text) for label, text in taken])), rest


def _is_sequence(text: str) -> bool:
    """Whether it is one of the model's, not a description such as `prefix ⁇ suffix ⁇ content`."""
    marks = _marks(text)
    spaced = sum(text.count(f" {mark} ") for mark in MODEL_CHARACTERS)
    return 0 < marks != spaced and len(text) <= LONGEST and "…" not in text


def _marks(text: str) -> int:
    return sum(map(text.count, MODEL_CHARACTERS))


def _numbers(
    pairs: Sequence[tuple[str, str]],
) -> tuple[Grid | None, tuple[tuple[str, str], ...]]:
    """Two lists of numbers or more."""
    lists = {label: _numbers_of(value) for label, value in pairs}
    rows = [_row(label, numbers) for label, numbers in lists.items() if numbers]
    if len(rows) < 2 or max(len(row.cells) for row in rows) < FEWEST:
        return None, ()
    rest = tuple(pair for pair in pairs if not lists[pair[0]])
    return Grid(_marked(rows), wide=True), rest


def _numbers_of(value: str) -> list[str]:
    found = NUMBERS.fullmatch(value.strip()) if len(value) <= LONGEST else None
    return [each.strip() for each in found[1].split(",")] if found else []


def _row(label: str, places: Sequence[str]) -> Row:
    cells = tuple(_cell(place) for place in places[:MOST])
    return Row(label, cells, max(0, len(places) - MOST))


def _cell(place: str) -> Cell:
    shown = DRAWN.get(place) or line(place)
    return Cell(shown, KINDS.get(place) or ("escape" if shown.startswith("\\") else ""))


def _marked(rows: Sequence[Row]) -> tuple[Row, ...]:
    """The rows, those of two against each other with their differences."""
    compared = [row for row in rows if row.label != SOURCE]
    if len(compared) != 2 or len(compared[0].cells) != len(compared[1].cells):
        return tuple(rows)
    differs = [a.text != b.text for a, b in zip(*(row.cells for row in compared), strict=True)]
    return tuple(_with(row, differs) if row in compared else row for row in rows)


def _with(row: Row, differs: Iterable[bool]) -> Row:
    cells = zip(row.cells, differs, strict=True)
    return replace(row, cells=tuple(replace(cell, differs=each) for cell, each in cells))
