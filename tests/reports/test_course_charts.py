"""The course page's charts and what they show: all numbers, in its colors, also in words."""

import re
from dataclasses import replace

import pytest

from graders.figures import Accuracy
from graders.model import Submission
from graders.statistics import wilson
from reports.course.accuracies import Accuracies, AccuracySeries, Measured
from reports.course.charts import STRIP, accuracies_chart, bars_chart, draw, in_words, places
from reports.course.view import Bin, course_view
from tests.reports.conftest import FILES, check_result, criterion_result
from tests.reports.test_charts import assert_fits_the_page

BINS = tuple(Bin(2.0 * n, 2.0 * n + 2, n * n) for n in range(10))


def series_of(count, threshold=0.2):
    measured = [
        Measured(Submission(f"s{k}", "", "", *[None] * 3), k / count, *wilson(k, count))
        for k in range(count)
    ]
    return AccuracySeries("dev", FILES, threshold, (("London", 0.05),), tuple(measured))


@pytest.fixture(scope="module")
def drawings():
    return bars_chart(BINS, (320, 150)), accuracies_chart(series_of(50))


def test_policy_shapes_and_colours_are_those_of_the_page(drawings):
    for svg in (*drawings, accuracies_chart(series_of(500))):
        assert_fits_the_page(svg)
    dots = re.findall(r'd="(M[^"]+)" fill="(var\(--curve-[12]\))"', drawings[1])
    shapes = {colour: {path for path, fill in dots if fill == colour} for _, colour in dots}
    assert len(dots) == 50
    assert shapes["var(--curve-1)"].isdisjoint(shapes["var(--curve-2)"])
    assert sum(colour == "var(--curve-2)" for _, colour in dots) == 10
    assert "threshold 20%" in drawings[1]


def test_bars_stand_on_the_axis_that_ends_where_the_points_end(drawings):
    shape = r'd="M[\d.]+,([\d.]+)h[\d.]+v([\d.]+)h[^"]*" fill="var\(--curve-1\)"'
    bars = re.findall(shape, drawings[0])
    assert len(bars) == 10
    assert len({round(float(top) + float(height), 3) for top, height in bars}) == 1
    shown = re.findall(r">(\d+)</text>", drawings[0])
    assert [label for label in ("1", "4", "81") if label not in shown] == []
    bins = tuple(Bin(3.2 * n, 3.2 * (n + 1), 1) for n in range(10))
    shape = r'd="M([\d.]+),[\d.]+h([\d.]+)v[^"]*" fill="var\(--curve-1\)"'
    bars = re.findall(shape, bars_chart(bins, (320, 150)))
    assert max(float(x) + float(width) for x, width in bars) == pytest.approx(320, abs=2)


@pytest.mark.parametrize("count", [1, STRIP, STRIP + 1, 10_000])
def test_a_band_keeps_both_ends(count):
    chosen = places(count)
    assert (chosen[0], chosen[-1]) == (0, count - 1)
    assert chosen == sorted(set(chosen))
    assert len(chosen) <= STRIP


def test_a_chart_is_told_in_words_and_thousands_are_a_small_band():
    text = in_words(series_of(50))
    assert "50 submissions, from 0.0 to 98.0%" in text
    assert "40 reach the threshold of 20%" in text
    assert "threshold" not in in_words(series_of(50, threshold=None))
    svg = accuracies_chart(series_of(5000))
    assert len(svg) < 30_000
    assert "circle" not in svg


@pytest.fixture
def drawn(make_result, graded):
    """`drawn("ab")`: the charts of a course of these submissions."""
    return lambda names: draw(
        course_view(make_result(*graded.criteria, submission=name) for name in names)
    )


def test_three_are_drawn_with_words_and_two_are_not(drawn):
    assert (drawn("ab").totals, drawn("ab").criteria) == (None, {})
    three = drawn("abc")
    assert three.totals.words == "Scores, number of submissions by points: 3 from 14 to 16."
    assert set(three.criteria) == {"rotary", "files", "secret"}


LONDON = ("always London", 0.05)


@pytest.fixture
def series(make_result):
    """`series(figures)`: of submissions s0, s1, ..., each with one figure."""

    def make(*figures):
        accuracies = Accuracies()
        for number, figure in enumerate(figures):
            graded = criterion_result(FILES, check_result(figures=(figure,)))
            accuracies.add(make_result(graded, submission=f"s{number}"))
        return accuracies.series()

    return make


def dev(correct, n=100, **words):
    return Accuracy("dev", correct, n, **words)


def test_the_lowest_comes_first_and_who_is_close_to_the_threshold(series):
    (accuracies,) = series(dev(30), dev(10), dev(20))
    assert [accuracy.submission.id for accuracy in accuracies.measured] == ["s1", "s2", "s0"]
    assert (accuracies.measured[0].low, accuracies.measured[0].high) == wilson(10, 100)
    (accuracies,) = series(*(dev(k, threshold=0.2) for k in (2, 18, 20, 60)))
    assert accuracies.reached == 2
    assert [submission.id for submission in accuracies.close] == ["s1", "s2"]
    (alone,) = series(dev(20))
    assert alone.close == ()
    assert alone.quartiles == (0.2, 0.2, 0.2)


def test_what_cannot_be_drawn_or_is_ones_own_baseline_is_left_out(series):
    assert series(dev(20, n=0), dev(20, threshold=float("nan"))) == ()
    figures = (
        dev(20, baselines=(LONDON, ("without pretraining", share))) for share in (0.02, 0.03)
    )
    assert series(*figures)[0].baselines == (LONDON,)


def test_each_label_is_a_series_in_which_a_submission_counts_once(series, make_result):
    """A check that shows the same accuracy in two criteria's checks is no second submission."""
    figures = series(dev(20), replace(dev(20), label="test"))
    assert [(figure.label, len(figure.measured)) for figure in figures] == [("dev", 1), ("test", 1)]
    twice = criterion_result(FILES, *(check_result(figures=(dev(k),)) for k in (10, 10)))
    accuracies = Accuracies()
    accuracies.add(make_result(twice))
    assert len(accuracies.series()[0].measured) == 1
