"""Unreadable formulas are refused with a sentence and a pointer to the character."""

import pytest

from graders.written.formula import FormulaError, evaluate, parse

NAMES = ("beta", "k_a", "k_b", "A", "a_i", "m", "d", "h")


def refused(text, names=NAMES):
    with pytest.raises(FormulaError) as caught:
        parse(text, names)
    return caught.value


@pytest.mark.parametrize(
    ("text", "meant", "message"),
    [
        (r"\beta(k_a+k_b) \text{ where beta is big}", "where", "words into `text`"),
        ("hello world", "world", "words into `text`"),
        ("softmax(k_a)", "softmax", "not a function"),
        ("A A T", "T", "A^T"),
        ("d2+1", "2", "It is not clear what 2 means"),
        ("0,5 d", ",", "write 0.5"),
        (r"\hat{k}_a + \beta", "\\hat", "`\\hat` is not supported"),
        (r"\sqrt[3]{d}", "\\sqrt", "Only square roots"),
        ("2(a_1 a_1^T + … + a_m a_m^T)", "…", "sum_i"),
        ("beta*(k_a + k_b", "(", "never closed"),
        ("beta*k_a)", ")", "has no opening bracket"),
        ("[d+1)", ")", "does not match `[`"),
        ("d + * 2", "*", "cannot be here"),
        ("d, h", ",", "only one expression"),
        ("(d = h)", "=", "inside brackets"),
        ("d > 3 h", ">", "not a comparison"),
        ("é + d", "é", "does not belong in a formula"),
        ("d + \x00", "\x00", "U+0000"),
        ("d + \ud800", "\ud800", "U+D800"),
        ("d_{+}", "_", "subscript cannot be read"),
        ("log_7 d", "_", "`log` with `7` below"),
        ("d + log", "log", "missing after `log`"),
        ("min 3", "min", "needs brackets"),
        ("norm(d, h)", "h", "does not take 2 arguments"),
        ("d^17", "17", "at most 16"),
        ("10^1000", "1000", "at most 999"),
        ("sum(d)", "sum", "what the sum runs over"),
        ("sum_{+} d", "+", "needs an index"),
        ("d + ∞", "∞", "cannot be used as a number"),
        ("2d=d=d=d=d=d=d=d=d", "=d=d", "Too many `=`"),
    ],
)
def test_an_error_points_at_the_character(text, meant, message):
    error = refused(text)
    assert message in str(error)
    line, caret = error.pointed().split("\n")
    assert line[caret.index("^") :].startswith(meant) or not meant.isprintable()
    assert text.index(meant, error.position) == error.position


def test_a_position_survives_rewriting():
    """LaTeX, Greek letters, subscripts and removed signs stand before the fault."""
    text = r"$q = \beta\left(\mathbf{k}_{\text{a}} + ½kᵦ\right) \cdot \frac{1}{2} ⊥ d$"
    assert refused(text).position == text.index("⊥")


def test_a_formula_that_ends_too_early_points_behind_it():
    error = refused("beta * ")
    assert "ends too early" in str(error)
    assert error.position >= len("beta *")
    assert "empty" in str(refused(""))


def test_long_texts_many_parts_and_deep_brackets_are_refused():
    assert "longer than 2000" in str(refused("d" * 10_000_000))
    assert "more than 200 parts" in str(refused("+".join("d" * 101 + "h" * 99)))
    assert "More than 50 brackets" in str(refused("(" * 51 + "d" + ")" * 51))
    assert parse("(" * 50 + "d" + ")" * 50, NAMES).names == {"d"}


def test_signs_that_cancel_do_not_nest():
    assert evaluate(parse("-" * 180 + "d", NAMES), {"d": 3.0}) == 3.0
    assert evaluate(parse("d" + "'" * 180, NAMES), {"d": 3.0}) == 3.0


def test_a_pointed_error_shows_one_short_line():
    line, caret = refused("d + " * 100 + "é" + " + d" * 100).pointed().split("\n")
    assert len(line) == 60
    assert line[len(caret) - 1] == "é"
    line, caret = refused("k_a\n\u202e\x07 + é").pointed().split("\n")
    assert line == "k_a ·· + é"
    assert caret.index("^") == line.index("·") + 1


def test_an_unknown_name_is_kept_for_the_verifier():
    formula = parse("C (k_a + k_b) + scale*k_a", NAMES)
    assert formula.unknown == {"C", "scale"}
    assert formula.names == {"C", "scale", "k_a", "k_b"}
    with pytest.raises(FormulaError, match="`C` is unknown") as caught:
        evaluate(formula, {"k_a": 1.0, "k_b": 2.0})
    assert caught.value.position == 0
    assert caught.value.pointed().startswith("C (k_a")


def test_members_of_a_family_are_known():
    formula = parse("sum_j a_j a_j^T + a_1 a_2^T + sum_{i=1}^{m} i A", NAMES)
    assert formula.unknown == frozenset()
    assert formula.names == {"a_i", "a_1", "a_2", "A"}


def test_a_name_on_the_left_is_dropped_and_other_sides_must_be_equal():
    assert parse("number of parameters = 2d + 2", NAMES).names == {"d"}
    assert parse("E[q k^T] = h d", NAMES).names == {"h", "d"}
    assert len(parse("2d + d = 3d", NAMES).trees) == 2
    with pytest.raises(FormulaError, match="two sides"):
        evaluate(parse("2d + d = 4d", NAMES), {"d": 3.0})


@pytest.mark.parametrize("text", ["O(m^2 d)", "Θ(m²d)", r"\mathcal{O}(m^2 d)", r"\Theta(m^2d)"])
def test_a_big_o_is_read_as_what_it_contains(text):
    assert evaluate(parse(text, NAMES), {"m": 3.0, "d": 2.0}) == 18.0


@pytest.mark.parametrize("text", ["large*(k_a+k_b)", "constant (k_a + k_b)", "LARGE·(k_a+k_b)"])
def test_a_noun_before_a_product_is_a_name(text):
    """Only where it can be nothing but a factor; elsewhere it is prose."""
    assert len(parse(text, NAMES).unknown) == 1
    assert "words into `text`" in str(refused("k_a + k_b large"))
