"""Compute confidence intervals of shares, put them in words, and compare two shares."""

import math
from fractions import Fraction

# The 97.5% point of the normal distribution, for a 95% interval.
Z = 1.959963984540054


def wilson(k: int, n: int) -> tuple[float, float]:
    """Return the 95% interval of a share after k successes in n trials (Wilson 1927).

    Unlike k/n ± 2 sd it stays between 0 and 1, and is informative even at k = 0.
    """
    if not 0 <= k <= n or n == 0:
        raise ValueError(f"{k} of {n} is no share")
    share = k / n
    centre = (share + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z / (1 + Z**2 / n) * math.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2))
    return max(0.0, centre - half), min(1.0, centre + half)


def mcnemar(only_first: int, only_second: int) -> float:
    """Return the exact two-sided p-value, from the items that only one of two models got right."""
    from scipy import special  # type: ignore[import-untyped]  # it ships no stubs

    n, k = only_first + only_second, min(only_first, only_second)
    return min(1.0, 2 * float(special.bdtr(k, n, 0.5))) if n else 1.0


def is_borderline(k: int, n: int, threshold: Fraction | float) -> bool:
    """Return whether the interval contains the threshold, so that n items cannot tell the side."""
    low, high = wilson(k, n)
    return low <= threshold <= high


def share_in_words(k: int, n: int) -> str:
    """Return text such as `92 of 500 = 18.4 % (95 % interval 15.2 to 22.0 %)`."""
    low, high = wilson(k, n)
    return f"{k} of {n} = {percent(k, n)} (95 % interval {100 * low:.1f} to {100 * high:.1f} %)"


def percent(k: int, n: int) -> str:
    """Return text such as `18.4 %`."""
    return f"{100 * k / n:.1f} %"
