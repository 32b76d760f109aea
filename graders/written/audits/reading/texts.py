"""Read the perplexities and losses of an answer, paired by the names of their rows and columns."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from graders.written.audits.reading.columns import plain
from graders.written.audits.reading.figure import (
    Figure,
    figure_in,
    is_not_finite,
    undressed,
    with_points,
)
from graders.written.audits.reading.table import Line, Row, Table, numbered, page_of

CORPORA = ("train", "training", "dev", "val", "valid", "validation", "development", "test")
# Words in the name of a single text. A name without such a word, as a model's, may be a corpus.
SINGLES = ("normal", "weird", "long", "short", "sample", "sentence", "text", "example", "phrase")
_PERPLEXITY = re.compile(r"\b(?:perplexity|perplexities|ppl|pplx|pp)\b")
_LOSS = re.compile(
    r"\b(?:(?:cross entropy )?loss(?:es)?|nll|cross entropy|ce|negative log likelihood)\b"
)
_FILLER = re.compile(r"\b(?:mean|average|avg|value|score|set|data|on|the|of|for|metric)\b|[^\w ]")
# Matches `Train: 401.04`.
_SAID = re.compile(
    r"(?P<name>[A-Za-z][\w \-]{0,60}?)[\s:(=,]{1,4}"
    r"(?P<value>\d[\d,]{0,20}(?:\.\d{1,20})?(?:e[+-]?\d{1,3})?)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Cell:
    """The perplexity and the loss of one text or corpus, as printed."""

    name: str
    perplexity: Figure
    loss: Figure
    corpus: bool = False
    micro: bool = False

    @property
    def log(self) -> float:
        """The natural logarithm of the perplexity; -inf if it is not positive."""
        value = self.perplexity.value
        if value <= 0:
            return -math.inf
        return math.log(value.numerator) - math.log(value.denominator)


@dataclass(frozen=True, slots=True)
class Measured:
    """One number: whether it is a perplexity, what it was measured on, and its line."""

    perplexity: bool
    key: tuple[str, ...]
    figure: Figure | None
    line: int


@dataclass(frozen=True, slots=True)
class Texts:
    """The pairs of an answer, the numbers without a partner, and lines with non-finite numbers."""

    cells: tuple[Cell, ...]
    lonely: tuple[Measured, ...]
    not_finite: tuple[int, ...]

    @property
    def names(self) -> list[str]:
        """The names of everything that has a perplexity."""
        alone = (" ".join(value.key) for value in self.lonely if value.perplexity)
        return [*(cell.name for cell in self.cells), *alone]


def texts_of(
    text: str,
    *,
    corpora: Iterable[str] = CORPORA,
    singles: Iterable[str] = SINGLES,
    micro: bool = False,
) -> Texts:
    """Return the perplexities and losses of an answer. Raises Unreadable if it is too long."""
    page = page_of(numbered(with_points(text)))
    measured: list[Measured] = []
    for at, table in enumerate(page.tables):
        measured += _of_table(table, str(at))
    measured += _of_sentences(page.prose)
    broken = tuple(value.line for value in measured if value.figure is None)
    cells, lonely = _paired([value for value in measured if value.figure is not None])
    marked = []
    for cell in cells:
        words = set(cell.name.split())
        corpus = not words.isdisjoint(corpora) or words.isdisjoint(singles)
        marked.append(replace(cell, corpus=corpus, micro=micro))
    return Texts(tuple(marked), lonely, broken)


def _paired(measured: Sequence[Measured]) -> tuple[list[Cell], tuple[Measured, ...]]:
    losses: dict[tuple[str, ...], list[Measured]] = {}
    for value in measured:
        if not value.perplexity:
            losses.setdefault(value.key, []).append(value)
    cells, lonely = [], []
    for value in measured:
        partners = losses.get(value.key, [])
        if not value.perplexity:
            continue
        if partners and value.figure is not None:
            figure = partners.pop(0).figure
            if figure is not None:
                cells.append(Cell(" ".join(value.key[1:]), value.figure, figure))
        else:
            lonely.append(value)
    return cells, (*lonely, *(loss for rest in losses.values() for loss in rest))


def _of_table(table: Table, number: str) -> Iterator[Measured]:
    above = [""] * len(table.header.cells)
    for row in table.rows:
        labels = [cell if _is_text(cell) else "" for cell in row.cells]
        above = [label or before for label, before in zip(labels, above, strict=True)]
        heads = [label for label, cell in zip(above, row.cells, strict=True) if _is_label(cell)]
        yield from _of_row(table.header, row, [number, *heads])


def _of_row(header: Row, row: Row, labels: Sequence[str]) -> Iterator[Measured]:
    for name, cell in zip(header.cells, row.cells, strict=True):
        if _is_label(cell):
            continue
        words = [plain(label) for label in (*labels[1:], name)]
        metric = _metric(" ".join(words))
        figure = figure_in(cell)
        if metric is not None and (figure is not None or is_not_finite(cell)):
            yield Measured(metric, (labels[0], *_key(words)), figure, row.line)


def _of_sentences(prose: Iterable[Line]) -> Iterator[Measured]:
    """Yield the numbers in sentences such as `Train: perplexity 401.04, loss 5.73`."""
    for at, line in prose:
        shown = undressed(line[:1000])
        start = plain(re.split(r"[\d:=]", shown)[0])
        for match in _SAID.finditer(shown):
            name = plain(match["name"])
            metric = _metric(name)
            if metric is not None:
                key = _key([name]) or _key([start])
                yield Measured(metric, ("", *key), figure_in(match["value"]), at)


def _metric(words: str) -> bool | None:
    """Return True for a perplexity, False for a loss, None if neither or both are named."""
    perplexity, loss = _PERPLEXITY.search(words), _LOSS.search(words)
    if bool(perplexity) == bool(loss):
        return None
    return perplexity is not None


def _key(words: Iterable[str]) -> tuple[str, ...]:
    bare = (_FILLER.sub(" ", _LOSS.sub(" ", _PERPLEXITY.sub(" ", word))) for word in words)
    return tuple(name for word in bare if (name := " ".join(word.split())))


def _is_text(cell: str) -> bool:
    return re.search(r"[A-Za-z]{2}", undressed(cell)) is not None and not is_not_finite(cell)


def _is_label(cell: str) -> bool:
    return not cell or _is_text(cell)
