"""What the handout asks of lengths over many draws: every cut is possible, content is a quarter.

Both tests are sequential: a clear case is decided by a first batch of draws, and only one near a
boundary asks for more. Rates of false alarms and power stand in docs/span-corruption.md, and
benchmarks/corruption_statistics.py measures them.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from reference.edition import SHORTEST

Decision = Literal["right", "wrong", "unclear"]
Numbers = NDArray[np.integer[Any]]

# A cut length that never came is missed only where its neighbours came so often: a length as
# likely as they are stays away with probability exp(-20) = 2e-9.
EXPECTED_AT_LEAST = 20
TAIL = 10  # one tenth of the range at either end may be thin, but not empty

# The content is judged by the slope of the line through the origin that fits content against cut
# best. Long cuts weigh most in it, so that rounding a length up or down hardly shows.
LOW, HIGH = 0.206, 0.30
# Code that draws the start first, and lets the end of the cut stop the content, means a quarter
# and gets a little less. It shows by a heap of empty suffixes, and then the starts in the first
# half are judged, whose content has room; the mean over all starts may be as low as this.
STOPPED_LOW, ROOMY_LOW = 0.195, 0.225
HEAP = (0.12, 0.5)  # the share of empty suffixes; without such code it is below 0.07
SURE = 4.9  # standard errors beyond a boundary: 5e-7
CONFIDENT = 3.3  # standard errors inside it: 5e-4
SHORT_CUTS = (16, 56)  # the content must follow the cut, also here
SHORT_LOW, SHORT_HIGH = 0.15, 0.32
# Of the pairs of draws with one document and one cut length, so many must differ in content. With
# a length that is always the same but for one reading in ten, 19 % do; with the least random
# honest way, one of two lengths, 50 %. Very short cuts have few lengths to choose from.
VARIED = 0.25


@dataclass(frozen=True, slots=True)
class Lengths:
    """The lengths of many draws: of the cut document, the prefix and the content."""

    index: Numbers
    cut: Numbers
    prefix: Numbers
    content: Numbers

    def where(self, chosen: NDArray[np.bool_]) -> "Lengths":
        """Some of these draws."""
        return Lengths(*(numbers[chosen] for numbers in self._numbers()))

    def joined(self, other: "Lengths") -> "Lengths":
        """These draws and some more."""
        pairs = zip(self._numbers(), other._numbers(), strict=True)
        return Lengths(*(np.concatenate(pair) for pair in pairs))

    def _numbers(self) -> tuple[Numbers, Numbers, Numbers, Numbers]:
        return self.index, self.cut, self.prefix, self.content


@dataclass(frozen=True, slots=True)
class Slope:
    """A mean share of the cut, with its standard error."""

    value: float
    error: float

    def above(self, boundary: float, errors: float) -> bool:
        """Whether it lies so many standard errors above."""
        return self.value - errors * self.error > boundary

    def below(self, boundary: float, errors: float) -> bool:
        """Whether it lies so many standard errors below."""
        return self.value + errors * self.error < boundary


def missing_lengths(cuts: Numbers, longest: int) -> tuple[Decision, list[int]]:
    """The cut lengths that should have come but did not, and whether that is beyond chance."""
    counts = Counter(cuts.tolist())
    missing = [n for n in range(SHORTEST, longest + 1) if not counts[n]]
    beyond = [n for run in _runs(missing) for n in run if _missed(run, counts, longest)]
    if beyond:
        return "wrong", beyond
    return ("unclear", missing) if missing else ("right", [])


def thin_ends(cuts: Numbers, longest: int) -> bool:
    """Whether the shortest or longest tenth of the lengths never came."""
    margin = (longest - SHORTEST) // TAIL
    return bool(cuts.min() > SHORTEST + margin or cuts.max() < longest - margin)


def content_share(lengths: Lengths) -> Slope:
    """The slope of content against cut, through the origin."""
    cut, content = lengths.cut.astype(np.float64), lengths.content.astype(np.float64)
    squares = float((cut * cut).sum())
    if not squares:
        return Slope(0.0, 0.0)
    value = float((cut * content).sum()) / squares
    error = float(np.sqrt((((content - value * cut) * cut) ** 2).sum())) / squares
    return Slope(value, error)


def content_is_a_quarter(lengths: Lengths, *, final: bool) -> Decision:
    """Whether the mean content is a quarter of the cut; `final` decides an unclear case, too."""
    share = content_share(lengths)
    heap = float(((lengths.prefix + lengths.content) == lengths.cut).mean())
    low = _decide(share, LOW, HIGH, final=final)
    if low == "right" or not HEAP[0] <= heap <= HEAP[1] or share.value > HIGH:
        return low
    roomy = lengths.prefix * 2 <= lengths.cut
    first_half = lengths.where(roomy)
    both = (
        _decide(share, STOPPED_LOW, HIGH, final=final),
        _decide(content_share(first_half), ROOMY_LOW, HIGH, final=final),
    )
    if "wrong" in both:
        return "wrong"
    return "unclear" if "unclear" in both else "right"


def content_of_short_cuts(lengths: Lengths) -> float | None:
    """The mean share in short cuts where it is far off: the content does not follow the cut."""
    short = (lengths.cut >= SHORT_CUTS[0]) & (lengths.cut <= SHORT_CUTS[1])
    share = content_share(lengths.where(short))
    off = share.below(SHORT_LOW, SURE) or share.above(SHORT_HIGH, SURE)
    return share.value if off and short.any() else None


def content_varies(lengths: Lengths) -> bool:
    """Whether cuts of one length, from one document, have contents of several lengths."""
    pairs, differ = content_pairs(lengths)
    return differ > VARIED * pairs


def content_pairs(lengths: Lengths) -> tuple[int, int]:
    """How many pairs of draws have one document and cut length, and how many differ in content."""
    long = lengths.cut >= SHORT_CUTS[0]
    lengths = lengths.where(long) if long.any() else lengths
    kind = lengths.index * (int(lengths.cut.max(initial=0)) + 1) + lengths.cut
    order = np.argsort(kind, kind="stable")
    kind, content = kind[order], lengths.content[order]
    same_cut = kind[1:] == kind[:-1]
    differ = same_cut & (content[1:] != content[:-1])
    return int(same_cut.sum()), int(differ.sum())


def _decide(share: Slope, low: float, high: float, *, final: bool) -> Decision:
    if share.below(low, SURE) or share.above(high, SURE):
        return "wrong"
    inside = share.above(low, CONFIDENT) and share.below(high, CONFIDENT)
    if inside or (final and low <= share.value <= high):
        return "right"
    return "wrong" if final else "unclear"


def _runs(numbers: Sequence[int]) -> list[list[int]]:
    """Consecutive numbers together."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs


def _missed(run: Sequence[int], counts: Counter[int], longest: int) -> bool:
    """Whether lengths that never came lie beside lengths that came often, on every side."""
    below = [n for n in (run[0] - 2, run[0] - 1) if n >= SHORTEST]
    above = [n for n in (run[-1] + 1, run[-1] + 2) if n <= longest]
    sides = [sum(counts[n] for n in side) / len(side) for side in (below, above) if side]
    return bool(sides) and min(sides) >= EXPECTED_AT_LEAST
