"""A correct answer has the same value however people type it."""

import numpy as np
import pytest

from tests.graders.written.formula.comparing import KEYS, assert_comes_to, vectors


@pytest.mark.parametrize(
    "text",
    [
        *("beta*(k_a + k_b)", "β(k_a+k_b)", r"\beta (k_a + k_b)", r"$\beta(k_{a}+k_{b})$"),
        *(r"q = \beta (k_a + k_b)", "β·(kₐ+k_b)", "beta (ka + kb)", "beta k_a + beta k_b"),
        *(r"\beta\left(\mathbf{k}_a+\vec{k}_b\right)", "βk_a+βk_b.", "k_aβ+k_bβ", "(k_a+k_b)*beta"),
        *(r"\beta k_{\text{a}} + \beta k_\text{b}", "β×(k_a+k_b), β ≫ 0", "β(k_a+k_b), β → ∞"),
        *("β(k_a+k_b) (β >> 1)", r"\beta(k_a+k_b),\; \beta \gg \sqrt{h}\log n", "Beta(k_a+k_b)"),
        *("beta*k_a - -beta*k_b", r"\frac{\beta}{1}(k_a+k_b)", r"2\tfrac12\beta(k_a+k_b)"),
        *("½·2β(k_a+k_b)", r"q \approx \beta(k_a+k_b)", "q := beta (k_a+k_b)", "β(k_b+k_a);"),
        *(r"\boldsymbol{\beta}(\boldsymbol{k_a}+k_b)", "q=β(k_a+k_b) ∈ ℝ^d", "**β(k_a+k_b)**"),
        *("beta*k_a + beta*k_b = beta*(k_a+k_b)", "`beta*(k_a+k_b)`", "ß(k_a+k_b)", "β[k_a+k_b]"),
        *(r"\(\beta(k_a+k_b)\)", r"$$\beta{\bf k}_a + \beta k_b$$", "𝛽(𝐤_a+𝐤_b)", "β (k⃗_a + k⃗_b)"),
        *(r"\beta\!\left[k_a+k_b\right]", "beta @ (k_a + k_b)", "β⋅kₐ＋β⋅k_b", "(β)(k_a+k_b)"),
        *(
            r"\beta \cdot \bigl( k_a + k_b \bigr)",
            "k_a\u200b β + k_b β",
            "+β(k_a+k_b)",
            "β(k_a\n+k_b)",
        ),
        *(
            "β∗(k_a + k_b)",
            "-β(-k_a−k_b)",
            r"\beta\,k_a+\beta\,k_b",
            "q_1 = β(k_a+k_b)",
            "(k_a+k_b)β",
        ),
        *("\beta(k_a+k_b)", r"\\beta \\left(k_a+k_b\\right)", "β(k<sub>a</sub>+k<sub>b</sub>)"),
        *(r"β(k\_a + k\_b)", "\beta\times(k_a+k_b)", "β(k_a+k_b) = q"),
    ],
)
def test_an_average_of_two_values(text):
    assert_comes_to(text, KEYS, 7 * (KEYS["k_a"] + KEYS["k_b"]))


@pytest.mark.parametrize(
    "text",
    [
        *(
            "sqrt(h)*log(1000*n)*(k_a+k_b)",
            "√h·ln(1000n)(k_a+k_b)",
            "h**0.5*np.log(1000*n)*(k_a+k_b)",
        ),
        *(
            r"\sqrt{h}\ln(1000n)(k_a+k_b)",
            r"\sqrt h \log(1000 n) (k_a + k_b)",
            "(k_a+k_b)√h ln 1000n",
        ),
        *(
            "h^{1/2} log(10^3 n)(k_a+k_b)",
            "h^0.5 log(1e3 n)(k_a+k_b)",
            "√(h)·log(1\\,000 n)(kₐ + k_b)",
        ),
        *("np.sqrt(h) * np.log(1_000 * n) * (k_a + k_b)", "sqrt(h)log(1,000n)(k_a+k_b)"),
        *(
            "h^½ log(1000n)(k_a+k_b)",
            "sqrt(h)(log(1000)+log n)(k_a+k_b)",
            "h^(1/2)log(1e3n)(k_a+k_b)",
        ),
        *("math.sqrt(h)*math.log(1000*n)*(k_a+k_b)", "sqrt h * log(1000 n) * (k_a+k_b)"),
        *(
            r"\sqrt{h}\,\log\left(1000\,n\right)\left(k_a + k_b\right)",
            "e^{ln h/2}ln(1000n)(k_a+k_b)",
        ),
        *("exp(log(h)/2) log_e(1000n)(k_a+k_b)", "sqrt(h) log_2(1000n) (k_a+k_b)/log_2 e^1"),
    ],
)
def test_a_scale_without_a_free_name(text):
    assert_comes_to(text, KEYS, 2 * np.log(6000) * (KEYS["k_a"] + KEYS["k_b"]))


U = vectors("u_a", "u_b", "u_c", "u_d", size=4) | {"beta": 3.0}


@pytest.mark.parametrize(
    "text",
    [
        *(
            "β^{-2}(u_bu_b^T−u_cu_c^T)",
            r"\beta^{-2}(u_bu_b^\top-u_cu_c^\top)",
            "1/β²(u_b u_bᵀ - u_c u_cᵀ)",
        ),
        *(r"\frac{1}{\beta^2}(u_b u_b^T - u_c u_c^T)", "(u_b u_b' - u_c u_c')/beta**2"),
        *("(outer(u_b,u_b)-outer(u_c,u_c))/beta^2", "beta^-2*(u_b*u_b^T - u_c*u_c^T)"),
        *(
            r"\frac{u_b u_b^T - u_c u_c^T}{\beta^2}",
            "(u_b ⊗ u_b - u_c ⊗ u_c)/β²",
            "(ub ub^T - uc uc^T)/β^2",
        ),
        *(r"\frac1{\beta^2}(\mathbf{u}_b\mathbf{u}_b^{\mathsf T}-\vec u_c\vec u_c^\mathrm T)",),
        *("V = β⁻²(u_b u_bᵀ − u_c u_cᵀ)", "(np.outer(u_b, u_b) - np.outer(u_c, u_c)) / beta**2"),
        *(
            "u_b u_b.T/beta**2 - u_c @ u_c.T/β^2",
            "u_b u^T_b/β² − u_c u_c^t/β²",
            "u_bu_b⊤/β²-u_cu_c⊤/β²",
        ),
        *(r"\tfrac{1}{\beta^{2}}\left[u_b u_b^{\intercal}-u_c u_c^{\intercal}\right]",),
        *(
            "u_b(u_b)^T/β² − u_c(u_c)^T/β²",
            "u_b I u_b^T/β² − I u_c u_c^T/β²",
            "(u_b/β)(u_b/β)'-u_c/β u_c'/β",
        ),
    ],
)
def test_a_value_matrix(text):
    wanted = (np.outer(U["u_b"], U["u_b"]) - np.outer(U["u_c"], U["u_c"])) / 9
    assert_comes_to(text, U, wanted)


X = vectors("x_1", "x_2", "p_1", "p_2")


@pytest.mark.parametrize(
    "text",
    [
        *("x1·x2+x1·p2+p1·x2+p1·p2", "x_1^T x_2 + x_1^T p_2 + p_1^T x_2 + p_1^T p_2"),
        *("(x_1+p_1)^T(x_2+p_2)", "(x_1+p_1)·(x_2+p_2)", "<x1,x2>+<x1,p2>+<p1,x2>+<p1,p2>"),
        *(r"\langle x_1+p_1, x_2+p_2\rangle", "x1.x2 + x1.p2 + p1.x2 + p1.p2", "dot(x1+p1,x2+p2)"),
        *(r"x_1 \cdot x_2 + x_1 \cdot p_2 + p_1 \cdot x_2 + p_1 \cdot p_2", "(x1+p1).T @ (x2+p2)"),
        *(
            "x1ᵀx2 + x1ᵀp2 + p1ᵀx2 + p1ᵀp2",
            "x_1'x_2+x_1'p_2+p_1'x_2+p_1'p_2",
            "x₁·x₂+x₁·p₂+p₁·x₂+p₁·p₂",
        ),
        *("x_1^Tx_2+x_1^Tp_2+p_1^Tx_2+p_1^Tp_2", "np.dot(x1+p1, x2+p2)", "inner(x1+p1,x2+p2)"),
        *(
            r"x_1^\top x_2 + x_1^\top p_2 + p_1^\top (x_2 + p_2)",
            "x_1 @ x_2 + x_1 @ p_2 + p_1 @ (x_2+p_2)",
        ),
    ],
)
def test_a_dot_product_of_sums(text):
    assert_comes_to(text, X, (X["x_1"] + X["p_1"]) @ (X["x_2"] + X["p_2"]))


POSITIONS = vectors("q_pos_i", "k_pos_j")


@pytest.mark.parametrize(
    "text",
    [
        *("q_i^{pos} · k_j^{pos}", r"\pi_{ij} = q_i^{\text{pos}} \cdot k_j^{\text{pos}}"),
        *("q^{pos}_i^T k^{pos}_j", "(q_i^{pos})^T k_j^{pos}", "q_{pos,i}·k_{pos,j}"),
        *("π_ij = q_i^pos · k_j^pos", "q^{(pos)}_i · k^{(pos)}_j", r"q_i^{pos\top}k_j^{pos}"),
    ],
)
def test_a_name_with_two_subscripts(text):
    assert_comes_to(text, POSITIONS, POSITIONS["q_pos_i"] @ POSITIONS["k_pos_j"])
