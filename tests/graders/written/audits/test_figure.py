from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graders.written.audits.reading.figure import figure_in, is_not_finite


@pytest.mark.parametrize(
    "text",
    [
        "90.0\\%",
        "**90%**",
        "$0.9$",
        "\\textbf{0.9}",
        "0,9",
        "<b>.9</b>",
        "0.9 ± 0.01",
        "`90`",
        "9e-1",
        "90 percent",
        "dev acc 0.9",
    ],
)
def test_one_accuracy_in_many_notations(text):
    assert figure_in(text).share == Fraction(9, 10)


@pytest.mark.parametrize(
    "text",
    [
        "0.00005",
        r"$5 \times 10^{-5}$",
        "5·10⁻⁵",
        "5*10**-5",
        "5×10−5",
    ],
)
def test_one_learning_rate_in_many_notations(text):
    assert figure_in(text).value == Fraction(5, 100_000)


@pytest.mark.parametrize("text", ["6637/6920", "6637 of 6920", "(6637/6920)"])
def test_a_count_is_exact_unless_a_decimal_is_beside_it(text):
    figure = figure_in(text)
    assert (figure.share, figure.unit, figure.count) == (Fraction(6637, 6920), 0, (6637, 6920))
    beside = figure_in(f"{text} = 62.7%")
    assert (beside.share, beside.count) == (Fraction(627, 1000), (6637, 6920))


@pytest.mark.parametrize(
    ("text", "value"), [("12,820.43", "12820.43"), ("2,550,125,904.81", "2550125904.81")]
)
def test_thousands_may_be_grouped(text, value):
    assert figure_in(text).value == Fraction(value)


@pytest.mark.parametrize(
    ("text", "infinite"),
    [
        *(("NaN", True), ("-inf", True), ("∞", True), ("1e999", True), ("**nan**", True)),
        *(("", False), ("-", False), ("n/a", False), ("roberta-base", False)),
    ],
)
def test_what_is_not_finite_is_told_from_words(text, infinite):
    assert figure_in(text) is None
    assert is_not_finite(text) is infinite


@given(st.text(max_size=300))
def test_any_text_is_read_without_an_exception(text):
    figure = figure_in(text)
    assert figure is None or figure.digits >= 0
