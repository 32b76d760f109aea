"""A reported figure is read in every notation, and is a share of so many items or not."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, hypergeom

from graders.written.audits.accuracy import (
    KNOWN_SIZES,
    Split,
    better_than_majority,
    chance_range,
    debug_subset,
    fit,
    granularity,
    least_better,
    majority_class,
    threshold_finding,
)
from graders.written.audits.reading.figure import figure_in, is_not_finite


def split(items, majority=0, population=0):
    return Split(items=items, majority=majority, population=population)


DEV, TEST = split(3270, 2033), split(1427, 5874, 9427)
SST_DEV, SST_TEST = split(872, 444), split(1821, 912)


@pytest.mark.parametrize(
    "text",
    [
        "90.0\\%", "**90%**", "$0.9$", "\\textbf{0.9}", "0,9", "<b>.9</b>", "0.9 ± 0.01", "`90`",
        "9e-1", "90 percent", "dev acc 0.9",
    ],
)  # fmt: skip
def test_one_accuracy_in_many_notations(text):
    assert figure_in(text).share == Fraction(9, 10)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *((rate, "5e-5") for rate in ("0.00005", r"$5 \times 10^{-5}$", "5·10⁻⁵", "5*10**-5")),
        ("5×10−5", "5e-5"), ("12,820.43", "12820.43"), ("2,550,125,904.81", "2550125904.81"),
    ],
)  # fmt: skip
def test_one_number_in_many_notations(text, value):
    assert figure_in(text).value == Fraction(value)


@pytest.mark.parametrize("text", ["6637/6920", "6637 of 6920", "(6637/6920)"])
def test_a_count_is_exact_unless_a_decimal_is_beside_it(text):
    figure = figure_in(text)
    assert (figure.share, figure.unit, figure.count) == (Fraction(6637, 6920), 0, (6637, 6920))
    beside = figure_in(f"{text} = 62.7%")
    assert (beside.share, beside.count) == (Fraction(627, 1000), (6637, 6920))


@pytest.mark.parametrize(
    ("text", "infinite"),
    [
        ("NaN", True), ("-inf", True), ("∞", True), ("1e999", True), ("**nan**", True),
        ("", False), ("-", False), ("n/a", False), ("roberta-base", False),
    ],
)  # fmt: skip
def test_what_is_not_finite_is_told_from_words(text, infinite):
    assert figure_in(text) is None
    assert is_not_finite(text) is infinite


@given(st.text(max_size=300))
def test_any_text_is_read_without_an_exception(text):
    figure = figure_in(text)
    assert figure is None or figure.share_unit >= 0


def printed(k, n, digits, cut):
    scaled = Fraction(k, n) * 10**digits
    whole = int(scaled) if cut else int(scaled + Fraction(1, 2))
    return f"{whole // 10**digits}.{whole % 10**digits:0{digits}d}"


@given(st.sampled_from(KNOWN_SIZES), st.data(), st.integers(1, 12), st.booleans())
def test_every_true_share_fits_however_it_is_printed(n, data, digits, cut):
    k = data.draw(st.integers(0, n))
    counts = fit(figure_in(printed(k, n, digits, cut)), n)
    assert counts.low <= k <= counts.high


@given(st.sampled_from(KNOWN_SIZES), st.data())
def test_every_share_printed_in_full_fits_alone(n, data):
    k = data.draw(st.integers(1, n))
    shown = [repr(k / n), repr(float(np.float32(k) / np.float32(n))), f"{100 * k / n!r} %"]
    for text in (notation for notation in shown if len(notation) > 12):
        counts = fit(figure_in(text), n)
        assert (counts.low, counts.high) == (k, k)


def test_other_numbers_are_refused_as_often_as_arithmetic_says():
    n, digits = 1427, 4
    values = [
        value
        for value in range(10**digits + 1)
        if fit(figure_in(f"{value / 10**digits:.{digits}f}"), n).possible
    ]
    # A share is met by one and a half units: the half below it and the whole above.
    assert set(values) == _fitting(n, digits)
    assert 0.19 < len(values) / 10**digits < 0.22


def _fitting(n, digits):
    scale = 10**digits
    fits = set()
    for k in range(n + 1):
        share = Fraction(k * scale, n)
        near = range(int(share) - 2, int(share) + 3)
        fits |= {v for v in near if Fraction(-1, 2) <= share - v < 1 and 0 <= v <= scale}
    return fits


@pytest.mark.parametrize(
    ("text", "n", "k"),
    [
        ("0.6217125382262997", 3270, 2033), ("0.6271899088997898", 1427, 895),
        ("0.6187806587245971", 1427, 883), ("0.6923615977575333", 1427, 988),
        ("95.91", 6920, 6637), ("93.23", 872, 813), ("94.83", 1821, 1727),
    ],
)  # fmt: skip
def test_the_documents_accuracies_are_shares(text, n, k):
    counts = fit(figure_in(text), n)
    assert (counts.low, counts.high) == (k, k)
    assert granularity(figure_in(text), "test", n).severity == "fine"


def test_a_share_that_is_cut_off_is_told():
    assert "truncated" in granularity(figure_in("94.83%"), "test", 1821).sentence
    assert "truncated" not in granularity(figure_in("94.84%"), "test", 1821).sentence


@pytest.mark.parametrize("text", [".9", "90%"])
def test_the_small_subset_is_found(text):
    figure = figure_in(text)
    assert not fit(figure, 1427, digits=4).possible
    assert fit(figure, 10, digits=4).possible
    assert debug_subset([(figure, DEV), (figure, TEST)], 10, 4)


@pytest.mark.parametrize(
    ("dev", "test"), [(".71", ".69"), (".7092", ".6"), ("0.9000", "1284/1427")]
)
def test_rounded_accuracies_are_no_small_subset(dev, test):
    assert not debug_subset([(figure_in(dev), DEV), (figure_in(test), TEST)], 10, 4)


@pytest.mark.parametrize(
    ("text", "id", "severity", "said"),
    [
        (".9", "granularity", "note", "too few digits"),
        ("0.998", "granularity", "fine", ""),
        ("0.99800", "granularity", "impossible", "500 items"),
        ("120%", "accuracy-range", "impossible", ""),
        ("-0.1", "accuracy-range", "impossible", ""),
    ],
)
def test_an_accuracy_is_a_share_of_the_items_as_far_as_its_digits_say(text, id, severity, said):
    finding = granularity(figure_in(text), "dev", 437)
    assert (finding.id, finding.severity) == (id, severity)
    assert said in finding.sentence


def test_a_count_of_other_items_is_no_share_of_these():
    assert not fit(figure_in("9/10"), 1427).possible
    assert fit(figure_in("895/1427"), 1427).possible


@pytest.mark.parametrize(
    ("beaten", "least"), [(DEV, 2098), (TEST, 933), (SST_DEV, 479), (SST_TEST, 963)]
)
def test_the_fewest_that_beat_the_majority(beaten, least):
    assert least_better(beaten) == least


@pytest.mark.parametrize("k", [0, 1, 436, 444, 479, 872])
def test_the_binomial_is_exact(k):
    exact = binom.sf(k - 1, 872, 444 / 872)
    assert better_than_majority(k, SST_DEV) == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize(
    "drawn", [TEST, split(100, 620, 1000), split(50, 50, 60), split(10, 20, 1000)]
)
def test_the_range_of_a_random_split_is_the_hypergeometric_one(drawn):
    exact = hypergeom(drawn.population, drawn.majority, drawn.items).ppf([0.025, 0.975])
    assert chance_range(drawn) == tuple(exact)
    assert chance_range(TEST) == (856, 922)


@pytest.mark.parametrize(
    ("text", "items", "finding"),
    [
        *((text, TEST, "chance-range") for text in ("0.6271899088997898", "0.5998598458304134")),
        *((text, DEV, "majority-class") for text in ("0.6217125382262997", "62.17%")),
        (".5092", SST_DEV, "majority-class"), ("2097/3270", DEV, "not-better-than-majority"),
        ("2098/3270", DEV, None), ("0.7091743119266055", DEV, None), ("93.23", SST_DEV, None),
        (".6", DEV, None), ("62%", DEV, None), ("12%", DEV, "not-better-than-majority"),
    ],
)  # fmt: skip
def test_an_accuracy_without_learning_is_flagged(text, items, finding):
    """The documents' own accuracies are among them; two digits say little."""
    flag = majority_class(figure_in(text), "test", items)
    assert (flag and flag.id) == finding
    assert flag is None or flag.severity == "suspicious"


@pytest.mark.parametrize(
    ("k", "n", "threshold", "doubtful", "severity"),
    [
        (100, 437, 30, False, "suspicious"), (131, 437, 30, True, "suspicious"),
        (132, 437, 30, True, "note"), (160, 437, 30, False, "fine"),
        (75, 500, 15, True, "note"), (134, 500, 15, False, "fine"),
    ],
)  # fmt: skip
def test_the_count_decides_a_threshold_and_the_interval_only_doubts(
    k, n, threshold, doubtful, severity
):
    finding = threshold_finding("test", k, n, Fraction(threshold, 100))
    assert finding.severity == severity
    assert ("too few to be sure" in finding.sentence) == doubtful
