"""Accuracies of all submissions in one series."""

from dataclasses import replace

import pytest

from graders.figures import Accuracy
from graders.statistics import wilson
from reports.course.accuracies import Accuracies
from tests.reports.conftest import FILES, check_result, criterion_result

LONDON = ("always London", 0.05)


@pytest.fixture
def series(make_result):
    """`series(figures)`: of submissions s0, s1, ..., each with one figure."""

    def make(*figures):
        accuracies = Accuracies()
        for number, figure in enumerate(figures):
            found = criterion_result(FILES, check_result(figures=(figure,)))
            accuracies.add(make_result(found, submission=f"s{number}"))
        return accuracies.series()

    return make


def dev(correct, n=100, **words):
    return Accuracy("dev", correct, n, **words)


def test_the_lowest_comes_first_with_its_interval(series):
    (found,) = series(dev(30), dev(10), dev(20))
    assert [each.submission.id for each in found.measured] == ["s1", "s2", "s0"]
    assert (found.measured[0].low, found.measured[0].high) == wilson(10, 100)


def test_who_reaches_the_threshold_and_who_is_close(series):
    (found,) = series(*(dev(k, threshold=0.2) for k in (2, 18, 20, 60)))
    assert found.reached == 2
    assert [each.id for each in found.close] == ["s1", "s2"]


def test_without_a_threshold_nobody_is_close(series):
    assert series(dev(20))[0].close == ()


def test_a_baseline_of_ones_own_is_left_out(series):
    own = (dev(20, baselines=(LONDON, ("without pretraining", share))) for share in (0.02, 0.03))
    assert series(*own)[0].baselines == (LONDON,)


def test_what_cannot_be_drawn_is_left_out(series):
    assert series(dev(20, n=0), dev(20, threshold=float("nan"))) == ()


def test_each_label_is_a_series_of_its_own(series):
    found = series(dev(20), replace(dev(20), label="test"))
    assert [(each.label, len(each.measured)) for each in found] == [("dev", 1), ("test", 1)]


def test_a_submission_counts_once(make_result):
    """A check that shows the same accuracy in two criteria's checks is no second submission."""
    twice = criterion_result(FILES, *(check_result(figures=(dev(k),)) for k in (10, 10)))
    accuracies = Accuracies()
    accuracies.add(make_result(twice))
    assert len(accuracies.series()[0].measured) == 1


def test_quartiles_of_one_are_its_share(series):
    assert series(dev(20))[0].quartiles == (0.2, 0.2, 0.2)
