"""GRIM: check whether a printed accuracy is a whole number of correct answers out of n.

Brown and Heathers 2017. A printed value may be rounded or cut off; both are allowed, so a value v
with last digit u means any fraction from v - u/2 to v + u.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from graders.written.audits.finding import Finding
from graders.written.audits.reading.figure import Figure

KNOWN_SIZES = (3270, 1427, 6920, 872, 1821, 500, 437, 10)
# A fraction that was computed in float32 and printed in full has an error of this size.
FLOAT32 = Fraction(1, 10**7)


@dataclass(frozen=True, slots=True)
class Fit:
    """The counts from `low` to `high` out of n that print as the figure; none if low > high."""

    n: int
    low: int
    high: int
    powerless: bool

    @property
    def possible(self) -> bool:
        """Return whether any count prints as the figure."""
        return self.low <= self.high

    @property
    def words(self) -> str:
        """The count as `856/1427`, or the range of counts."""
        several = f"{self.low} to {self.high} of {self.n}"
        return f"{self.low}/{self.n}" if self.low == self.high else several


def fit(figure: Figure, n: int, digits: int = 0) -> Fit:
    """Return the counts out of n that print as the figure, which has at least `digits` decimals.

    A program that prints 0.9 in full means .9000, so the figure is read with more digits.
    """
    unit = min(figure.share_unit, Fraction(1, 10**digits)) if digits else figure.share_unit
    if figure.count is not None and figure.unit == 0:
        k, own = figure.count
        return Fit(n, k, k if own == n else k - 1, False)
    slack = FLOAT32 * (1 if unit < FLOAT32 else 0)
    low = math.ceil((figure.share - unit / 2 - slack) * n)
    above = (figure.share + unit + slack) * n
    high = math.ceil(above) - 1
    rounded = math.floor((figure.share + unit / 2 + slack) * n)
    return Fit(n, max(low, 0), min(max(high, rounded), n), unit * n * 3 / 2 >= 1)


def sizes_that_fit(figure: Figure, sizes: Iterable[int], digits: int = 0) -> tuple[int, ...]:
    """Return the sizes n for which the figure can be a fraction of n."""
    return tuple(n for n in dict.fromkeys(sizes) if fit(figure, n, digits).possible)


def granularity(figure: Figure, name: str, n: int, sizes: Sequence[int] = KNOWN_SIZES) -> Finding:
    """Check whether the figure can be an accuracy on the n items of this split."""
    found = fit(figure, n)
    if not 0 <= figure.share <= 1:
        return out_of_range(figure, name)
    if not found.possible:
        return _impossible(figure, name, n, sizes)
    if found.powerless and found.low < found.high:
        return Finding(
            "granularity",
            "note",
            f"{name} {figure.text} has too few digits to tell how many of {n} answers were "
            "correct; write all digits that your script prints.",
            f"{name} {figure.text}: with so few digits, any value fits {n} items; no power.",
            ((name, found.words),),
        )
    half = figure.share_unit / 2 + FLOAT32
    cut = found.low == found.high and abs(Fraction(found.low, n) - figure.share) > half
    sentence = f"{name} {figure.text} is {found.words}{', truncated, not rounded' if cut else ''}."
    return Finding("granularity", "fine", sentence, sentence, ((name, found.words),))


def out_of_range(figure: Figure, name: str) -> Finding:
    """The finding on an accuracy below 0 or above 1."""
    sentence = f"{name} {figure.text} is not an accuracy: it must be from 0 to 1, or 0 to 100%."
    return Finding("accuracy-range", "impossible", sentence, sentence, ((name, figure.text),))


def _impossible(figure: Figure, name: str, n: int, sizes: Sequence[int]) -> Finding:
    nearest = round(figure.share * n)
    around = f"{nearest}/{n} = {nearest / n:.6f}"
    others = sizes_that_fit(figure, [size for size in sizes if size != n])
    fits = f" It fits {' or '.join(map(str, others))} items." if others else ""
    return Finding(
        "granularity",
        "impossible",
        f"{name} {figure.text} cannot be the accuracy on {n} items; the nearest possible "
        f"value is {around}. Count correct answers over the whole split: an average over batches "
        "of unequal size is not an accuracy." + fits,
        f"{name} {figure.text} fails GRIM for n = {n} (nearest {around}).{fits}",
        ((name, around),),
    )


def debug_subset(figures: Sequence[tuple[str, Figure, int]], size: int, digits: int) -> bool:
    """Return whether all accuracies fit the small subset, and at least one doesn't fit its split.

    Each figure is given with its name and the number of items of its split; all are read with
    `digits` decimals.
    """
    shares = [
        figure.share * size for _, figure, _ in figures if figure.unit or figure.count is None
    ]
    whole = bool(shares) and all(share.denominator == 1 for share in shares)
    return whole and any(
        not fit(figure, n, digits).possible for _, figure, n in figures if figure.unit
    )


def debug_finding(figures: Sequence[tuple[str, Figure, int]], size: int) -> Finding:
    """Return the finding on accuracies that come from the small subset."""
    shown = ", ".join(f"{name} {figure.text}" for name, figure, _ in figures[:6])
    return Finding(
        "debug-subset",
        "impossible",
        f"{shown}: these are accuracies on {size} items, and not all of them are possible on the "
        f"whole splits. Run on all the data, not on the small subset of {size}, and write all "
        "digits that your script prints.",
        f"{shown}: only n = {size} fits if they are printed in full: a debug run on {size} items.",
        tuple((name, f"{round(figure.share * size)}/{size}") for name, figure, _ in figures[:6]),
    )
