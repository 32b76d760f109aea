"""Find the tables in an answer, however they are typed, and split off the remaining prose.

    text -- paragraphs --> pipes | LaTeX | tabs | ; | , | columns of blanks --> Table
                      +--> other lines: prose, with line numbers

A table's first row names its columns. Lists of mappings are read by `pairs`.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from graders.written.question import Unreadable

LONGEST_TEXT = 60_000
MOST_LINES = 1_000
MOST_CELLS = 60  # columns of a row that are read
LONGEST_CELL = 1_000  # characters that are read: some patterns take quadratic time
Line = tuple[int, str]
Cells = tuple[str, ...]
Splitter = Callable[[str], Cells]
_RULE = re.compile(r"[\s|:+=─━\-]*")
# Matches `\hline` or `\cline{1-2}` or `\begin{tabular}{lrr}`.
_LATEX_RULE = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|centering|small|footnotesize)\b"
    r"|\\c(?:line|midrule)(?:\([^)]*\))?\{[^{}]*\}|\\(?:begin|end)\{[^{}]*\}(?:\{[^{}]*\})*"
    r"(?:\[[^\]]*\])?"
)
# Matches `\multicolumn{2}{c}{accuracy}`.
_SPANNING = re.compile(r"\\multi(?:column|row)\{[^{}]*\}\{[^{}]*\}\{([^{}]*)\}")
_GAP = re.compile(r"\s{2,}")
_PIPE = re.compile(r"(?<!\\)\|")
_AMPERSAND = re.compile(r"(?<!\\)&")
_DIGIT = re.compile(r"\d")
_PAIR = re.compile(r"\w[\"']?\s*[:=]\s*[\w.{]")  # `lr: 1e-4` and `lr=1e-4` are read by pairs.py
_FENCE = re.compile(r"^\s*(?:```|~~~)")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table: its line number in the answer, and its cells."""

    line: int
    cells: Cells


@dataclass(frozen=True, slots=True)
class Table:
    """A table whose first row names the columns; all rows have the same length."""

    header: Row
    rows: tuple[Row, ...]

    def turned(self) -> "Table":
        every = (self.header, *self.rows)
        columns = zip(*(row.cells for row in every), strict=True)
        first, *rest = (Row(self.header.line, cells) for cells in columns)
        return Table(first, tuple(rest))


@dataclass(frozen=True, slots=True)
class Page:
    """A parsed answer: its tables, and the lines outside of them."""

    tables: tuple[Table, ...]
    prose: tuple[Line, ...]


def numbered(text: str) -> list[Line]:
    """Return the lines of an answer with their numbers. Raises Unreadable if there are too many."""
    lines = text.splitlines() if len(text) <= LONGEST_TEXT else []
    if len(text) > LONGEST_TEXT or len(lines) > MOST_LINES:
        raise Unreadable(
            f"The table is larger than {LONGEST_TEXT} characters or {MOST_LINES} lines: "
            "give one row per run or epoch, and leave out the log."
        )
    return [(at, "" if _FENCE.match(line) else line) for at, line in enumerate(lines, 1)]


def page_of(lines: Sequence[Line]) -> Page:
    tables: list[Table] = []
    prose: list[Line] = []
    for paragraph in _paragraphs(lines):
        split = _splitter(paragraph)
        rows, rest = _rows(paragraph, split) if split else ([], paragraph)
        if len(rows) >= 2:
            tables.append(_table(rows))
            prose += rest
        else:
            prose += paragraph
    return Page(tuple(tables), tuple(prose))


def _paragraphs(lines: Sequence[Line]) -> Iterator[list[Line]]:
    paragraph: list[Line] = []
    for at, line in [*lines, (0, "")]:
        if line.strip():
            paragraph.append((at, line))
        elif paragraph:
            yield paragraph
            paragraph = []


def _splitter(paragraph: Sequence[Line]) -> Splitter | None:
    """Return the function that splits this paragraph's rows into cells; None if it has no table."""
    lines = [line for _, line in paragraph]
    if sum(_PIPE.search(line) is not None for line in lines) >= 2:
        return _by_pipe
    if sum(_AMPERSAND.search(line) is not None for line in lines) >= 2:
        return _by_ampersand
    if sum("\t" in line for line in lines) >= 2:
        return _by_mark("\t")
    if any(_PAIR.search(line) for line in lines):
        return None
    for mark in ";,":
        if _is_regular(lines, mark):
            return _by_mark(mark)
    for split in (_by_gap, _by_blank):
        if _is_aligned(lines, split):
            return split
    return None


def _is_regular(lines: Sequence[str], mark: str) -> bool:
    """Return whether lines have equally many of these marks, and the first ends without digits."""
    counts = Counter(line.count(mark) for line in lines if mark in line)
    if not counts or counts.most_common(1)[0][1] < 2:
        return False
    usual = counts.most_common(1)[0][0]
    # The first cell may be empty and its mark lost with the blanks before it.
    first = next(line for line in lines if usual - line.count(mark) in (0, 1))
    return not _DIGIT.search(first.split(mark)[-1]) and len(first) < 500


def _is_aligned(lines: Sequence[str], split: Splitter) -> bool:
    """Return whether a line of words is above a line of equally many cells with numbers."""
    sizes = [len(split(line)) for line in lines]
    digits = [bool(_DIGIT.search(split(line)[-1])) for line in lines]
    heads = [at for at, size in enumerate(sizes) if size > 1 and not digits[at]]
    return any(
        sizes[at + 1] - sizes[at] in (0, 1) and digits[at + 1]
        for at in heads
        if at + 1 < len(lines)
    )


def _by_pipe(line: str) -> Cells:
    if _PIPE.search(line) is None:
        return ()
    text = line.strip()
    text = text[1:] if text.startswith("|") else text
    text = text[:-1] if text.endswith("|") and not text.endswith("\\|") else text
    return _stripped(_PIPE.split(text))


def _by_ampersand(line: str) -> Cells:
    text = _SPANNING.sub(r"\1", _LATEX_RULE.sub("", line)).replace("\\\\", "")
    return _stripped(_AMPERSAND.split(text)) if _AMPERSAND.search(text) else ()


def _by_mark(mark: str) -> Splitter:
    def split(line: str) -> Cells:
        return _stripped(part.strip().strip("\"'") for part in line.split(mark))

    return split


def _by_gap(line: str) -> Cells:
    return _stripped(_GAP.split(line.rstrip() if line[:2].strip() else "  " + line.strip()))


def _by_blank(line: str) -> Cells:
    return _stripped(line.split())


def _stripped(cells: "Sequence[str] | Iterator[str]") -> Cells:
    return tuple(cell.strip()[:LONGEST_CELL] for cell in cells)[:MOST_CELLS] or ("",)


def _rows(paragraph: Sequence[Line], split: Splitter) -> tuple[list[Row], list[Line]]:
    rows: list[Row] = []
    rest: list[Line] = []
    width = max((len(split(line)) for _, line in paragraph), default=0)
    for at, line in paragraph:
        cells = split(line)
        numbered = split is _by_gap and re.search(r"\d", line) is not None
        if numbered and len(cells) < width == len(_by_blank(line)):
            cells = _by_blank(line)  # a long name left only one blank before its number
        if len(cells) > 1 and not _RULE.fullmatch(line):
            rows.append(Row(at, cells))
        elif not _RULE.fullmatch(line):
            rest.append((at, line))
    return rows, rest


def _table(rows: Sequence[Row]) -> Table:
    """Return rows of equal width.

    If the header has no name above the row names, add an empty one.
    """
    header, *body = rows
    usual = Counter(len(row.cells) for row in body).most_common(1)[0][0]
    cells = header.cells
    if len(cells) == usual - 1:
        cells = ("", *cells)
    size = len(cells)
    fitted = (Row(row.line, (*row.cells, *[""] * size)[:size]) for row in body)
    return Table(Row(header.line, cells), tuple(fitted))
