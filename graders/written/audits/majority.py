"""Test whether an accuracy is better than always predicting the most frequent class."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import special  # type: ignore[import-untyped]  # it ships no stubs

from graders.written.audits.finding import Finding
from graders.written.audits.granularity import fit
from graders.written.audits.reading.figure import Figure

LEVEL = 0.01


@dataclass(frozen=True, slots=True)
class Split:
    """The number of items of a split, and of items in its largest class.

    A split that is drawn at random for every student is given by its `population`; then `majority`
    counts the population's largest class.
    """

    items: int
    majority: int = 0
    population: int = 0

    @property
    def share(self) -> float:
        """The expected accuracy of always predicting the largest class."""
        return self.majority / (self.population or self.items)


def better_than_majority(k: int, split: Split) -> float:
    """Return the probability of k or more correct for the majority class (exact binomial)."""
    return float(special.bdtrc(k - 1, split.items, split.share)) if k > 0 else 1.0


@lru_cache(maxsize=64)
def least_better(split: Split) -> int:
    """The fewest right answers that are better than the majority at 1%."""
    low, high = 0, split.items + 1
    while low < high:
        middle = (low + high) // 2
        if better_than_majority(middle, split) <= LEVEL:
            high = middle
        else:
            low = middle + 1
    return low


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
    gamma = special.gammaln
    return np.asarray(gamma(n + 1) - gamma(k + 1) - gamma(n - k + 1))


def majority_class(figure: Figure, name: str, split: Split) -> Finding | None:
    """Return a finding if an accuracy shows no learning; None if it does or nothing is known."""
    found = fit(figure, split.items)
    if not split.majority or not found.possible:
        return None
    if found.powerless:  # few digits; test the largest count that they allow
        below = not split.population and found.high < split.majority
        return _no_better(figure, name, split, found.high) if below else None
    if split.population:
        low, high = chance_range(split)
        return _by_chance(figure, name, (low, high)) if low <= found.low <= high else None
    if found.low <= split.majority <= found.high:
        return _collapsed(figure, name, split)
    if better_than_majority(found.high, split) > LEVEL:
        return _no_better(figure, name, split, found.high)
    return None


def _collapsed(figure: Figure, name: str, split: Split) -> Finding:
    count = f"{split.majority}/{split.items}"
    return Finding(
        "majority-class",
        "suspicious",
        f"{name} {figure.text} is {count}, exactly what always predicting the most frequent class "
        "gives; count how often your model predicts each class, and report what you find.",
        f"{name} {figure.text} = {count} equals the majority class: probably a constant predictor.",
        ((name, count),),
    )


def _no_better(figure: Figure, name: str, split: Split, k: int) -> Finding:
    least = least_better(split)
    return Finding(
        "not-better-than-majority",
        "suspicious",
        f"{name} {figure.text} is not better than always predicting the most frequent class; that "
        f"takes {least} of {split.items} correct.",
        f"{name} {k}/{split.items}: p = {better_than_majority(k, split):.3g} against the majority "
        f"class ({split.share:.4f}); {least} needed at {LEVEL:.0%}.",
        ((name, f"{k}/{split.items}"),),
    )


def _by_chance(figure: Figure, name: str, within: tuple[int, int]) -> Finding:
    low, high = within
    return Finding(
        "chance-range",
        "suspicious",
        f"{name} {figure.text} is what a model that always predicts the most frequent class gets "
        f"({low} to {high} correct, depending on the random split): it shows no learning, and such "
        "accuracies cannot be ranked.",
        f"{name} {figure.text} is in the 95% range {low} to {high} of a constant predictor on a "
        "random split.",
        ((name, f"{low} to {high}"),),
    )
