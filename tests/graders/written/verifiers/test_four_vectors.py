"""Three matrices are graded by the outputs of attention with them."""

import pytest

from graders.written.judgement import Unreadable

K = "u_d u_d^T + u_c u_c^T"
Q = "u_d u_a^T + u_c u_d^T"
V = "(u_b u_b^T - u_c u_c^T)/beta^2"


def three(k, q, v):
    return {"K": k, "Q": q, "V": v}


@pytest.mark.parametrize(
    ("k", "q", "v"),
    [
        *((f"K = {K}", f"Q = {Q}", f"V = {V}"), ("I", f"beta*({Q})", V)),
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
)
def test_right_matrices_earn_all(earned, k, q, v):
    assert earned("key_query_value", three(k, q, v)) == {1}
    assert earned("key_query_value", three(k, q, v), scaled=True) == {1}


@pytest.mark.parametrize(
    ("k", "q", "v", "share", "hint"),
    [
        (Q, K, V, 0.5, "which of the two belongs to the input that attends"),
        (K, V, V, 0.5, "Q is the same as V"),
        (K, Q, "u_b u_b^T - u_c u_c^T", 0.5, "whose length is beta"),
        (K, Q, "(u_c u_c^T - u_b u_b^T)/beta^2", 0.5, "whose length is beta"),
        (K, "I", V, 0.5, "Which input"),
        (K, "u_c u_d^T", V, 0.75, "scores"),
        ("I", "0*I", "I", 0, "whose length is beta"),
    ],
)
def test_others_earn_a_fourth_for_each_right_step(judge, earned, k, q, v, share, hint):
    assert earned("key_query_value", three(k, q, v)) == {share}
    assert hint in judge("key_query_value", three(k, q, v)).hint


@pytest.mark.parametrize(
    ("answer", "said"),
    [({"V": V}, "`K`, `Q` not answered"), (three(K, "u_a^T u_d", V), "must be a square matrix")],
)
def test_values_alone_earn_half(judge, answer, said):
    found = judge("key_query_value", answer, parts=("K", "Q", "V"))
    assert found.fraction == 0.5
    assert said in found.message
    with pytest.raises(Unreadable, match="`K`"):
        judge("key_query_value", three("K", "Q", "V"))
