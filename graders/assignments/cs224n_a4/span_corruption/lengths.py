"""The handout's requirements for lengths over many draws: all occur; content is a quarter.

Both tests are sequential: a first batch of draws decides a clear case, and only a case near a
boundary needs more. False-alarm rates and power are in docs/span-corruption.md;
benchmarks/quality/corruption_statistics.py measures them.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from reference.data.edition import SHORTEST

Decision = Literal["right", "wrong", "unclear"]
Numbers = NDArray[np.integer[Any]]

# A length that never occurred counts as missing only if its neighbors occurred this often: an
# equally likely length is absent with probability exp(-20) = 2e-9.
EXPECTED_AT_LEAST = 20
TAIL = 10  # one tenth of the range at either end may be thin, but not empty

# The test uses the slope of the least-squares line through the origin, content against length. Long
# documents have the largest weight, so rounding a length up or down has little effect.
LOW, HIGH = 0.206, 0.30
# Code that samples the start first and clips the content at the end aims at a quarter and gets
# slightly less. Many empty suffixes reveal it. Then only starts in the first half are tested, where
# the content has room; the mean over all starts may be as low as this.
STOPPED_LOW, ROOMY_LOW = 0.195, 0.225
HEAP = (0.12, 0.5)  # fraction of empty suffixes; without such code it is below 0.07
SURE = 4.9  # standard errors beyond a boundary: 5e-7
CONFIDENT = 3.3  # standard errors inside it: 5e-4
SHORT_CUTS = (16, 56)  # the content must be proportional here, too
SHORT_LOW, SHORT_HIGH = 0.15, 0.32
# Minimum fraction of pairs of draws with equal document and length that differ in content. With a
# length that changes in one reading out of ten, 19% do; with the least random correct code, a
# choice of two lengths, 50%. Very short documents have few lengths to choose from.
VARIED = 0.25


@dataclass(frozen=True, slots=True)
class Lengths:
    """The lengths of many draws: of the truncated document, the prefix and the content."""

    index: Numbers
    cut: Numbers
    prefix: Numbers
    content: Numbers

    @property
    def arrays(self) -> list[Numbers]:
        """All four."""
        return [self.index, self.cut, self.prefix, self.content]

    def where(self, chosen: NDArray[np.bool_]) -> "Lengths":
        """Return a subset of the draws."""
        return Lengths(*(numbers[chosen] for numbers in self.arrays))

    def joined(self, more: "Lengths | None") -> "Lengths":
        """Return these draws and more, if there are more."""
        if more is None:
            return self
        return Lengths(*map(np.concatenate, zip(self.arrays, more.arrays, strict=True)))


@dataclass(frozen=True, slots=True)
class Slope:
    """A mean fraction of the truncated document, with its standard error."""

    value: float
    error: float

    def above(self, boundary: float, errors: float) -> bool:
        """Return whether it is this many standard errors above the bound."""
        return self.value - errors * self.error > boundary

    def below(self, boundary: float, errors: float) -> bool:
        """Return whether it is this many standard errors below the bound."""
        return self.value + errors * self.error < boundary


def missing_lengths(cuts: Numbers, longest: int) -> tuple[Decision, list[int]]:
    """Return the expected lengths that did not occur, and whether that is significant."""
    counts = Counter(cuts.tolist())
    missing = [n for n in range(SHORTEST, longest + 1) if not counts[n]]
    beyond = [n for run in _runs(missing) for n in run if _missed(run, counts, longest)]
    if beyond:
        return "wrong", beyond
    return ("unclear", missing) if missing else ("right", [])


def thin_ends(cuts: Numbers, longest: int) -> bool:
    """Return whether the shortest or longest tenth of the lengths never occurred."""
    margin = (longest - SHORTEST) // TAIL
    return bool(cuts.min() > SHORTEST + margin or cuts.max() < longest - margin)


def content_share(lengths: Lengths) -> Slope:
    """Return the slope of content against truncated length, through the origin."""
    cut, content = lengths.cut.astype(np.float64), lengths.content.astype(np.float64)
    squares = float((cut * cut).sum())
    if not squares:
        return Slope(0.0, 0.0)
    value = float((cut * content).sum()) / squares
    error = float(np.sqrt((((content - value * cut) * cut) ** 2).sum())) / squares
    return Slope(value, error)


def content_is_a_quarter(lengths: Lengths, *, final: bool) -> Decision:
    """Return whether the mean content is a quarter; `final` decides unclear cases as well."""
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
    """Return the mean fraction in short documents if it is far off: content is not proportional."""
    short = (lengths.cut >= SHORT_CUTS[0]) & (lengths.cut <= SHORT_CUTS[1])
    share = content_share(lengths.where(short))
    off = share.below(SHORT_LOW, SURE) or share.above(SHORT_HIGH, SURE)
    return share.value if off and short.any() else None


def content_varies(lengths: Lengths) -> bool:
    """Return whether equal lengths of one document have contents of several lengths."""
    pairs, differ = content_pairs(lengths)
    return differ > VARIED * pairs


def content_pairs(lengths: Lengths) -> tuple[int, int]:
    """Count pairs of draws with equal document and length, and those that differ in content."""
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
    """Group consecutive numbers."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs


def _missed(run: Sequence[int], counts: Counter[int], longest: int) -> bool:
    """Return whether missing lengths have neighbors on every side that occurred often."""
    below = [n for n in (run[0] - 2, run[0] - 1) if n >= SHORTEST]
    above = [n for n in (run[-1] + 1, run[-1] + 2) if n <= longest]
    sides = [sum(counts[n] for n in side) / len(side) for side in (below, above) if side]
    return bool(sides) and min(sides) >= EXPECTED_AT_LEAST
