"""Check one reported accuracy: can it be a fraction of n items, and is it better than chance?

GRIM (Brown and Heathers 2017) checks whether a printed accuracy is a whole number of correct
answers out of n. A printed value may be rounded or cut off; both are allowed, so a value v with
last digit u means any fraction from v - u/2 to v + u.
"""

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from graders.statistics import is_borderline, share_in_words
from graders.written.audits.finding import Finding
from graders.written.audits.reading.figure import Figure

KNOWN_SIZES = (3270, 1427, 6920, 872, 1821, 500, 437, 10)
# A fraction that was computed in float32 and printed in full has an error of this size.
FLOAT32 = Fraction(1, 10**7)
LEVEL = 0.01  # of the test against the majority class


class Split(BaseModel, frozen=True, extra="forbid"):
    """The number of items of a split, and of items in its largest class.

    A split that is drawn at random for every student is given by its `population`; then `majority`
    counts the population's largest class.
    """

    items: int = Field(gt=0)
    majority: int = Field(default=0, ge=0)
    population: int = Field(default=0, ge=0)

    @property
    def share(self) -> float:
        """The expected accuracy of always predicting the largest class."""
        return self.majority / (self.population or self.items)


@dataclass(frozen=True, slots=True)
class Fit:
    """The counts from `low` to `high` out of n that print as the figure; none if low > high."""

    n: int
    low: int
    high: int
    powerless: bool

    @property
    def possible(self) -> bool:
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
        k, total = figure.count
        return Fit(n, k, k if total == n else k - 1, False)
    slack = FLOAT32 * (1 if unit < FLOAT32 else 0)
    low = math.ceil((figure.share - unit / 2 - slack) * n)
    above = (figure.share + unit + slack) * n
    high = math.ceil(above) - 1
    rounded = math.floor((figure.share + unit / 2 + slack) * n)
    return Fit(n, max(low, 0), min(max(high, rounded), n), unit * n * 3 / 2 >= 1)


def granularity(figure: Figure, name: str, n: int) -> Finding:
    """Check whether the figure can be an accuracy on the n items of this split."""
    counts = fit(figure, n)
    if not 0 <= figure.share <= 1:
        return out_of_range(figure, name)
    if not counts.possible:
        return _impossible(figure, name, n)
    numbers = ((name, counts.words),)
    if counts.powerless and counts.low < counts.high:
        sentence = (
            f"{name} {figure.text} has too few digits to tell how many of {n} answers were "
            "correct; write all digits that your script prints."
        )
        return Finding("granularity", "note", sentence, numbers)
    half = figure.share_unit / 2 + FLOAT32
    cut = counts.low == counts.high and abs(Fraction(counts.low, n) - figure.share) > half
    sentence = f"{name} {figure.text} is {counts.words}{', truncated, not rounded' if cut else ''}."
    return Finding("granularity", "fine", sentence, numbers)


def out_of_range(figure: Figure, name: str) -> Finding:
    """The finding on an accuracy below 0 or above 1."""
    sentence = f"{name} {figure.text} is not an accuracy: it must be from 0 to 1, or 0 to 100%."
    return Finding("accuracy-range", "impossible", sentence, ((name, figure.text),))


def _impossible(figure: Figure, name: str, n: int) -> Finding:
    nearest = round(figure.share * n)
    around = f"{nearest}/{n} = {nearest / n:.6f}"
    sizes = [str(size) for size in KNOWN_SIZES if size != n and fit(figure, size).possible]
    fits = f" It fits {' or '.join(sizes)} items." if sizes else ""
    sentence = (
        f"{name} {figure.text} cannot be the accuracy on {n} items; the nearest possible "
        f"value is {around}. Count correct answers over the whole split: an average over batches "
        f"of unequal size is not an accuracy.{fits}"
    )
    return Finding("granularity", "impossible", sentence, ((name, around),))


def debug_subset(figures: Iterable[tuple[Figure, Split]], size: int, digits: int) -> bool:
    """Return whether all accuracies fit the small subset, and at least one doesn't fit its split.

    All figures are read with `digits` decimals.
    """
    pairs = list(figures)
    shares = [figure.share * size for figure, _ in pairs if figure.unit or figure.count is None]
    whole = bool(shares) and all(share.denominator == 1 for share in shares)
    return whole and any(
        not fit(figure, split.items, digits).possible for figure, split in pairs if figure.unit
    )


def debug_finding(figures: Sequence[tuple[str, Figure]], size: int) -> Finding:
    shown = ", ".join(f"{name} {figure.text}" for name, figure in figures[:6])
    sentence = (
        f"{shown}: these are accuracies on {size} items, and not all of them are possible on the "
        f"whole splits. Run on all the data, not on the small subset of {size}, and write all "
        "digits that your script prints."
    )
    numbers = ((name, f"{round(figure.share * size)}/{size}") for name, figure in figures[:6])
    return Finding("debug-subset", "impossible", sentence, tuple(numbers))


def better_than_majority(k: int, split: Split) -> float:
    """Return the probability of k or more correct for the majority class (exact binomial)."""
    from scipy import special  # type: ignore[import-untyped]  # it ships no stubs

    return float(special.bdtrc(k - 1, split.items, split.share)) if k > 0 else 1.0


@lru_cache(maxsize=64)
def least_better(split: Split) -> int:
    """Return the smallest number of correct answers that beats the majority at the 1% level."""
    counts = range(split.items + 1)
    return bisect_left(counts, True, key=lambda k: better_than_majority(k, split) <= LEVEL)


@lru_cache(maxsize=64)
def chance_range(split: Split) -> tuple[int, int]:
    """The middle 95% of the largest class's count in a split drawn at random (hypergeometric)."""
    rest = split.population - split.majority
    k = np.arange(max(0, split.items - rest), min(split.items, split.majority) + 1)
    log = (
        _log_choose(split.majority, k)
        + _log_choose(rest, split.items - k)
        - _log_choose(split.population, np.array(split.items))
    )
    cumulated = np.cumsum(np.exp(log))
    low, high = (int(k[np.searchsorted(cumulated, point)]) for point in (0.025, 0.975))
    return low, high


def _log_choose(n: int, k: NDArray[np.int64]) -> NDArray[np.float64]:
    from scipy import special

    gamma = special.gammaln
    return np.asarray(gamma(n + 1) - gamma(k + 1) - gamma(n - k + 1))


def majority_class(figure: Figure, name: str, split: Split) -> Finding | None:
    """Return a finding if an accuracy shows no learning; None if it does or nothing is known."""
    counts = fit(figure, split.items)
    if not split.majority or not counts.possible:
        return None
    if counts.powerless:  # few digits; test the largest count that they allow
        below = not split.population and counts.high < split.majority
        return _no_better(figure, name, split, counts.high) if below else None
    if split.population:
        low, high = chance_range(split)
        return _by_chance(figure, name, (low, high)) if low <= counts.low <= high else None
    if counts.low <= split.majority <= counts.high:
        return _collapsed(figure, name, split)
    if better_than_majority(counts.high, split) > LEVEL:
        return _no_better(figure, name, split, counts.high)
    return None


def _collapsed(figure: Figure, name: str, split: Split) -> Finding:
    count = f"{split.majority}/{split.items}"
    sentence = (
        f"{name} {figure.text} is {count}, exactly what always predicting the most frequent class "
        "gives; count how often your model predicts each class, and report what you find."
    )
    return Finding("majority-class", "suspicious", sentence, ((name, count),))


def _no_better(figure: Figure, name: str, split: Split, k: int) -> Finding:
    sentence = (
        f"{name} {figure.text} is not better than always predicting the most frequent class; that "
        f"takes {least_better(split)} of {split.items} correct."
    )
    return Finding(
        "not-better-than-majority", "suspicious", sentence, ((name, f"{k}/{split.items}"),)
    )


def _by_chance(figure: Figure, name: str, within: tuple[int, int]) -> Finding:
    low, high = within
    sentence = (
        f"{name} {figure.text} is what a model that always predicts the most frequent class gets "
        f"({low} to {high} correct, depending on the random split): it shows no learning, and such "
        "accuracies cannot be ranked."
    )
    return Finding("chance-range", "suspicious", sentence, ((name, f"{low} to {high}"),))


def threshold_finding(name: str, k: int, n: int, threshold: Fraction) -> Finding:
    """Return the finding on k of n and a threshold; k decides, the interval only adds a caveat."""
    enough, doubtful = k >= math.ceil(threshold * n), is_borderline(k, n, threshold)
    words = f"{name}: {share_in_words(k, n)}, {float(threshold):.0%} required"
    doubt = f"; {n} items are too few to be sure" if doubtful else ""
    sentence = f"{words}: {'reached' if enough else 'not reached'}{doubt}."
    numbers = ((name, f"{k}/{n}"),)
    if not enough:
        return Finding("threshold", "suspicious", sentence, numbers)
    return Finding("threshold", "note" if doubtful else "fine", sentence, numbers)
