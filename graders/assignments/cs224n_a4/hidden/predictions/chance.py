"""Exact tests of one proportion and of two, in integers, without tables or approximations."""

from fractions import Fraction
from math import comb

SMALLEST = 1e-300  # below this, floats underflow


def chance_so_far_below(k: int, n: int, other_k: int, other_n: int) -> float:
    """Return the probability of k or fewer of n, given `other_k` of `other_n` from the same model.

    Fisher's exact test: the number of correct answers is fixed; which questions they are is random.
    """
    right = k + other_k
    ways = sum(comb(n, i) * comb(other_n, right - i) for i in range(k + 1) if i <= right)
    return ways / comb(n + other_n, right)


def chance_so_different(k: int, n: int, other_k: int, other_n: int) -> float:
    """Return the probability of a table no more likely than k of n and `other_k` of `other_n`.

    Fisher's exact test, two-sided, under the hypothesis that one model answered all questions.
    """
    right = k + other_k
    possible = range(max(0, right - other_n), min(n, right) + 1)
    ways = [comb(n, i) * comb(other_n, right - i) for i in possible]
    seen = comb(n, k) * comb(other_n, other_k)
    return sum(each for each in ways if each <= seen) / comb(n + other_n, right)


def chance_below(k: int, n: int, share: Fraction) -> float:
    """Return the probability of k or fewer of n, for a model whose true accuracy is `share`."""
    whole: int = share.denominator**n
    return _ways(range(k + 1), n, share) / whole


def chance_at_least(k: int, n: int, share: Fraction) -> float:
    """Return the probability of k or more of n, for a model whose true accuracy is `share`."""
    whole: int = share.denominator**n
    return _ways(range(k, n + 1), n, share) / whole


def p_in_words(p: float) -> str:
    """Return p in words: `p = 0.043`, `p = 3.1e-12`."""
    if p < SMALLEST:
        return f"p < {SMALLEST:g}"
    return f"p = {p:.2g}"


def _ways(counts: range, n: int, share: Fraction) -> int:
    hit, miss = share.numerator, share.denominator - share.numerator
    return sum(comb(n, i) * hit**i * miss ** (n - i) for i in counts)
