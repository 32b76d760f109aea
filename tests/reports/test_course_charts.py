"""The course page's charts: all numbers, in the page's colors, also in words."""

import re

import pytest

from graders.model import Submission
from graders.statistics import wilson
from reports.course.accuracies import AccuracySeries, Measured
from reports.course.charts import STRIP, accuracies_chart, bars_chart, draw, in_words, places
from reports.course.view import Bin, course_view
from tests.reports.conftest import FILES
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


def test_policy_and_colours_are_those_of_the_page(drawings):
    for svg in (*drawings, accuracies_chart(series_of(500))):
        assert_fits_the_page(svg)


def test_bars_stand_on_the_axis_with_their_counts(drawings):
    shape = r'd="M[\d.]+,([\d.]+)h[\d.]+v([\d.]+)h[^"]*" fill="var\(--curve-1\)"'
    bars = re.findall(shape, drawings[0])
    assert len(bars) == 10
    assert len({round(float(top) + float(height), 3) for top, height in bars}) == 1
    shown = re.findall(r">(\d+)</text>", drawings[0])
    assert [each for each in ("1", "4", "81") if each not in shown] == []


def test_the_axis_ends_where_the_points_end():
    bins = tuple(Bin(3.2 * n, 3.2 * (n + 1), 1) for n in range(10))
    shape = r'd="M([\d.]+),[\d.]+h([\d.]+)v[^"]*" fill="var\(--curve-1\)"'
    bars = re.findall(shape, bars_chart(bins, (320, 150)))
    assert max(float(x) + float(width) for x, width in bars) == pytest.approx(320, abs=2)


def test_below_the_threshold_differs_by_shape_and_colour(drawings):
    dots = re.findall(r'd="(M[^"]+)" fill="(var\(--curve-[12]\))"', drawings[1])
    shapes = {colour: {path for path, each in dots if each == colour} for _, colour in dots}
    assert len(dots) == 50
    assert shapes["var(--curve-1)"].isdisjoint(shapes["var(--curve-2)"])
    assert sum(colour == "var(--curve-2)" for _, colour in dots) == 10
    assert "threshold 20%" in drawings[1]


def test_thousands_are_a_band_that_stays_small():
    svg = accuracies_chart(series_of(5000))
    assert len(svg) < 30_000
    assert "circle" not in svg


@pytest.mark.parametrize("count", [1, STRIP, STRIP + 1, 10_000])
def test_a_band_keeps_both_ends(count):
    chosen = places(count)
    assert (chosen[0], chosen[-1]) == (0, count - 1)
    assert chosen == sorted(set(chosen))
    assert len(chosen) <= STRIP


def test_a_chart_is_told_in_words():
    told = in_words(series_of(50))
    assert "50 submissions, from 0.0 to 98.0%" in told
    assert "40 reach the threshold of 20%" in told
    assert "threshold" not in in_words(series_of(50, threshold=None))


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
