"""Projections, variances and counts have the same value however people type them."""

import numpy as np
import pytest

from graders.written.formula import FormulaError, parse
from tests.graders.written.formula.comparing import KEYS, RNG, assert_comes_to

A = np.linalg.qr(RNG.standard_normal((5, 5)))[0][:, :3]
FAMILY = {"a_i": list(A.T)}


@pytest.mark.parametrize(
    "text",
    [
        *(
            "2 A A^T",
            "2AA^T",
            r"2AA^\top",
            r"2 A A^{\top}",
            "2*A*A.T",
            "2A A'",
            "2AAᵀ",
            "2 A @ A.T",
        ),
        *(
            "2*sum_i a_i a_i^T",
            r"2\sum_{i=1}^{m} a_i a_i^\top",
            "Σ_i 2a_i a_i^T",
            "2 sum(a_i a_i^T)",
        ),
        *(
            "sum_{i=1}^m 2 a_i a_i'",
            "M = 2AA^T",
            "2A(A^T A)^{-1}A^T",
            "2A inv(A^T A) A^T",
            "2 A T(A)",
        ),
        *("2*sum_j outer(a_j,a_j)", r"2 \sum_{j} a_{j}a_{j}^{\top}", "∑ᵢ₌₁ᵐ 2aᵢaᵢᵀ", "2A A^+"),
        *("2 np.outer(a_1,a_1)+2a_2a_2^T+2 a_3 a_m^T", "sum_i=1^m 2a_i a_i^T", "2AA^{†}", "2AA⊤"),
        *(r"2\sum_{i=1}^{k} a_i a_i^T", r"2\,\mathbf{A}\mathbf{A}^{\mathsf T}", "2 matmul(A, A^T)"),
        *("2*sum_i(a_i a_i^T)", "2sum(a_i*a_i.T for i in range(m))", "2*sum(a_i a_i^T, i=1..m)"),
        *(
            "sum_{i=1..m} 2a_i a_i^T",
            r"2 \sum_{1 \le i \le m} a_i a_i^T",
            r"2\sum_{i \in [m]} a_ia_i^T",
        ),
        *(
            r"2\sum\limits_{i=1}^m a_i a_i^T",
            r"\sum_{i=0}^{m-1} 2 a_i a_i^T",
            r"2\sum^{m}_{i=1} a_i a_i^T",
        ),
        *(
            "2∑(a_i)(a_i)^T",
            r"2\sum a_ia_i^\top",
            "AA^T+AA^T",
            "A(2I)A^T",
            "2 A pinv(A)",
            "2sum_j a_ja_j^T",
        ),
        *("2∑_i a_i⊗a_i", r"\sum_{i=1}^m 2 \, a_i\, a_i^\top", "2 A (A' A)^-1 A'", "2A(AᵀA)⁻¹Aᵀ"),
        *(
            "sum_1^m 2 a_i a_i^T",
            r"\sum_i^m 2a_ia_i^T",
            r"2AA^{T}= 2\sum_i a_i a_i^T",
            "M=2 A A^{T} .",
        ),
        *(
            r"2 A A^{\text{T}}",
            "2 (A) (A)^T",
            "(A+A)A^T",
            "2 (A A^T)^T",
            "sum_i a_i a_i^T * 2",
            "2 A A^{T}",
        ),
        *(
            "2*sum_i sum_j a_i a_i^T a_j a_j^T",
            r"2AA^{\dagger}",
            "2A (A^T A)^{-T} A^T",
            "2*A*transpose(A)",
        ),
    ],
)
def test_a_projection(text):
    assert_comes_to(text, {"A": A, "m": 3.0, "d": 5.0}, 2 * A @ A.T, FAMILY, names=("a_i",))


SPREAD = {"h": 4.0, "mu": 1.5, "sigma": 0.7}


@pytest.mark.parametrize(
    "text",
    [
        *("h*(sigma^4 + 2*mu^2*sigma^2)", "hσ⁴+2hμ²σ²", "hsigma^4+2hmu^2sigma^2", "h(σ^4+2µ^2σ^2)"),
        *(r"h\sigma^4 + 2h\mu^2\sigma^2", "h((σ²+μ²)²−μ⁴)", "Var[qk^T] = h σ² (σ² + 2μ²)"),
        *(
            r"\mathrm{Var}(q k^\top) = h(\sigma^{4}+2\mu^{2}\sigma^{2})",
            "h*sigma**4 + 2*h*mu**2*sigma**2",
        ),
        *(
            r"\text{Var} = h\sigma^2(\sigma^2+2\mu^2)",
            "h·(σ²)² + 2h(μσ)²",
            "h σ^2 σ^2 + 2 h μ^2 σ^2",
        ),
        *(r"\mathbb{V}[qk^T] = h σ^2(σ^2+2μ^2)", "pow(sigma,4) h + 2h pow(mu*sigma, 2)"),
    ],
)
def test_a_variance(text):
    assert_comes_to(text, SPREAD, 4 * (0.7**4 + 2 * 1.5**2 * 0.7**2))


@pytest.mark.parametrize(
    "text",
    [
        *(
            "min(T, 2^n)",
            r"\min(T,2^n)",
            r"\min\{T, 2^n\}",
            "min{T,2ⁿ}",
            "2^n",
            "2ⁿ",
            "2**n",
            "2^{n}",
        ),
        *("e^{n log 2}", "exp(n ln 2)", r"\exp(n\ln 2)", "2·2^{n-1}", "max(1, 2^n)", "|-2^n|"),
    ],
)
def test_a_count_with_a_power(text):
    assert_comes_to(text, {"n": 4.0, "T": 100.0}, 16.0)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        *(
            ("1/2 h", 2),
            (r"\frac12 n", 3),
            ("log^2 n", np.log(6) ** 2),
            ("2^-1 h", 2),
            ("h/2n", 12),
        ),
        *((r"\log_{10} n", np.log10(6)), ("log2(n)", np.log2(6)), ("|h||n|", 24), ("|h-n|", 2)),
        *(("log n h", np.log(6) * 4), ("log nh", np.log(24)), (r"\sqrt nh", np.sqrt(6) * 4)),
        *(("2^3^2", 512), ("-h^2", -16), ("(1e999)", np.inf), ("9**9**9", np.inf), ("1/0", np.inf)),
        *(("n log n", 6 * np.log(6)), ("log(n)^2", np.log(6) ** 2), ("1,000h", 4000), ("2 x h", 8)),
        *(
            (r"\sum_{i=1}^{n} i", 21),
            (r"\sum_{i=0}^{n-1} 2", 12),
            ("√4h", 8),
            ("log log n", np.log(np.log(6))),
        ),
        *(
            ("||k_a||_2^2", None),
            ("k_a'k_a", None),
            (r"\left\| k_a \right\|^2", None),
            ("norm(k_a)**2", None),
        ),
    ],
)
def test_how_far_an_operator_reaches(text, wanted):
    assert_comes_to(text, KEYS, KEYS["k_a"] @ KEYS["k_a"] if wanted is None else wanted)


def test_a_power_of_a_number_named_t_is_no_transpose():
    assert_comes_to("2^T", {"T": 5.0}, 32.0)
    assert_comes_to("(k+1)^T", {"T": 5.0, "k": 1.0}, 32.0)
    assert_comes_to("T*m + T m", {"T": 5.0, "m": 2.0}, 20.0)


@pytest.mark.parametrize(
    "text",
    [r"\sum_{i \in \{a, b\}} k_i", "sum_{i in {a,b}} k_i", "∑_{i∈{b,a}} k_i", "∑_{i=a,b} k_i"],
)
def test_a_sum_over_listed_members_adds_these(text):
    assert parse(text, ["k_i", "k_a", "k_b"]).names == {"k_a", "k_b"}


@pytest.mark.parametrize("text", ["∑_{i∈S} k_i", "∑_{i∈{a,c}} k_i", "∑_{i∈{a;b}} k_i"])
def test_a_sum_over_members_that_nobody_knows_is_refused(text):
    with pytest.raises(FormulaError):
        parse(text, ["k_i", "k_a", "k_b"])


def test_sums_within_sums_are_kept_small():
    text = "∑_{i=a,b} " * 12 + "k_i"
    with pytest.raises(FormulaError):
        parse(text, ["k_i", "k_a", "k_b"])
