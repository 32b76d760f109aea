"""A random expression has the same value however it is written."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from graders.written.formula import evaluate, parse

RNG = np.random.default_rng(3)
SIZE = 4
SCALARS = {"beta": 1.7, "h": 0.6, "mu_a": -1.2}
VECTORS = {name: RNG.standard_normal(SIZE) for name in ("k_a", "k_b", "u_a")}
MATRICES = {name: RNG.standard_normal((SIZE, SIZE)) for name in ("A", "B")}
VALUES = SCALARS | VECTORS | MATRICES
SPELLINGS = {
    "beta": ("beta", "β", r"\beta ", "𝛽"),
    "mu_a": ("mu_a", "μ_a", r"\mu_{a}", "µₐ", "mua", r"\mu_\text{a}", "μa"),
    "k_a": ("k_a", "k_{a}", "kₐ", r"\mathbf{k}_a", r"k_{\text{a}}", "ka", r"\vec k_a"),
    "k_b": ("k_b", "k_{b}", r"\boldsymbol{k}_b", r"\mathbf{k_b}", "kb", "k_{ b }"),
    "u_a": ("u_a", "uₐ", r"\vec{u}_{a}", "ua"),
    "A": ("A", r"\mathbf{A}", "𝐀", r"{A}"),
}
SUM, PRODUCT, POWER, ATOM = range(4)
OPEN = {"(": ")", "[": "]", r"\left(": r"\right)", r"\bigl[": r"\bigr]", "{": "}"}
TURNED = ("^T", "^{T}", r"^\top ", r"^{\top}", "ᵀ", "'", r"^{\mathsf T}", ".T", "^⊤", "⊤")
RAISED = {
    2: ("^2", "²", "**2", "^{2}", "^{+2}"),
    3: ("^3", "³", "**3", "^{3}"),
    -1: ("^-1", "⁻¹", "^{-1}"),
}


class Written:
    """A value, its text, and how tightly the text holds together."""

    def __init__(self, value, text, level):
        self.value, self.text, self.level = value, text, level

    def at(self, draw, level):
        """Its text, in brackets where it is too loose, and sometimes where it is not."""
        if self.level >= level and draw(st.integers(0, 9)):
            return self.text
        left = draw(st.sampled_from(sorted(OPEN)))
        return f"{left}{self.text}{OPEN[left]}"


def name(draw, names):
    spelled = draw(st.sampled_from(sorted(names)))
    return Written(VALUES[spelled], draw(st.sampled_from(SPELLINGS.get(spelled, (spelled,)))), ATOM)


def number(draw):
    text = draw(
        st.sampled_from(("2", "0.5", "½", r"\frac{1}{2}", r"\tfrac12", "1e-1", ".25", "3.0"))
    )
    values = {"½": 0.5, r"\frac{1}{2}": 0.5, r"\tfrac12": 0.5}
    return Written(values.get(text) or float(text), text, ATOM)


def product(draw, left, right, value):
    first, second = left.at(draw, PRODUCT), right.at(draw, POWER)
    both_vectors = np.ndim(left.value) == np.ndim(right.value) == 1
    signs = ["*", " * ", r" \times ", "×"] + ([] if both_vectors else ["·", r"\cdot ", "⋅"])
    if not second.startswith(tuple("0123456789.-+½")):
        signs += ["", " ", r"\,"]
    return Written(value, first + draw(st.sampled_from(signs)) + second, PRODUCT)


def added(draw, left, right):
    minus = draw(st.booleans())
    sign = draw(st.sampled_from((" - ", "-", "−", "- ") if minus else ("+", " + ", "＋")))
    value = left.value - right.value if minus else left.value + right.value
    return Written(value, left.at(draw, SUM) + sign + right.at(draw, PRODUCT), SUM)


def quotient(draw, left, right):
    value = left.value / right.value
    if draw(st.booleans()):
        return Written(value, rf"\frac{{{left.text}}}{{{right.text}}}", ATOM)
    sign = draw(st.sampled_from(("/", " / ", "÷")))
    return Written(value, left.at(draw, PRODUCT) + sign + right.at(draw, POWER), PRODUCT)


def turned(draw, of):
    return of.at(draw, ATOM) + draw(st.sampled_from(TURNED))


def scalar(draw, depth):
    kind = draw(st.integers(0, 7)) if depth else 0
    if kind < 2:
        return name(draw, SCALARS) if draw(st.booleans()) else number(draw)
    if kind == 2:
        return added(draw, scalar(draw, depth - 1), scalar(draw, depth - 1))
    if kind == 3:
        left, right = scalar(draw, depth - 1), scalar(draw, depth - 1)
        return product(draw, left, right, left.value * right.value)
    if kind == 4:
        return quotient(draw, scalar(draw, depth - 1), name(draw, SCALARS))
    if kind == 5:
        exponent = draw(st.sampled_from(sorted(RAISED)))
        base = name(draw, SCALARS)
        text = base.at(draw, ATOM) + draw(st.sampled_from(RAISED[exponent]))
        return Written(base.value**exponent, text, POWER)
    if kind == 6:
        of = scalar(draw, 0)
        form = draw(st.sampled_from(("exp(%s)", r"\exp\left(%s\right)", "e^{%s}", "np.exp(%s)")))
        return Written(np.exp(np.float64(of.value)), form % of.text, POWER)
    left, right = vector(draw, depth - 1), vector(draw, depth - 1)
    row = Written(left.value, turned(draw, left), POWER)
    form = draw(st.sampled_from(("row", "dot(%s, %s)", r"\langle %s, %s\rangle ", "⟨%s,%s⟩")))
    if form == "row":
        text = row.text + draw(st.sampled_from((" ", "*", "·"))) + right.at(draw, POWER)
        return Written(left.value @ right.value, text, PRODUCT)
    return Written(left.value @ right.value, form % (left.text, right.text), ATOM)


def vector(draw, depth):
    kind = draw(st.integers(0, 4)) if depth else 0
    if kind < 2:
        return name(draw, VECTORS)
    if kind == 2:
        return added(draw, vector(draw, depth - 1), vector(draw, depth - 1))
    if kind == 3:
        left, right = scalar(draw, depth - 1), vector(draw, depth - 1)
        return product(draw, left, right, left.value * right.value)
    left, right = matrix(draw, depth - 1), vector(draw, depth - 1)
    return product(draw, left, right, left.value @ right.value)


def matrix(draw, depth):
    kind = draw(st.integers(0, 6)) if depth else 0
    if kind < 2:
        return name(draw, MATRICES)
    if kind == 2:
        return added(draw, matrix(draw, depth - 1), matrix(draw, depth - 1))
    if kind == 3:
        left, right = matrix(draw, depth - 1), matrix(draw, depth - 1)
        return product(draw, left, right, left.value @ right.value)
    if kind == 4:
        of = matrix(draw, depth - 1)
        return Written(of.value.T, turned(draw, of), POWER)
    if kind == 5:
        left, right = scalar(draw, depth - 1), matrix(draw, depth - 1)
        return product(draw, left, right, left.value * right.value)
    left, right = vector(draw, depth - 1), vector(draw, depth - 1)
    text = left.at(draw, POWER) + draw(st.sampled_from((" ", "*"))) + turned(draw, right)
    return Written(np.outer(left.value, right.value), text, PRODUCT)


@st.composite
def written(draw):
    kind = draw(st.sampled_from((scalar, vector, matrix)))
    return kind(draw, draw(st.integers(0, 4)))


@given(written(), st.sampled_from(("%s", "$%s$", "q = %s", " %s .", r"\(%s\)", "\n%s\n")))
@settings(max_examples=1500)
def test_every_notation_of_an_expression_comes_to_its_value(expression, around):
    formula = parse(around % expression.text, VALUES)
    found = evaluate(formula, VALUES)
    assert np.shape(found) == np.shape(expression.value)
    np.testing.assert_allclose(found, expression.value, rtol=1e-7, atol=1e-7)
    assert formula.unknown == frozenset()
