"""A correct answer has the same value however people type it."""

import numpy as np
import pytest

from graders.written.formula import FormulaError, evaluate, parse

RNG = np.random.default_rng(1)


def vectors(*names, size=5):
    return {name: RNG.standard_normal(size) for name in names}


KEYS = vectors("k_a", "k_b") | {"beta": 7.0, "h": 4.0, "n": 6.0, "d": 5.0}
U = vectors("u_a", "u_b", "u_c", "u_d", size=4) | {"beta": 3.0}
X = vectors("x_1", "x_2", "p_1", "p_2")
POSITIONS = vectors("q_pos_i", "k_pos_j")
A = np.linalg.qr(RNG.standard_normal((5, 5)))[0][:, :3]
SPREAD = {"h": 4.0, "mu": 1.5, "sigma": 0.7}
PROJECTED = {"A": A, "m": 3.0, "d": 5.0}
AVERAGE = [
    "beta (ka + kb)", r"\beta\left(\mathbf{k}_a+\vec{k}_b\right)", "βk_a+βk_b.",
    r"\beta k_{\text{a}} + \beta k_\text{b}", "β×(k_a+k_b), β ≫ 0", "β(k_a+k_b), β → ∞",
    r"\beta(k_a+k_b),\; \beta \gg \sqrt{h}\log n", "Beta(k_a+k_b)", "β(k_a+k_b) (β >> 1)",
    r"\frac{\beta}{1}(k_a+k_b)", r"2\tfrac12\beta(k_a+k_b)", "½·2β(k_a+k_b)",
    r"q \approx \beta(k_a+k_b)", "q := beta (k_a+k_b)", "q=β(k_a+k_b) ∈ ℝ^d",
    r"\boldsymbol{\beta}(\boldsymbol{k_a}+k_b)", "**β(k_a+k_b)**", "`beta*(k_a+k_b)`",
    "beta*k_a + beta*k_b = beta*(k_a+k_b)", "ß(k_a+k_b)", r"$$\beta{\bf k}_a + \beta k_b$$",
    "𝛽(𝐤_a+𝐤_b)", "β (k⃗_a + k⃗_b)", r"\beta\!\left[k_a+k_b\right]", "beta @ (k_a + k_b)",
    "β⋅kₐ＋β⋅k_b", r"\beta \cdot \bigl( k_a + k_b \bigr)", "k_a\u200b β + k_b β",
    "+β(k_a+k_b)", "β(k_a\n+k_b)", "β∗(k_a + k_b)", "-β(-k_a−k_b)", "β(k_a+k_b) = q",
    "β(k<sub>a</sub>+k<sub>b</sub>)", "\beta\times(k_a+k_b)", r"β(k\_a + k\_b)",
    r"\\beta \\left(k_a+k_b\\right)", r"\(\beta(k_a+k_b)\)", "β(k_b+k_a);", "k_aβ+k_bβ",
]  # fmt: skip
SCALED = [
    "h**0.5*np.log(1000*n)*(k_a+k_b)", "math.sqrt(h)*math.log(1_000*n)*(k_a+k_b)",
    r"\sqrt{h}\ln(1000n)(k_a+k_b)", "(k_a+k_b)√h ln 1000n", "sqrt(h)log(1,000n)(k_a+k_b)",
    "√(h)·log(1\\,000 n)(kₐ + k_b)", "h^½ log(1000n)(k_a+k_b)",
    r"\sqrt{h}\,\log\left(1000\,n\right)\left(k_a + k_b\right)",
    "exp(log(h)/2) log_e(1000n)(k_a+k_b)", "sqrt(h) log_2(1000n) (k_a+k_b)/log_2 e^1",
]  # fmt: skip
VALUE = [
    r"\beta^{-2}(u_bu_b^\top-u_cu_c^\top)", "(u_b u_b' - u_c u_c')/beta**2",
    "(u_b ⊗ u_b - u_c ⊗ u_c)/β²", "(ub ub^T - uc uc^T)/β^2", "V = β⁻²(u_b u_bᵀ − u_c u_cᵀ)",
    r"\frac1{\beta^2}(\mathbf{u}_b\mathbf{u}_b^{\mathsf T}-\vec u_c\vec u_c^\mathrm T)",
    "(np.outer(u_b, u_b) - np.outer(u_c, u_c)) / beta**2", "u_bu_b⊤/β²-u_cu_c⊤/β²",
    "u_b u_b.T/beta**2 - u_c @ u_c.T/β^2", "u_b u^T_b/β² − u_c u_c^t/β²",
    r"\tfrac{1}{\beta^{2}}\left[u_b u_b^{\intercal}-u_c u_c^{\intercal}\right]",
    "u_b I u_b^T/β² − I u_c u_c^T/β²", "(u_b/β)(u_b/β)'-u_c/β u_c'/β",
]  # fmt: skip
DOT_PRODUCT = [
    "<x1,x2>+<x1,p2>+<p1,x2>+<p1,p2>", r"\langle x_1+p_1, x_2+p_2\rangle",
    "x1ᵀx2 + x1ᵀp2 + p1ᵀx2 + p1ᵀp2", "x1.x2 + x1.p2 + p1.x2 + p1.p2", "(x1+p1).T @ (x2+p2)",
    "x₁·x₂+x₁·p₂+p₁·x₂+p₁·p₂", "np.dot(x1+p1, x2+p2)", "inner(x1+p1,x2+p2)",
]  # fmt: skip
TWO_SUBSCRIPTS = [
    r"\pi_{ij} = q_i^{\text{pos}} \cdot k_j^{\text{pos}}", "q^{pos}_i^T k^{pos}_j",
    "(q_i^{pos})^T k_j^{pos}", "q_{pos,i}·k_{pos,j}", "π_ij = q_i^pos · k_j^pos",
    "q^{(pos)}_i · k^{(pos)}_j", r"q_i^{pos\top}k_j^{pos}",
]  # fmt: skip
PROJECTION = [
    "2A A'", "2 A @ A.T", "2AA⊤", "2AA^{†}", r"2AA^{\dagger}", "2A A^+", "2 A T(A)",
    r"2\sum_{i=1}^{m} a_i a_i^\top", "Σ_i 2a_i a_i^T", "2 sum(a_i a_i^T)", "AA^T+AA^T",
    "2A inv(A^T A) A^T", "2*sum_j outer(a_j,a_j)", "∑ᵢ₌₁ᵐ 2aᵢaᵢᵀ", "2sum_j a_ja_j^T",
    "2 np.outer(a_1,a_1)+2a_2a_2^T+2 a_3 a_m^T", r"2\,\mathbf{A}\mathbf{A}^{\mathsf T}",
    "2 matmul(A, A^T)", "2sum(a_i*a_i.T for i in range(m))", "2*sum(a_i a_i^T, i=1..m)",
    r"2 \sum_{1 \le i \le m} a_i a_i^T", r"2\sum_{i \in [m]} a_ia_i^T", "A(2I)A^T",
    r"2\sum\limits_{i=1}^m a_i a_i^T", r"\sum_{i=0}^{m-1} 2 a_i a_i^T", "2∑_i a_i⊗a_i",
    r"2\sum^{m}_{i=1} a_i a_i^T", "sum_1^m 2 a_i a_i^T", r"\sum_i^m 2a_ia_i^T",
    r"2AA^{T}= 2\sum_i a_i a_i^T", "M=2 A A^{T} .", r"2 A A^{\text{T}}", "2A(AᵀA)⁻¹Aᵀ",
    "2A (A^T A)^{-T} A^T", "2*A*transpose(A)", "2 A pinv(A)", "sum_i a_i a_i^T * 2",
    "sum_i=1^m 2a_i a_i^T", "sum_{i=1..m} 2a_i a_i^T", r"2\sum a_ia_i^\top",
]  # fmt: skip
VARIANCE = [
    "hsigma^4+2hmu^2sigma^2", "h(σ^4+2µ^2σ^2)", "h((σ²+μ²)²−μ⁴)", "h·(σ²)² + 2h(μσ)²",
    r"\mathrm{Var}(q k^\top) = h(\sigma^{4}+2\mu^{2}\sigma^{2})",
    "Var[qk^T] = h*sigma**4 + 2*h*mu**2*sigma**2", r"\mathbb{V}[qk^T] = h σ^2(σ^2+2μ^2)",
    r"\text{Var} = h\sigma^2(\sigma^2+2\mu^2)", "pow(sigma,4) h + 2h pow(mu*sigma, 2)",
]  # fmt: skip
COUNT = [
    r"\min\{T, 2^n\}", "min{T,2ⁿ}", "2**n", "2^{n}", "e^{n log 2}", r"\exp(n\ln 2)",
    "2·2^{n-1}", "max(1, 2^n)", "|-2^n|",
]  # fmt: skip
NORM = ["||k_a||_2^2", "k_a'k_a", "norm(k_a)**2", r"\left\| k_a \right\|^2"]
NO_TRANSPOSE = ["2^T", "(k+1)^T", "T*k + T k + 22 k"]
NOTATIONS = [  # formulas, the values of their names, and what they come to
    (AVERAGE, KEYS, 7 * (KEYS["k_a"] + KEYS["k_b"])),
    (SCALED, KEYS, 2 * np.log(6000) * (KEYS["k_a"] + KEYS["k_b"])),
    (VALUE, U, (np.outer(U["u_b"], U["u_b"]) - np.outer(U["u_c"], U["u_c"])) / 9),
    (DOT_PRODUCT, X, (X["x_1"] + X["p_1"]) @ (X["x_2"] + X["p_2"])),
    (TWO_SUBSCRIPTS, POSITIONS, POSITIONS["q_pos_i"] @ POSITIONS["k_pos_j"]),
    (PROJECTION, PROJECTED, 2 * A @ A.T),
    (VARIANCE, SPREAD, 4 * (0.7**4 + 2 * 1.5**2 * 0.7**2)),
    (COUNT, {"n": 4.0, "T": 100.0}, 16.0),
    (NO_TRANSPOSE, {"T": 5.0, "k": 1.0}, 32.0),
    (NORM, KEYS, KEYS["k_a"] @ KEYS["k_a"]),
]


@pytest.mark.parametrize(
    ("text", "values", "wanted"), [(text, *rest) for texts, *rest in NOTATIONS for text in texts]
)
def test_a_formula_has_one_value_in_every_notation(text, values, wanted):
    families = {"a": list(A.T)} if values is PROJECTED else {}
    formula = parse(text, (*values, *(f"{name}_i" for name in families)))
    value = evaluate(formula, values, families=families)
    assert np.shape(value) == np.shape(wanted)
    np.testing.assert_allclose(value, wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1/2 h", 2), (r"\frac12 n", 3), ("2^-1 h", 2), ("h/2n", 12), ("√4h", 8),
        ("log^2 n", np.log(6) ** 2), ("log(n)^2", np.log(6) ** 2), ("n log n", 6 * np.log(6)),
        (r"\log_{10} n", np.log10(6)), ("log2(n)", np.log2(6)), ("log log n", np.log(np.log(6))),
        ("log n h", np.log(6) * 4), ("log nh", np.log(24)), (r"\sqrt nh", np.sqrt(6) * 4),
        ("2^3^2", 512), ("-h^2", -16), ("(1e999)", np.inf), ("9**9**9", np.inf), ("1/0", np.inf),
        ("|h||n|", 24), ("|h-n|", 2), ("1,000h", 4000), ("2 x h", 8),
        (r"\sum_{i=1}^{n} i", 21), (r"\sum_{i=0}^{n-1} 2", 12),
    ],
)  # fmt: skip
def test_how_far_an_operator_reaches(text, wanted):
    assert evaluate(parse(text, KEYS), KEYS) == pytest.approx(wanted)


@pytest.mark.parametrize(
    "text",
    [r"\sum_{i \in \{a, b\}} k_i", "sum_{i in {a,b}} k_i", "∑_{i∈{b,a}} k_i", "∑_{i=a,b} k_i"],
)
def test_a_sum_over_listed_members_adds_these(text):
    assert parse(text, ["k_i", "k_a", "k_b"]).names == {"k_a", "k_b"}


@pytest.mark.parametrize(
    "text",
    ["∑_{i∈S} k_i", "∑_{i∈{a,c}} k_i", "∑_{i∈{a;b}} k_i", "∑_{i=a,b} " * 12 + "k_i"],
    ids=["unnamed", "unknown", "unlisted", "nested"],
)
def test_a_sum_over_unknown_or_too_many_members_is_refused(text):
    with pytest.raises(FormulaError):
        parse(text, ["k_i", "k_a", "k_b"])
