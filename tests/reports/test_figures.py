"""Figures for a page: the numbers in words, positions on the axis, no foreign markup."""

import re

import pytest

from graders.figures import Accuracy, Curve, Rotation
from reports.drawing.figures import drawing

ATTACK = '<script>alert(1)</script>" onload="x'
TURNS = tuple(0.2 * t for t in range(16))
FORBIDDEN = re.compile(r"""\sstyle=|<style|\sid=|<script|url\(|\shref=|\son\w+=|https?:""")


def accuracy(correct=12, n=60, **changes):
    return drawing(Accuracy("test file", correct, n, **changes))


def test_an_accuracy_is_told_in_words_and_marks_in_order_on_one_axis():
    words = accuracy(threshold=0.3).words
    assert words == "12 of 60 = 20.0% (95% interval 11.8 to 31.8%); threshold 30%, not reached."
    assert "threshold 20%, reached" in accuracy(threshold=0.2).words
    assert accuracy().strip.own.name == "accuracy", "alone, it is nobody's"
    assert accuracy(threshold=0.3).strip.own.name == "yours"
    assert accuracy(baselines=(("London", 0.0),)).strip.own.name == "yours"
    strip = accuracy(threshold=0.3, baselines=(("London", 0.05),)).strip
    (london,) = strip.baselines
    places = [london.place, strip.low, strip.own.place, strip.threshold.place, strip.high]
    assert places == sorted(places)
    assert strip.threshold.place == pytest.approx(6 * london.place)
    assert (london.name, london.value) == ("London", "5%")


@pytest.mark.parametrize("correct", [0, 30, 60])
def test_nothing_leaves_the_axis(correct):
    strip = accuracy(correct, threshold=1.0, baselines=(("all", 1.0), ("none", 0.0))).strip
    places = [strip.own.place, strip.low, strip.high, *(mark.place for mark in strip.baselines)]
    assert all(0 <= place <= 1 for place in places)


def test_a_rotation_says_where_it_goes_wrong():
    same = drawing(Rotation("pair 1", TURNS, TURNS))
    wrong = drawing(Rotation("pair 1", TURNS, tuple(2 * angle for angle in TURNS)))
    assert "the same" in same.words
    lines = re.findall(r'aria-roledescription="line mark"|stroke-dasharray="([^"]+)"', wrong.svg)
    assert {"7,3", "1,0"} <= set(lines), "the series differ without colors"
    assert [name for name in ("expected", "actual") if name not in wrong.svg] == []
    assert "differ at 15 of 16 positions" in wrong.words
    assert "at position 15, expected 3.00 radians, actual 6.00" in wrong.words


def test_a_curve_is_told_from_first_to_last():
    drawn = drawing(Curve("pretrain", "loss", ((1, 4.0), (2, 0.5), (3, 1.0))))
    assert drawn.words == "loss: 4 at step 1, 1 at step 3, lowest 0.5."
    assert "<svg" in drawn.svg


@pytest.mark.parametrize(
    "figure",
    [
        Rotation(ATTACK, TURNS, TURNS),
        Curve(ATTACK, ATTACK, ((1, 2.0), (2, -3.0))),
        Curve(ATTACK, "", ((1e300, 1e300),)),
    ],
)
def test_a_drawing_brings_no_markup_and_no_address(figure):
    svg = str(drawing(figure).svg)
    assert svg.startswith("<svg")
    assert FORBIDDEN.search(svg.replace("&lt;script", "").replace('" onload', "")) is None
