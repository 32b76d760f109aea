"""Compute confidence intervals of shares, put them in words, and compare two shares."""

import math
from fractions import Fraction

# The 97.5% point of the normal distribution: what makes the interval one of 95%.
Z = 1.959963984540054
MOST_DIGITS = 4  # after the point, of a percentage


def wilson(k: int, n: int) -> tuple[float, float]:
    """The 95% interval of a share when k of n were seen (Wilson 1927).

    Unlike k/n ± 2 sd it stays between 0 and 1, and is informative even at k = 0.
    """
    if not 0 <= k <= n or n == 0:
        raise ValueError(f"{k} of {n} is not a share")
    share = k / n
    centre = (share + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z / (1 + Z**2 / n) * math.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2))
    return max(0.0, centre - half), min(1.0, centre + half)


def upper_bound(k: int, n: int) -> float:
    """Return the exact upper 95% bound of a share when k of n were seen (Clopper-Pearson)."""
    from scipy import special  # type: ignore[import-untyped]  # it ships no stubs

    return 1.0 if k >= n else float(special.betaincinv(k + 1, n - k, 0.95))


def mcnemar(only_first: int, only_second: int) -> float:
    """Return the exact two-sided p-value, from the items that only one of two models got right."""
    from scipy import special

    n, k = only_first + only_second, min(only_first, only_second)
    return min(1.0, 2 * float(special.bdtr(k, n, 0.5))) if n else 1.0


def is_borderline(k: int, n: int, threshold: Fraction | float) -> bool:
    """Return whether the interval contains the threshold, so that n items cannot tell the side."""
    low, high = wilson(k, n)
    return low <= threshold <= high


def share_in_words(k: int, n: int, threshold: Fraction | float | None = None) -> str:
    """Return `92 of 500 = 18.4% (95% interval 15.2 to 22.0%)`."""
    low, high = wilson(k, n)
    share = percent(k, n, threshold)
    return f"{k} of {n} = {share} (95% interval {100 * low:.1f} to {100 * high:.1f}%)"


def percent(k: int, n: int, threshold: Fraction | float | None = None) -> str:
    """Return `18.4%`; beside a threshold, with the digits that show on which side of it k/n is."""
    texts = [f"{100 * k / n:.{digits}f}" for digits in range(1, MOST_DIGITS + 1)]
    if threshold is not None:
        # 131 of 437 is 29.98%: "30.0%" would not be below a threshold of 30%.
        side = _side(Fraction(k, n), Fraction(threshold))
        plain = (t for t in texts if _side(Fraction(t) / 100, Fraction(threshold)) == side)
        return f"{next(plain, texts[-1])}%"
    return f"{texts[0]}%"


def percentage(share: Fraction | float) -> str:
    """Return a threshold as people write it: `15%`, `12.5%`."""
    return f"{float(100 * share):g}%"


def _side(share: Fraction, threshold: Fraction) -> int:
    return (share > threshold) - (share < threshold)
