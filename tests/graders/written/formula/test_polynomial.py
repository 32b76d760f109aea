"""Counts and complexities as exact polynomials."""

from fractions import Fraction

import pytest

from graders.written.formula import FormulaError, parse, polynomial

NAMES = ("d", "T", "m", "M", "N", "k")


def terms(text):
    return dict(polynomial(parse(text, NAMES)))


@pytest.mark.parametrize(
    "text",
    [
        "(2*(T-1)+1) * m", "(2T-1)\\cdot m", "(2T−1)×m", "(2(T-1) + 1) x m", "2Tm−m.",
        "[2(T-1)+1]m", "½(4T−2)m", "m^2(2T-1)/m", "2mT - m = m(2T-1)", "-m(1-2T)",
    ],
)  # fmt: skip
def test_equal_counts_are_one_polynomial(text):
    assert terms(text) == {(("T", 1), ("m", 1)): 2, (("m", 1),): -1}


@pytest.mark.parametrize(
    ("texts", "wanted"),
    [
        (("128d+2(d+1)", "130·d + 2", "130 x d + 2", "2 + 1.3e2 d"), {(("d", 1),): 130, (): 2}),
        (("Θ(M²k)", "O(MMk)", "O(M*M*k)", "O(k M**2)", "M^2k"), {(("M", 2), ("k", 1)): 1}),
        ((r"\mathcal{O}(M^2k)",), {(("M", 2), ("k", 1)): 1}),
        (("d/3 + 0.1",), {(("d", 1),): Fraction(1, 3), (): Fraction(1, 10)}),
        (("10^20 + d^-1 - 10^20",), {(("d", -1),): 1}),
        (("(d+1)^2 - d^2 - 2d - 1",), {}),
    ],
)
def test_counts_and_complexities_are_exact(texts, wanted):
    assert [terms(text) for text in texts] == [wanted] * len(texts)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2^d", "cannot contain a name"), ("sqrt(d)", "Only sums"), ("min(T, d)", "Only sums"),
        ("d^0.5", "integer exponents"), ("1/(d+1)", "one nonzero term"), ("2+d130", "not clear"),
        ("1/(d-d)", "one nonzero term"), ("d^T", "transpose"), ("1e999", "too large"),
        ("(d+T+m+M+N+k)^16", "too many terms"), ("2d = 3d", "two sides"), ("e d", "Only sums"),
        ("((10^16)^16)^16", "too large"), ("(d^16)^16", "too large"), ("norm(d)", "Only sums"),
        ("sum_{i=1}^{T} m", "Only sums"),
    ],
)  # fmt: skip
def test_what_is_no_polynomial_is_refused(text, message):
    with pytest.raises(FormulaError, match=message) as caught:
        terms(text)
    assert caught.value.text == text
