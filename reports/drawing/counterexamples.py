"""Lay out a counterexample as a table: texts are split into columns so that they can be compared.

    found.counterexample ──┬── sequences with □ and ⁇, lists of numbers ──> Grid: one cell each
                           └── everything else ──> label and value

If there are two rows of equal length, the cells that differ are marked.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from graders.model import CheckResult
from reports.text import line

MOST = 160  # cells of a row
FEWEST = 4  # fewer numbers don't need columns
LONGEST = 1_000  # characters of a value that is parsed
MODEL_CHARACTERS = ("□", "⁇")
SOURCE = "document"  # label of the text that a sequence is made from
NUMBERS = re.compile(r"\[(-?[0-9.e+-]+(?:, ?-?[0-9.e+-]+)*)\]")  # `[1.5, -2e-3]`
NAMED = re.compile(r"(?m)^([^\n=]{1,40}) = (\[.*\])$")
KINDS = {" ": "sp", "□": "pad", "⁇": "mask", "\n": "nl"}
DRAWN = {"\n": "↵"}


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: its text, its kind, and whether the other row's cell differs."""

    text: str
    kind: str = ""
    differs: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of one text; `more` of its characters are not shown."""

    label: str
    cells: tuple[Cell, ...]
    more: int = 0


@dataclass(frozen=True, slots=True)
class Grid:
    """Aligned rows of cells; `wide` cells contain numbers."""

    rows: tuple[Row, ...]
    wide: bool = False

    @property
    def width(self) -> int:
        """The length of the longest row."""
        return max(len(row.cells) for row in self.rows)

    @property
    def differing(self) -> int:
        """The number of columns in which the rows differ."""
        return sum(cell.differs for cell in self.rows[-1].cells)


@dataclass(frozen=True, slots=True)
class Example:
    """A counterexample: its grid, if it has one, and the other rows."""

    grid: Grid | None
    rows: tuple[tuple[str, str], ...]

    @property
    def has_spaces(self) -> bool:
        """Return whether a space is shown anywhere in it."""
        cells = (cell for row in (self.grid.rows if self.grid else ()) for cell in row.cells)
        drawn = (" " in text and is_exact(label, text) for label, text in self.rows)
        return any(drawn) or any(cell.kind == "sp" for cell in cells)


def example(result: CheckResult) -> Example:
    """Return a check's counterexample, with its character sequences in a grid.

    Values that are already shown as expected or actual are left out.
    """
    shown = (result.expected, result.actual)
    pairs = tuple(pair for pair in result.counterexample if pair[1] not in shown)
    for split in (_sequences, _numbers):
        grid, rows = split(pairs)
        if grid is not None:
            return Example(grid, rows)
    return Example(None, pairs)


def rows_in_order(result: CheckResult) -> tuple[tuple[str, str], ...]:
    """Return a check's counterexample without values shown elsewhere, comparable rows first.

    This aligns character sequences in a terminal, too.
    """
    rest = example(result).rows
    shown = (result.expected, result.actual)
    compared = (pair for pair in result.counterexample if pair not in rest and pair[1] not in shown)
    return (*compared, *rest)


def is_exact(label: str, text: str) -> bool:
    """Return whether every space in a value counts: a text of characters, not a description."""
    return label == SOURCE or _marks(text) > 0 or text != " ".join(text.split())


def named_lists(text: str) -> Grid | None:
    """Return the grid of a text if all its lines are of the form `name = [1, 2, …]`."""
    pairs = NAMED.findall(text[:LONGEST])
    if len(pairs) < 2 or len(pairs) != len(text.splitlines()):
        return None
    rows = [(name, _numbers_of(value)) for name, value in pairs]
    if not all(numbers for _, numbers in rows):
        return None
    return Grid(tuple(_row(name, numbers) for name, numbers in rows), wide=True)


def _sequences(
    pairs: Sequence[tuple[str, str]],
) -> tuple[Grid | None, tuple[tuple[str, str], ...]]:
    """Return the character sequences, with the document that they are made from above them."""
    taken = [pair for pair in pairs if _is_sequence(pair[1])]
    taken = [pair for pair in pairs if pair in taken or pair[0] == SOURCE]
    if len(taken) < 2:
        return None, ()
    rest = tuple(pair for pair in pairs if pair not in taken)
    return Grid(_marked([_row(label, text) for label, text in taken])), rest


def _is_sequence(text: str) -> bool:
    """Return whether it is a model's sequence, not a description (`prefix ⁇ suffix ⁇ content`)."""
    marks = _marks(text)
    spaced = sum(text.count(f" {mark} ") for mark in MODEL_CHARACTERS)
    return 0 < marks != spaced and len(text) <= LONGEST and "…" not in text


def _marks(text: str) -> int:
    return sum(map(text.count, MODEL_CHARACTERS))


def _numbers(
    pairs: Sequence[tuple[str, str]],
) -> tuple[Grid | None, tuple[tuple[str, str], ...]]:
    """Return two or more lists of numbers as a grid."""
    lists = {label: _numbers_of(value) for label, value in pairs}
    rows = [_row(label, numbers) for label, numbers in lists.items() if numbers]
    if len(rows) < 2 or max(len(row.cells) for row in rows) < FEWEST:
        return None, ()
    rest = tuple(pair for pair in pairs if not lists[pair[0]])
    return Grid(_marked(rows), wide=True), rest


def _numbers_of(value: str) -> list[str]:
    match = NUMBERS.fullmatch(value.strip()) if len(value) <= LONGEST else None
    return [text.strip() for text in match[1].split(",")] if match else []


def _row(label: str, places: Sequence[str]) -> Row:
    cells = tuple(_cell(place) for place in places[:MOST])
    return Row(label, cells, max(0, len(places) - MOST))


def _cell(place: str) -> Cell:
    shown = DRAWN.get(place) or line(place)
    return Cell(shown, KINDS.get(place) or ("escape" if shown.startswith("\\") else ""))


def _marked(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Return the rows; if there are two to compare, with their differences marked."""
    compared = [row for row in rows if row.label != SOURCE]
    if len(compared) != 2 or len(compared[0].cells) != len(compared[1].cells):
        return tuple(rows)
    differs = [a.text != b.text for a, b in zip(*(row.cells for row in compared), strict=True)]
    return tuple(_with(row, differs) if row in compared else row for row in rows)


def _with(row: Row, differs: Iterable[bool]) -> Row:
    cells = zip(row.cells, differs, strict=True)
    return replace(row, cells=tuple(replace(cell, differs=flag) for cell, flag in cells))
