"""Exact tests in whole numbers, of a share and of two shares: no table, no approximation."""

from fractions import Fraction
from math import comb

SMALLEST = 1e-300  # below it floats run out; nobody asks how far


def chance_so_far_below(k: int, n: int, other_k: int, other_n: int) -> float:
    """How probable k or fewer of n are, if `other_k` of `other_n` came from the same model.

    Fisher's exact test: which of all questions were answered rightly is random, how many is not.
    """
    right = k + other_k
    ways = sum(comb(n, i) * comb(other_n, right - i) for i in range(k + 1) if i <= right)
    return ways / comb(n + other_n, right)


def chance_so_different(k: int, n: int, other_k: int, other_n: int) -> float:
    """How probable a table is that is no likelier than k of n beside `other_k` of `other_n`.

    Fisher's exact test, two-sided, where one model answered all questions.
    """
    right = k + other_k
    possible = range(max(0, right - other_n), min(n, right) + 1)
    ways = [comb(n, i) * comb(other_n, right - i) for i in possible]
    seen = comb(n, k) * comb(other_n, other_k)
    return sum(each for each in ways if each <= seen) / comb(n + other_n, right)


def chance_below(k: int, n: int, share: Fraction) -> float:
    """How probable k or fewer of n are, for a model whose true accuracy is `share`."""
    return _ways(range(k + 1), n, share) / share.denominator**n


def chance_at_least(k: int, n: int, share: Fraction) -> float:
    """How probable k or more of n are, for a model whose true accuracy is `share`."""
    return _ways(range(k, n + 1), n, share) / share.denominator**n


def p_in_words(p: float) -> str:
    """`p = 0.043`, `p = 3.1e-12`."""
    if p < SMALLEST:
        return f"p < {SMALLEST:g}"
    return f"p = {p:.2g}"


def _ways(counts: range, n: int, share: Fraction) -> int:
    hit, miss = share.numerator, share.denominator - share.numerator
    return sum(comb(n, i) * hit**i * miss ** (n - i) for i in counts)
