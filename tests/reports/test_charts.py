"""Charts in a page: nothing that the policy forbids, nothing hidden."""

import re
from itertools import pairwise

import pytest

from reports.drawing.charts import (
    HEIGHT,
    LABEL,
    Curve,
    Whisker,
    accuracy_chart,
    label_places,
    loss_chart,
)
from reports.drawing.charts import thinned as thin

FALLING = [(10 * i, 3 / i) for i in range(1, 20)]
CURVES = (Curve("vanilla", "first", FALLING), Curve("RoPE", "second", FALLING))
WHISKERS = (
    Whisker("RoPE, pretrained", "dev", share=86.7, low=75.8, high=93.1),
    Whisker("RoPE, pretrained", "test", share=83.3, low=72.0, high=90.7),
    Whisker("Always London", "dev", share=5.0, low=1.7, high=13.7),
)
FORBIDDEN = re.compile(r"""\sstyle=|<style|\sid=|<script|url\(|\shref=|\son\w+=""")


@pytest.fixture(scope="module")
def losses():
    return loss_chart(CURVES)


@pytest.fixture(scope="module")
def accuracies():
    return accuracy_chart(WHISKERS)


def assert_fits_the_page(svg):
    """The policy lets all of it be seen; a color of Vega's own would be black on black."""
    assert svg.startswith("<svg")
    assert FORBIDDEN.search(svg) is None
    colours = set(re.findall(r'(?:fill|stroke)="([^"]+)"', svg))
    assert {c for c in colours if not c.startswith("var(--")} <= {"none", "transparent"}


def test_curves_differ_by_dash_in_colours_of_the_page(losses, accuracies):
    assert_fits_the_page(losses)
    assert_fits_the_page(accuracies)
    lines = re.findall(
        r'<path [^>]*stroke="(var\(--curve-\d\))"[^>]*stroke-dasharray="([^"]+)"', losses
    )
    assert lines == [("var(--curve-1)", "7,3"), ("var(--curve-2)", "1,0")]
    for name, colour in (("vanilla", "var(--curve-1)"), ("RoPE", "var(--curve-2)")):
        assert re.search(rf'fill="{re.escape(colour)}"[^>]*>{name}<', losses)


def test_a_few_steps_have_a_tick_each_and_none_between_them():
    drawn = loss_chart([Curve("", "second", [(1.0, 90.0), (2.0, 95.0)])])
    texts = re.findall(r"<text[^>]*>([^<]+)</text>", drawn)
    assert {"1", "2"} <= {*texts}
    assert not any("." in text for text in texts)


def test_whiskers_reach_from_low_to_high(accuracies):
    rules = re.findall(r'<line transform="translate\(([\d.]+),[\d.]+\)" x2="([\d.-]+)"', accuracies)
    spans = [(float(x), float(x) + float(width)) for x, width in rules]
    for whisker in WHISKERS:
        ends = (2.4 * whisker.low, 2.4 * whisker.high)  # 240 pixels for 100 %
        assert any(sorted(span) == pytest.approx(ends, abs=0.6) for span in spans)


def test_names_are_text_and_nothing_to_draw_is_no_chart():
    name = "<script>alert(1)</script>"
    svgs = (
        loss_chart([Curve(name, "third", FALLING)]),
        accuracy_chart([Whisker(name, "dev", 1, 0, 2)]),
    )
    assert all("<script" not in svg and "&lt;script" in svg for svg in svgs)
    assert accuracy_chart([]) == loss_chart([]) == ""
    assert loss_chart([Curve("vanilla", "first", [])]) == ""
    assert loss_chart([Curve("RoPE", "second", [(1, float("inf"))])]) == ""


def test_a_diverged_loss_is_drawn_and_names_do_not_cover_each_other():
    diverged = [*FALLING, (200, float("nan"))]
    for points in (diverged, [(1, 0.0), (2, 0.0)]):
        svg = loss_chart([Curve("RoPE", "second", points)])
        assert svg.startswith("<svg")
        assert "NaN" not in svg
    ends = {"a": (900, 0.30), "b": (900, 0.31), "c": (900, 0.30), "d": (50, 0.305)}
    curves = [Curve(name, "first", [end]) for name, end in ends.items()]
    places = {curve.name: height for curve, _, height in label_places(curves, top=4.0)}
    together = sorted(places[name] for name in "abc")
    gap = LABEL * 4.0 / HEIGHT
    assert all(high - low >= gap * 0.999 for low, high in pairwise(together))
    assert places["d"] == pytest.approx(0.305), "it ends elsewhere, so it stays beside its curve"


@pytest.mark.parametrize("n", [1, 10, 11, 1000])
def test_thinned_keeps_the_last_point(n):
    points = [(float(i), 1.0) for i in range(n)]
    thinned = thin(points, 10)
    assert thinned[-1] == points[-1]
    assert min(n, 6) <= len(thinned) <= 10
    assert thinned == sorted(thinned)
