"""Shapes must match mathematically, and the amount of computation is limited."""

import numpy as np
import pytest

from graders.written.formula import FormulaError, evaluate, parse

RNG = np.random.default_rng(2)
VALUES = {
    **{"x": RNG.standard_normal(4), "y": RNG.standard_normal(4), "z": RNG.standard_normal(3)},
    **{"A": RNG.standard_normal((4, 3)), "S": RNG.standard_normal((4, 4)), "c": 2.0, "n": 3.0},
    "L": np.eye(64),
}
FAMILIES = {"a": list(RNG.standard_normal((3, 4)))}


def value(text, values=VALUES, families=FAMILIES):
    return evaluate(parse(text, [*values, "a_i"]), values, families=families)


@pytest.mark.parametrize(
    ("text", "meant", "message"),
    [
        ("x y", "y", "did you mean k_a^T k_b"),
        ("x + c", "+", "vector (4) and a scalar cannot be added"),
        ("S + c", "+", "multiple of I"),
        ("x + z", "+", "cannot be added"),
        ("x + y^T", "+", "transposed vector cannot be added"),
        ("A A", "A", "matrix (4×3) cannot be multiplied"),
        ("x/y", "/", "A denominator must be a scalar"),
        ("c/S", "/", "Did you mean the inverse"),
        ("x^2", "^", "A vector has no powers"),
        ("A^2", "^", "Only a square matrix has powers"),
        ("S^0.5", "^", "Only integer powers"),
        ("2^x", "^", "An exponent is a scalar"),
        ("inv(A)", "inv", "Only a square matrix has an inverse"),
        ("inv(S - S)", "inv", "no inverse"),
        ("sqrt(x)", "sqrt", "`sqrt` takes scalars"),
        ("exp(S)", "exp", "`exp` takes scalars"),
        ("norm(A)", "norm", "A norm can only be taken of vectors"),
        ("outer(S, x)", "outer", "Two vectors are required"),
        ("S ⊗ S", "⊗", "needs two vectors"),
        ("a_i", "a_i", "is used outside a sum"),
        ("a_4", "a_4", "There is no `a_4`"),
        ("sum_{i=1}^{4} a_i", "a_i", "There is no `a_4`"),
        ("sum_{i=1}^{101} i", "sum", "1 to 100 terms"),
        ("sum_{i=1}^{c/4} i", "sum", "must be integers"),
        ("sum_i c", "sum", "how many terms"),
        ("sum_i sum_j sum_k a_i a_j^T a_k c", "c", "too long to compute"),
        ("pinv(L) pinv(L) pinv(L) pinv(L) pinv(L)", "pinv", "too long to compute"),
    ],
)
def test_wrong_shapes_are_refused(text, meant, message):
    families = {"a": [VALUES["x"]] * 64} if "sum_k" in text else FAMILIES
    with pytest.raises(FormulaError) as caught:
        value(text, VALUES, families)
    assert message in str(caught.value)
    assert text[caught.value.position :].startswith(meant) or "too long" in message


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("x^T y", ()), ("x y^T", (4, 4)), ("x^T", (1, 4)), ("S x", (4,)), ("x^T A", (1, 3)),
        ("A^T A", (3, 3)), ("c x / n", (4,)), ("S + 2I", (4, 4)), ("2 x x^T x", (4,)),
        ("A^†", (3, 4)), ("pinv(c)", ()), ("x^†", (1, 4)), ("A'A''", (3, 3)),
    ],
)  # fmt: skip
def test_shapes_follow_the_rules_of_matrices(text, shape):
    assert np.shape(value(text)) == shape


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("S^{-T}", np.linalg.inv(VALUES["S"]).T),
        ("(S + I)^2 - S^2 - 2S", np.eye(4)),
        ("(2I)^{-1} x", VALUES["x"] / 2),
        ("sum_i i a_i", sum((i + 1) * a for i, a in enumerate(FAMILIES["a"]))),
        ("sum_{i=2}^{n} a_i", FAMILIES["a"][1] + FAMILIES["a"][2]),
        ("sum_i sum_j a_i a_j^T", np.outer(*[sum(FAMILIES["a"])] * 2)),
        ("sum_i a_i + x", sum(FAMILIES["a"]) + VALUES["x"]),
        ("sum_i -a_i", -sum(FAMILIES["a"])),
        ("a_1 + a_n", FAMILIES["a"][0] + FAMILIES["a"][2]),
        ("||x - y||", np.linalg.norm(VALUES["x"] - VALUES["y"])),
        ("⟨x, y⟩ z", VALUES["x"] @ VALUES["y"] * VALUES["z"]),
    ],
)
def test_values_are_right(text, wanted):
    np.testing.assert_allclose(value(text), wanted, rtol=1e-9, atol=1e-9)


def test_a_bare_identity_takes_the_size_of_the_question():
    np.testing.assert_array_equal(value("2I", {"x": np.ones(5)}, {}), 2 * np.eye(5))
    with pytest.raises(FormulaError, match="size of I"):
        value("2I", {"x": np.ones(5), "A": np.ones((4, 3))}, {})


def test_overflow_is_a_value_and_no_warning():
    assert value("exp(10^9)") == np.inf
    assert np.isnan(value("log(-1)"))
    assert np.isinf(value("10^900 x")).all()


def test_a_matrix_of_one_column_is_no_vector_and_a_larger_one_our_mistake():
    """With one key, A A^T is still a projection."""
    column = np.array([[0.6], [0.8]])
    result = evaluate(parse("2A(A^T A)^{-1}A^T", "A"), {"A": column})
    np.testing.assert_allclose(result, 2 * column @ column.T)
    with pytest.raises(ValueError, match="up to 64"):
        evaluate(parse("A", "A"), {"A": np.ones((65, 65))})
