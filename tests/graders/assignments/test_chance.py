"""The exact tests agree with scipy's, for many proportions."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, fisher_exact

from graders.assignments.cs224n_a4.hidden.predictions.notes import (
    chance_below,
    chance_so_different,
    chance_so_far_below,
    p_in_words,
)
from graders.checks.labels import chance_at_least


def agree(p, other):
    """To seven digits; where nothing is left to decide, scipy itself has fewer."""
    return math.isclose(p, other, rel_tol=1e-7, abs_tol=1e-60)


@st.composite
def shares(draw, most=500):
    n = draw(st.integers(1, most))
    return draw(st.integers(0, n)), n


@given(shares(), st.fractions(0, 1, max_denominator=500))
def test_binomial_tails_agree_with_scipy(share, truth):
    k, n = share
    p = float(truth)
    assert agree(float(chance_at_least(k, n, truth)), binomtest(k, n, p, "greater").pvalue)
    assert agree(chance_below(k, n, truth), binomtest(k, n, p, "less").pvalue)


@given(shares(), shares())
def test_fishers_tests_agree_with_scipy(one, other):
    (k, n), (j, m) = one, other
    table = [[k, n - k], [j, m - j]]
    assert agree(chance_so_far_below(k, n, j, m), fisher_exact(table, "less").pvalue)
    assert agree(chance_so_different(k, n, j, m), fisher_exact(table).pvalue)


@pytest.mark.parametrize(
    ("p", "words"),
    [(1.0, "p = 1"), (0.0431, "p = 0.043"), (3.14e-12, "p = 3.1e-12"), (0.0, "p < 1e-300")],
)
def test_p_is_said_in_two_digits(p, words):
    assert p_in_words(p) == words


def test_improbable_is_never_said_to_be_impossible():
    assert p_in_words(float(chance_at_least(500, 500, Fraction(1, 20)))) == "p < 1e-300"
