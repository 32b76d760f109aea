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
NUMBERS = {
    **{text: float(text) for text in ("2", "0.5", "1e-1", ".25", "3.0")},
    **dict.fromkeys(("½", r"\frac{1}{2}", r"\tfrac12"), 0.5),
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


def one(draw, *options):
    return draw(st.sampled_from(options))


def name(draw, names):
    spelled = one(draw, *sorted(names))
    return Written(VALUES[spelled], one(draw, *SPELLINGS.get(spelled, (spelled,))), ATOM)


def leaf(draw, kind):
    if kind == "scalar" and draw(st.booleans()):
        text = one(draw, *NUMBERS)
        return Written(NUMBERS[text], text, ATOM)
    return name(draw, {"scalar": SCALARS, "vector": VECTORS, "matrix": MATRICES}[kind])


def added(draw, left, right):
    minus = draw(st.booleans())
    sign = one(draw, *((" - ", "-", "−", "- ") if minus else ("+", " + ", "＋")))
    value = left.value - right.value if minus else left.value + right.value
    return Written(value, left.at(draw, SUM) + sign + right.at(draw, PRODUCT), SUM)


def product(draw, left, right):
    first, second = left.at(draw, PRODUCT), right.at(draw, POWER)
    signs = ["*", " * ", r" \times ", "×", "·", r"\cdot ", "⋅"]
    if not second.startswith(tuple("0123456789.-+½")):
        signs += ["", " ", r"\,"]
    arrays = np.ndim(left.value) and np.ndim(right.value)
    value = left.value @ right.value if arrays else left.value * right.value
    return Written(value, first + one(draw, *signs) + second, PRODUCT)


def quotient(draw, left):
    right = name(draw, SCALARS)
    value = left.value / right.value
    if draw(st.booleans()):
        return Written(value, rf"\frac{{{left.text}}}{{{right.text}}}", ATOM)
    sign = one(draw, "/", " / ", "÷")
    return Written(value, left.at(draw, PRODUCT) + sign + right.at(draw, POWER), PRODUCT)


def raised(draw):
    base, exponent = name(draw, SCALARS), one(draw, *RAISED)
    return Written(base.value**exponent, base.at(draw, ATOM) + one(draw, *RAISED[exponent]), POWER)


def exponential(draw):
    of = leaf(draw, "scalar")
    form = one(draw, "exp(%s)", r"\exp\left(%s\right)", "e^{%s}", "np.exp(%s)")
    return Written(np.exp(np.float64(of.value)), form % of.text, POWER)


def turned(draw, of):
    return Written(of.value.T, of.at(draw, ATOM) + one(draw, *TURNED), POWER)


def inner(draw, left, right):
    value = left.value @ right.value
    form = one(draw, "row", "dot(%s, %s)", r"\langle %s, %s\rangle ", "⟨%s,%s⟩")
    if form != "row":
        return Written(value, form % (left.text, right.text), ATOM)
    text = turned(draw, left).text + one(draw, " ", "*", "·") + right.at(draw, POWER)
    return Written(value, text, PRODUCT)


def outer(draw, left, right):
    text = left.at(draw, POWER) + one(draw, " ", "*") + turned(draw, right).text
    return Written(np.outer(left.value, right.value), text, PRODUCT)


FORMS = {  # of each kind, with the kinds of the operands
    "scalar": (
        (added, "scalar", "scalar"), (product, "scalar", "scalar"), (quotient, "scalar"),
        (raised,), (exponential,), (inner, "vector", "vector"),
    ),
    "vector": (
        (added, "vector", "vector"), (product, "scalar", "vector"),
        (product, "matrix", "vector"),
    ),
    "matrix": (
        (added, "matrix", "matrix"), (product, "matrix", "matrix"), (turned, "matrix"),
        (product, "scalar", "matrix"), (outer, "vector", "vector"),
    ),
}  # fmt: skip


def expression(draw, kind, depth):
    if not depth or not draw(st.integers(0, 3)):
        return leaf(draw, kind)
    form, *operands = one(draw, *FORMS[kind])
    return form(draw, *(expression(draw, operand, depth - 1) for operand in operands))


@st.composite
def written(draw):
    return expression(draw, one(draw, *FORMS), draw(st.integers(0, 4)))


@given(written(), st.sampled_from(("%s", "$%s$", "q = %s", " %s .", r"\(%s\)", "\n%s\n")))
@settings(max_examples=500)
def test_every_notation_of_an_expression_comes_to_its_value(typed, around):
    formula = parse(around % typed.text, VALUES)
    value = evaluate(formula, VALUES)
    assert np.shape(value) == np.shape(typed.value)
    np.testing.assert_allclose(value, typed.value, rtol=1e-7, atol=1e-7)
    assert formula.unknown == frozenset()
