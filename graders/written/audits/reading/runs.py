"""Read the training runs that an answer reports (settings, accuracies) from tables or sentences."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from graders.written.audits.reading.columns import Names, meaning, meanings
from graders.written.audits.reading.figure import Figure, figure_in, is_not_finite, with_points
from graders.written.audits.reading.pairs import LONGEST_LINE, Named, pairs_in
from graders.written.audits.reading.table import Line, Row, Table, numbered, page_of

ACCURACIES = ("train", "dev", "test")
SETTINGS = ("lr", "epochs", "batch_size")
# Matches `we chose` or `the best`.
_CHOICE = re.compile(
    r"\b(?:best|chose|chosen|choose|select(?:ed)?|pick(?:ed)?|final(?:ly)?|winner)\b", re.IGNORECASE
)
# Matches `★` or `<-` or `0.93*`.
_MARK = re.compile(r"[★✓✔☑←]|<-|\b(?:chosen|selected|best)\b|\*\s*$|(?<!\*)\*(?!\*)", re.IGNORECASE)
_BOLD = re.compile(r"\*\*|__|\\textbf|\\mathbf|\\bf\b|<b>|<strong>")
# Matches `Run 3` or `test #2`.
_NUMBERED = re.compile(r"\W*((?:run|test|trial|experiment|model)\s*#?\d{1,3})\b", re.IGNORECASE)
_VALUED = re.compile(r"\d\.\d|\.\d|[=:]\s*\d|\de-\d")  # `0.93` or `lr=1` or `1e-4`
_AXES = re.compile(r"\\+|/|\||×|\bvs\b")  # between `lr` and `epochs` in the corner of a grid
_YES = re.compile(r"\s*(?:yes|y|true|x|1|✓|✔|☑|★|\*+|best|chosen|selected|<-|←)\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Run:
    """One run: its line, its label, its settings and accuracies by name."""

    line: int
    label: str
    values: Mapping[str, Figure]
    chosen: bool = False
    not_finite: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        named = [f"{name} {self.values[name].text}" for name in SETTINGS[:2] if name in self.values]
        return self.label[:60] or ", ".join(named) or f"line {self.line}"


@dataclass(frozen=True, slots=True)
class Report:
    """All runs of an answer, the values that apply to all, and the values of the chosen run."""

    runs: tuple[Run, ...]
    shared: Mapping[str, Figure] = field(default_factory=dict)
    choice: Mapping[str, Figure] = field(default_factory=dict)
    choice_text: str = ""


def report_of(text: str, further: Names | None = None) -> Report:
    """Return the runs in an answer, if any can be read. Raises Unreadable if it is too long."""
    lines = numbered(with_points(text))
    page = page_of(lines)
    runs: list[Run] = []
    prose = list(page.prose)
    for table in page.tables:
        of_table = _runs_of_table(table, further)
        runs += of_table
        if not of_table:
            inside = {table.header.line, *(row.line for row in table.rows)}
            prose += [line for line in lines if line[0] in inside]
    prose.sort()
    if runs:
        shared = _first_values([line for line in prose if not _CHOICE.search(line[1])], further)
        spoken = _spoken(prose)
        return Report(
            tuple(_one_mark(runs)), shared, _first_values(spoken, further), _first(spoken)
        )
    return _from_sentences(prose, further)


def _first_values(lines: Iterable[Line], further: Names | None) -> dict[str, Figure]:
    """Return the named values of these lines, the first of each name."""
    values: dict[str, Figure] = {}
    for pair in pairs_in(lines, further):
        if pair.figure is not None:
            values.setdefault(pair.name, pair.figure)
    return values


def _spoken(prose: Sequence[Line]) -> Sequence[Line]:
    """Return the lines on the chosen run: from the first that mentions a choice onwards."""
    starts = [at for at, (_, line) in enumerate(prose) if _CHOICE.search(line)]
    return prose[starts[0] :] if starts else ()


def _first(lines: Sequence[Line]) -> str:
    return lines[0][1][:LONGEST_LINE] if lines else ""


def _from_sentences(prose: Sequence[Line], further: Names | None) -> Report:
    """Read runs from named values; when a name is repeated, the next run begins."""
    runs: list[Run] = []
    choice: dict[str, Figure] = {}
    labels = dict(prose)
    named: list[Named] = []
    for pair in [*pairs_in(prose, further), None]:
        names = {earlier.name for earlier in named}
        again = pair is not None and pair.name in names and pair.name != "loss"
        if named and (pair is None or again):
            run = _run_of(named, labels)
            speaks = _CHOICE.search(labels[named[0].line]) is not None and not run.chosen
            is_choice = speaks and bool(runs)
            choice = choice or (dict(run.values) if is_choice else {})
            runs += [] if is_choice else [run]
            named = []
        if pair is not None:
            named.append(pair)
    text = _first(_spoken([line for line in prose if line[0] not in {run.line for run in runs}]))
    return Report(tuple(run for run in runs if run.values), {}, choice, text)


def _run_of(named: Sequence[Named], lines: Mapping[int, str]) -> Run:
    values = {pair.name: pair.figure for pair in named if pair.figure is not None}
    labels = [pair.text for pair in named if pair.name == "label"]
    chosen = any(pair.name == "chosen" for pair in named)
    label = labels[0] if labels else _heading(named[0].line, lines)
    return Run(named[0].line, label, values, chosen)


def _heading(at: int, lines: Mapping[int, str]) -> str:
    """Return `Run 3` at the start of the line, or the line above if it contains no values."""
    number = _NUMBERED.match(lines.get(at, ""))
    above = lines.get(at - 1, "").strip(" *#-:")
    return number[1] if number else ("" if _VALUED.search(above[:LONGEST_LINE]) else above[:60])


def _runs_of_table(table: Table, further: Names | None) -> list[Run]:
    """Return the runs of a table with one run per row, per column, or per cell."""
    if cells := _runs_of_grid(table):
        return cells
    for way in (table, table.turned()):
        columns = [meanings(cell, further) for cell in way.header.cells]
        heads = {name for names in columns for name in names if name}
        if len(heads) >= 2 and heads & {*ACCURACIES, "accuracy", "train_loss", "dev_loss", "loss"}:
            return [_run_of_row(row, columns) for row in way.rows if any(row.cells)]
    return []


def _run_of_row(row: Row, columns: Sequence[tuple[str, ...]]) -> Run:
    values: dict[str, Figure] = {}
    label, chosen, broken = "", _is_marked(row, columns), []
    for cell, names in zip(row.cells, columns, strict=True):
        if names == ("label",) or (names == ("",) and not label):
            label = label or cell
            for pair in pairs_in([(row.line, cell)]):
                if pair.figure is not None:
                    values.setdefault(pair.name, pair.figure)
        elif names == ("chosen",):
            chosen = chosen or _YES.fullmatch(cell) is not None
        else:
            broken += _keep(values, names, cell)
    return Run(row.line, label[:80], values, chosen, tuple(broken))


def _keep(values: dict[str, Figure], names: tuple[str, ...], cell: str) -> list[str]:
    """Store a cell's numbers under its names; return the names whose number is not finite."""
    pieces = [cell] if len(names) == 1 else re.split(r"\s*(?:[/;|×&]|,\s)\s*", cell.strip("()[] "))
    broken = []
    for name, piece in zip(names, pieces, strict=False):
        figure = figure_in(piece)
        if name and figure is not None:
            values.setdefault(name, figure)
        elif name and is_not_finite(piece):
            broken.append(name)
    return broken


def _is_marked(row: Row, columns: Sequence[tuple[str, ...]]) -> bool:
    """Return whether the row is marked as the chosen run: a bold dev cell, or a mark."""
    filled = [cell for cell in row.cells if cell]
    dev = [cell for cell, names in zip(row.cells, columns, strict=True) if "dev" in names]
    bold = any(_BOLD.search(cell) for cell in dev) or all(_BOLD.search(cell) for cell in filled)
    return bold or any(_MARK.search(_BOLD.sub("", cell)) for cell in filled)


def _one_mark(runs: Sequence[Run]) -> list[Run]:
    """Return the runs; if all of them are marked, remove the marks."""
    if len(runs) > 1 and all(run.chosen for run in runs):
        return [Run(run.line, run.label, run.values, False, run.not_finite) for run in runs]
    return list(runs)


def _runs_of_grid(table: Table) -> list[Run]:
    """Return the runs of a table of learning rates by epochs, in either orientation."""
    first, *rest = table.header.cells
    across = [figure_in(cell) for cell in rest]
    down = [figure_in(row.cells[0]) for row in table.rows]
    if not rest or None in across or None in down:
        return []
    axes_named = {name for part in _AXES.split(first) for name in meanings(part)}
    small = all(figure is not None and figure.value < 1 for figure in down)
    axes = ("lr", "epochs") if small else ("epochs", "lr")
    if axes_named.isdisjoint(("lr", "epochs")) and first.strip() and meaning(first):
        return []
    return [
        _run_of_row(
            Row(row.line, (row.cells[0], head, cell)), [(axes[0],), (axes[1],), ("dev", "test")]
        )
        for row in table.rows
        for head, cell in zip(rest, row.cells[1:], strict=True)
        if cell
    ]
