import math
from fractions import Fraction

import pytest
from scipy.stats import binomtest

from graders.statistics import (
    is_borderline,
    mcnemar,
    percent,
    percentage,
    share_in_words,
    upper_bound,
    wilson,
)


@pytest.mark.parametrize(("k", "n"), [(0, 60), (3, 60), (92, 500), (131, 437), (437, 437), (1, 1)])
def test_wilson_agrees_with_scipy(k, n):

    expected = binomtest(k, n).proportion_ci(0.95, method="wilson")
    for bound, other in zip(wilson(k, n), expected, strict=True):
        assert math.isclose(bound, other, rel_tol=1e-9, abs_tol=1e-12)


@pytest.mark.parametrize(("k", "n"), [(0, 1), (0, 60), (3, 60), (92, 500), (5, 5)])
def test_upper_bound_agrees_with_scipy(k, n):
    expected = binomtest(k, n, alternative="less").proportion_ci(0.95, method="exact").high
    assert math.isclose(upper_bound(k, n), expected, rel_tol=1e-9)


@pytest.mark.parametrize(("k", "n"), [(1, 0), (-1, 5), (6, 5)])
def test_impossible_share_is_refused(k, n):
    with pytest.raises(ValueError, match="is not a share"):
        wilson(k, n)


@pytest.mark.parametrize(("k", "n"), [(0, 60), (9, 60), (75, 500), (132, 437), (437, 437)])
def test_borderline_ends_at_the_intervals_edges(k, n):
    low, high = wilson(k, n)
    assert is_borderline(k, n, low)
    assert is_borderline(k, n, high)
    assert not is_borderline(k, n, math.nextafter(low, -1))
    assert not is_borderline(k, n, math.nextafter(high, 2))


def test_share_is_said_with_its_interval():
    assert share_in_words(92, 500) == "92 of 500 = 18.4% (95% interval 15.2 to 22.0%)"


@pytest.mark.parametrize(("k", "n"), [(0, 1), (3, 0), (5, 5), (29, 14), (100, 60)])
def test_mcnemar_is_the_exact_sign_test(k, n):
    assert mcnemar(k, n) == pytest.approx(binomtest(k, k + n).pvalue)


@pytest.mark.parametrize(
    ("k", "n", "threshold", "shown"),
    [
        (131, 437, Fraction(30, 100), "29.98%"),
        (131, 437, 0.25, "30.0%"),
        (132, 437, Fraction(30, 100), "30.2%"),
        (3, 10, Fraction(30, 100), "30.0%"),
        (75_001, 500_000, Fraction(15, 100), "15.0002%"),
    ],
)
def test_percentage_shows_the_side_of_the_threshold(k, n, threshold, shown):
    assert percent(k, n, threshold) == shown


def test_thresholds_are_written_as_people_do():
    assert [percentage(Fraction(p)) for p in ("15/100", "125/1000")] == ["15%", "12.5%"]
