"""Check perplexities against the losses next to them.

The perplexity of a single text is exp(loss). For a corpus, people often report the mean of the
texts' perplexities and the mean of their losses; the former can only be larger than exp(loss)
(Jensen's inequality). The two are equal only if the average is over tokens.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from graders.written.audits.finding import Finding
from graders.written.audits.reading.figure import Figure

# Two decimals of a loss, rounded or cut off, and a little more for the perplexity's digits.
EQUAL, BELOW = 0.0101, 0.0051
Style = Literal["exact", "rounded", "cut off", "free"]


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


def cell_finding(cell: Cell) -> Finding:
    """Check whether perplexity and loss agree."""
    gap = cell.log - float(cell.loss.value)
    if cell.perplexity.value < 1 or cell.loss.value < 0:
        return _disagree(cell, "a perplexity is at least 1 and a loss at least 0")
    # Fewer than two decimals increase the tolerance; more decimals do not reduce it.
    coarse = max(1.0, float(cell.loss.unit) * 100)
    blur = float(cell.perplexity.unit / cell.perplexity.value) if cell.perplexity.value else 0.0
    blur = blur if blur > 1e-3 else 0.0
    if cell.corpus and not cell.micro:
        if gap < -BELOW * coarse - blur:
            return _disagree(cell, "over a corpus, ln(perplexity) is never below the mean loss")
    elif abs(gap) > EQUAL * coarse + blur:
        return _disagree(cell, "for a single text, the perplexity is exp(loss)")
    sentence = f"{cell.name}: ln({cell.perplexity.text}) = {cell.log:.4f} agrees with the loss."
    return Finding("perplexity", "fine", sentence, sentence, _numbers(cell))


def _disagree(cell: Cell, rule: str) -> Finding:
    bits = abs(cell.log / math.log(2) - float(cell.loss.value)) <= EQUAL
    remedy = " The loss seems to be in bits; use natural logarithms." if bits else ""
    shown = f"ln({cell.perplexity.text}) = {cell.log:.4f}, but the loss is {cell.loss.text}"
    return Finding(
        "perplexity",
        "impossible",
        f"{cell.name}: {shown}; {rule}.{remedy}",
        f"{cell.name}: {shown} ({rule}).{remedy}",
        _numbers(cell),
    )


def _numbers(cell: Cell) -> tuple[tuple[str, str], ...]:
    return ((cell.name, f"ln {cell.perplexity.text} = {cell.log:.4f}, loss {cell.loss.text}"),)


def style(cell: Cell) -> Style:
    """Return how the loss was shortened, given the perplexity.

    It may be rounded, cut off, both, or unknown.
    """
    unit = float(cell.loss.unit)
    if unit <= 0 or not math.isfinite(cell.log):
        return "free"
    shown, log = float(cell.loss.value) / unit, cell.log / unit
    rounded, cut = abs(log - shown) <= 0.5, 0 <= log - shown < 1
    if rounded and cut:
        return "exact"
    return "rounded" if rounded else "cut off" if cut else "free"


def shortened(cells: Sequence[Cell]) -> Finding | None:
    """Return the note on losses that were cut off instead of rounded, or None."""
    single = [cell for cell in cells if not cell.corpus]
    cut = [cell for cell in single if style(cell) == "cut off"]
    if not cut:
        return None
    first = cut[0]
    sentence = (
        f"{len(cut)} of {len(single)} losses are truncated instead of rounded ({first.name}: "
        f"{first.log:.4f} became {first.loss.text}); round all of them."
    )
    return Finding("rounding-style", "note", sentence, sentence)
