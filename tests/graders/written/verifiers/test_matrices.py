"""Matrices are graded by their effect: on an average, and by the outputs of attention."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graders.written.question import Misfit, Unreadable


@pytest.mark.parametrize(
    "answer",
    [
        r"M = 2AA^\top", "2*A@A.T", "2 A A'", "AA^T + AA^T", "2 A pinv(A)",
        r"2\sum_{i=1}^{m} a_i a_i^T", "2 A (A^T A)^{-1} A^T", "2*sum_i outer(a_i, a_i)",
        "(A A^T)^2 * 2", "2*A.mm(A.t())", "A.dot(A.T)*2", "2*A.matmul(A.T)",
    ],
)  # fmt: skip
def test_right_projections_earn_all(earned, answer):
    assert earned("projection", answer) == {1}


@pytest.mark.parametrize(
    ("answer", "share", "said"),
    [
        ("A A^T", 0.5, "half of v_a"), ("2A^T", 0.5, "coefficients"), ("A^T", 0, "must be"),
        ("A.mm(A.T)", 0.5, "half of v_a"), ("2*A.t().mm(A)", 0, "must be"),
        ("2I", 0, "all of v_b"), ("2(I-BB^T)", 0.75, "contains B"),
        ("2 sum_i a_i^T a_i", 0, "a scalar"), ("2 a_1 a_1^T", 0, "does not return v_a"),
        ("0", 0, ""), ("2AA^T + BB^T", 0, "all of v_b"), ("-2AA^T", 0, "does not return"),
    ],
)  # fmt: skip
def test_other_projections_earn_what_is_listed(judge, earned, answer, share, said):
    assert earned("projection", answer) == {share}
    assert said in judge("projection", answer).message


@pytest.mark.parametrize(
    ("answer", "refusal"),
    [
        *((text, Unreadable) for text in ("P", "2 A v_a", "2A +", "a_i a_i^T", "2 sum_i a_i a_i")),
        *((text, Misfit) for text in ("2 A A", "2 A A^T + 1", "A / B")),
    ],
)
def test_what_cannot_be_read_goes_to_a_person_and_what_does_not_fit_is_wrong(
    judge, answer, refusal
):
    with pytest.raises(refusal):
        judge("projection", answer)


def test_a_name_may_be_defined_beside_the_formula_and_shares_by_the_assignment(judge):
    assert judge("projection", "M = 2P with P = A A^T").fraction == 1
    assert judge("projection", "M = λ A A^T, λ = 2").fraction == 1
    assert judge("projection", "M = 2P with P = B B^T").fraction == 0
    assert judge("projection", "A A^T", half=0.3).fraction == 0.3
    assert judge("projection", "2A^T", coordinates=0.2).fraction == 0.2
    assert judge("projection", "2(I-BB^T)", uses_b=0.9).fraction == 0.9


@settings(max_examples=60)
@given(
    factor=st.sampled_from(["0", "-2", "1", "1.5", "2", "2.001", "3", "4/2", "m"]),
    base=st.sampled_from(["A A^T", "sum_i a_i a_i^T", "A (A^T A)^{-1} A^T"]),
    seed=st.integers(0, 49),
)
def test_only_the_factor_two_earns_all(judge, factor, base, seed):
    fraction = judge("projection", f"{factor}*{base}", seed=seed).fraction
    if factor != "m":  # a dimension is 2 by chance in some draw, never in all five
        assert (fraction == 1) == (factor in ("2", "4/2"))
    else:
        assert fraction < 1


K = "u_d u_d^T + u_c u_c^T"
Q = "u_d u_a^T + u_c u_d^T"
V = "(u_b u_b^T - u_c u_c^T)/beta^2"


def three(k, q, v):
    return {"K": k, "Q": q, "V": v}


@pytest.mark.parametrize(
    ("k", "q", "v"),
    [
        (f"K = {K}", f"Q = {Q}", f"V = {V}"), ("I", f"beta*({Q})", V),
        (
            r"u_d u_d^\top + u_c u_c^\top",
            r"u_d u_a^\top + u_c u_d^\top",
            r"\beta^{-2}(u_bu_b^\top-u_cu_c^\top)",
        ),
        (f"({K})/beta^2", f"({Q})/beta^2", r"\frac{1}{\beta^2}(u_b u_b^T - u_c u_c^T)"),
        (
            "outer(u_d,u_d) + outer(u_c,u_c)",
            "outer(u_d,u_a)+outer(u_c,u_d)",
            "β^-2 (u_b u_b^T − u_c u_c^T)",
        ),
        (  # another design: the second output looks at x_2
            "u_a u_a^T + u_c u_c^T",
            "u_a u_a^T + u_c u_d^T",
            "(u_b u_a^T + u_b u_b^T - u_c u_c^T - u_b u_d^T)/beta^2",
        ),
        (f"100({K})", Q, "u_b u_b^T/beta^2 - u_c u_c^T/(u_c^T u_c)"),
    ],
)  # fmt: skip
def test_right_matrices_earn_all(earned, k, q, v):
    assert earned("key_query_value", three(k, q, v)) == {1}
    assert earned("key_query_value", three(k, q, v), scaled=True) == {1}


@pytest.mark.parametrize(
    ("k", "q", "v", "share", "hint"),
    [
        (Q, K, V, 0.5, "which of the two belongs to the input that attends"),
        (K, V, V, 0.5, "Q is the same as V"),
        (K, "u_a u_d^T + u_d u_c^T", V, 0.5, "`Q` is transposed"),
        (K, Q, "u_b u_b^T - u_c u_c^T", 0.5, "whose length is beta"),
        (K, Q, "(u_c u_c^T - u_b u_b^T)/beta^2", 0.5, "whose length is beta"),
        (K, "I", V, 0.5, "Which input"),
        (K, "u_c u_d^T", V, 0.75, "scores"),
        ("I", "0*I", "I", 0, "whose length is beta"),
    ],
)
def test_other_matrices_earn_a_fourth_for_each_right_step(judge, earned, k, q, v, share, hint):
    assert earned("key_query_value", three(k, q, v)) == {share}
    assert hint in judge("key_query_value", three(k, q, v)).hint


@pytest.mark.parametrize(
    ("answer", "said"),
    [({"V": V}, "`K`, `Q` not answered"), (three(K, "u_a^T u_d", V), "must be a square matrix")],
)
def test_values_alone_earn_half(judge, answer, said):
    judgement = judge("key_query_value", answer, parts=("K", "Q", "V"))
    assert judgement.fraction == 0.5
    assert said in judgement.message
    with pytest.raises(Unreadable, match="`K`"):
        judge("key_query_value", three("K", "Q", "V"))
