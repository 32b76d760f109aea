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


@pytest.mark.parametrize("text", ["6637/6920", "6637 of 6920", "6637 / 6920", "(6637/6920)"])
def test_a_count_is_exact(text):
    figure = figure_in(text)
    assert (figure.share, figure.unit, figure.count) == (Fraction(6637, 6920), 0, (6637, 6920))


def test_a_decimal_beside_a_count_is_what_is_held():
    figure = figure_in("895/1427 = 62.7%")
    assert figure.count == (895, 1427)
    assert figure.share == Fraction(627, 1000)


@pytest.mark.parametrize(
    ("text", "value"), [("12,820.43", "12820.43"), ("2,550,125,904.81", "2550125904.81")]
)
def test_thousands_may_be_grouped(text, value):
    assert figure_in(text).value == Fraction(value)


@pytest.mark.parametrize("text", ["NaN", "-inf", "∞", "1e999", "**nan**"])
def test_what_is_not_finite_is_told(text):
    assert figure_in(text) is None
    assert is_not_finite(text)


@pytest.mark.parametrize("text", ["", "-", "n/a", "BERT", "roberta-base"])
def test_words_are_no_number(text):
    assert figure_in(text) is None
    assert not is_not_finite(text)


@given(st.text(max_size=300))
def test_any_text_is_read_without_an_exception(text):
    figure = figure_in(text)
    assert figure is None or figure.digits >= 0
