"""Two exact one-sided tests, in whole numbers: no table, no approximation, no slow import."""

from fractions import Fraction
from math import comb


def chance_so_far_below(k: int, n: int, other_k: int, other_n: int) -> float:
    """How probable k or fewer of n are, if `other_k` of `other_n` came from the same model.

    Fisher's exact test: which of all questions were answered rightly is random, how many is not.
    """
    right = k + other_k
    ways = sum(comb(n, i) * comb(other_n, right - i) for i in range(k + 1) if i <= right)
    return ways / comb(n + other_n, right)


def chance_below(k: int, n: int, share: Fraction) -> float:
    """How probable k or fewer of n are, for a model whose true accuracy is `share`."""
    hit, miss = share.numerator, share.denominator - share.numerator
    ways = sum(comb(n, i) * hit**i * miss ** (n - i) for i in range(k + 1))
    return ways / share.denominator**n
