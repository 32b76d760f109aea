"""A formula equals the key or does not, whatever its form; of a complexity its growth counts."""

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graders.errors import UsageError
from graders.written.question import Misfit, Unreadable

HEAD = {
    "names": {"d": "size"},
    "aliases": {"d_model": "d"},
    "key": "2*d + 2",
    "mistakes": [
        ("formula", "2*d", "the bias is forgotten", 0.0),
        ("formula", "d + 1", "the head has two outputs", 0.0),
    ],
}
PREFIX = {
    "names": {"d": "size"},
    "key": "130*d + 2",
    "mistakes": [("formula", "2*128*d + 2*d", "a prefix is input embeddings only", 0.0)],
}
VARIANCE = {
    "names": {"mu": "real", "sigma": "positive", "h": "size"},
    "key": "h*(sigma^4 + 2*mu^2*sigma^2)",
}
OFFSETS = {
    "names": {"T": "size", "m": "size", "L": "size"},
    "key": "(2*(T - 1) + 1)*m",
    "also": ["(2*T - 1)*m*L"],
}
LEVELS = {
    "names": {"n": [0, 12], "k": [1, 97], "T": "size"},
    "key": {"one_head": "2^n", "two_heads": "3^n", "k_heads": "(k + 1)^n"},
    "also": {"one_head": "min(T, 2^n)", "k_heads": ["min(T, (k + 1)^n)"]},
}
DOTS = {
    "names": dict.fromkeys(("x_1", "x_2", "p_1", "p_2"), "vector"),
    "key": {
        "add": "x_1^T x_2 + x_1^T p_2 + p_1^T x_2 + p_1^T p_2",
        "concat": "x_1^T x_2 + p_1^T p_2",
    },
}
BIAS = {
    "names": dict.fromkeys(("q_i", "k_j", "q_i_pos", "k_j_pos"), "vector"),
    "key": "q_i_pos^T k_j_pos",
    "softmax_over": ["k_j", "k_j_pos"],
}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (HEAD, "2d_model + 2"), (HEAD, "2d + 2 parameters"), (HEAD, "2*(d+1) = 2d+2"),
        (HEAD, "$2d+2$"), (VARIANCE, "h((σ²+μ²)² − μ⁴)"),
        (VARIANCE, r"h(\sigma^4+2\mu^2\sigma^2)"), (OFFSETS, "2Tm - m"), (OFFSETS, "(2T-1)*m*L"),
        (BIAS, r"q_i^{\text{pos}} \cdot k_j^{\text{pos}}"),
        (BIAS, "q_i^pos · k_j^pos + q_i · q_i"),
    ],
)  # fmt: skip
def test_right_formulas_earn_all(earned, question, answer):
    assert earned("identity", answer, **question) == {1}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (HEAD, "2d"), (HEAD, "d^2+3d+2"), (HEAD, "2d+1"), (HEAD, "d/0"),
        (HEAD, "2d + 2 + 1e-6*d^3"), (HEAD, "(2d+2)(d-d+1.0001)"), (HEAD, "sqrt(-d)"),
        (PREFIX, "2*128*d+2*d"), (PREFIX, "128d+2"), (VARIANCE, "h σ^4"),
        (VARIANCE, "h(σ²+μ²)²"), (VARIANCE, "h μ²"), (OFFSETS, "2Tm"), (OFFSETS, "(2T+1)m"),
        (OFFSETS, "(2T-1)"), (BIAS, "2 q_i^pos·k_j^pos"), (BIAS, "k_j^pos·k_j^pos"), (BIAS, "0"),
    ],
)  # fmt: skip
def test_wrong_formulas_never_pass(earned, question, answer):
    assert earned("identity", answer, **question) == {0}


@pytest.mark.parametrize(
    ("question", "answer", "hint"),
    [
        (HEAD, "2*d", "the bias is forgotten"), (HEAD, "1 + d", "the head has two outputs"),
        (PREFIX, "258d", "a prefix is input embeddings only"),
        (HEAD, "1538", "Write a formula with d, d_model, not a number."),
    ],
)  # fmt: skip
def test_a_known_mistake_has_its_hint(judge, question, answer, hint):
    assert judge("identity", answer, **question).hint == hint


@pytest.mark.parametrize(
    ("question", "answers", "share"),
    [
        (LEVELS, ("min(2^n, T)", "3**n", "min(T, (1+k)^n)"), 1),
        (LEVELS, ("2^n", "3^n", "2^n"), 2 / 3),
        (LEVELS, ("2^n", "min(3^n, 729)", "min(k + 1, 6)^n"), 1 / 3),
        (LEVELS, ("2^n", "2^{n+1}", "k^n"), 1 / 3),
        (LEVELS, ("n^2", "n^3", "k^n"), 0),
        (DOTS, ("x1·x2 + x1·p2 + p1·x2 + p1·p2", "x1·x2+p1·p2"), 1),
        (DOTS, ("(x_1+p_1)^T (x_2+p_2)", r"\langle x_1,x_2\rangle + p_1 \cdot p_2"), 1),
        (DOTS, ("dot(x1,x2)+dot(x1,p2)+dot(p1,x2)+dot(p1,p2)", "x_2^T x_1 + p_2^T p_1"), 1),
        (DOTS, ("x_1^T x_2 + p_1^T p_2", "x_1^T x_2 + p_1^T p_2"), 0.5),
        (DOTS, ("x_1 x_2^T", "x_1 + p_1"), 0),
    ],
)
def test_parts_are_judged_alone_and_vectors_are_random_as_well(earned, question, answers, share):
    parts = dict(zip(question["key"], answers, strict=True))
    assert earned("identity", parts, **question) == {round(share, 9)}


# All are zero for numbers, and the last one for vectors of fewer than four entries.
VANISHING = [
    "(x_1^T x_2)*(p_1^T p_2) - (x_1^T p_2)*(p_1^T x_2)",
    "norm(x_1)^2*norm(p_1)^2 - (x_1^T p_1)^2",
    "norm(x_1)*norm(x_2) - abs(x_1^T x_2)",
    "p_2^T p_2 - p_2^T Z pinv(Z) p_2".replace("Z", "(x_1 x_1^T + x_2 x_2^T + p_1 p_1^T)"),
]


@pytest.mark.parametrize("vanishing", VANISHING)
@pytest.mark.parametrize("form", ["{}^T {}", "{} {}^T", "{} {}"])
def test_formulas_that_are_equal_only_in_few_dimensions_never_pass(judge, vanishing, form):
    asked = {**DOTS, "key": DOTS["key"]["concat"], "side_by_side": True}
    products = f"{form.format('x_1', 'x_2')} + {form.format('p_1', 'p_2')}"
    for seed in range(8):
        assert judge("identity", products, seed=seed, **asked).fraction == 1
        with contextlib.suppress(Misfit, Unreadable):
            wrong = judge("identity", f"{products} + {vanishing}", seed=seed, **asked)
            assert wrong.fraction == 0


@pytest.mark.parametrize(
    "answer", ["min((2T - 1)*m, 10^5)", "max((2T-1)*m, 1)", "(2T-1)*m + min(0, 10^5 - T)"]
)
def test_a_bound_that_no_key_has_waits_for_a_person(judge, answer):
    with pytest.raises(Unreadable, match="the bound of `m"):
        judge("identity", answer, **OFFSETS)


def test_weights_divide_the_parts(judge):
    parts = {"one_head": "2^n", "two_heads": "0", "k_heads": "0"}
    weights = {"one_head": 3, "two_heads": 1, "k_heads": 1}
    judgement = judge("identity", parts, **LEVELS, weights=weights)
    assert judgement.fraction == pytest.approx(0.6)


def test_each_wrong_part_has_a_line_of_its_own(judge):
    parts = {"one_head": "2^n", "two_heads": "2^n", "k_heads": "k^n"}
    mistakes = [(part, parts[part], f"Not {parts[part]}.", 0) for part in ("two_heads", "k_heads")]
    judgement = judge("identity", parts, **LEVELS, mistakes=mistakes)
    assert judgement.actual == "two_heads: 2^n\nk_heads: k^n"
    assert judgement.hint == "`two_heads`: Not 2^n.\n`k_heads`: Not k^n."
    assert [line.partition(":")[0] for line in judgement.message.split("\n")] == [
        "`two_heads`", "`k_heads`"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("2*n + 2", "not define `n`"), ("2D+2", "not define `D`"), ("2d+", "too early"),
        ("two times d", "words"), ("2d+2 = 2(d+2)", "not equal"), ("(2d+2", "never closed"),
        ("", "empty"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_pointed_at(judge, answer, said):
    with pytest.raises(Unreadable, match=said):
        judge("identity", answer, **HEAD)


def test_a_counterexample_is_shown_and_the_same_for_the_same_draw(judge):
    judgement = judge("identity", "3d", seed=4, **HEAD)
    assert [name for name, _ in judgement.counterexample] == ["d", "your formula gives"]
    assert judgement == judge("identity", "3d", seed=4, **HEAD)


def test_a_wrong_key_is_a_fault_of_staff(judge):
    with pytest.raises(UsageError):
        judge("identity", "2d", names={"d": "size"}, key="2*x")


@settings(max_examples=60)
@given(a=st.integers(0, 300), c=st.integers(0, 300), seed=st.integers(0, 49))
def test_no_other_line_passes(judge, a, c, seed):
    judgement = judge("identity", f"{a}*d + {c}", seed=seed, **PREFIX)
    assert (judgement.fraction == 1) == ((a, c) == (130, 2))


ASKED = {
    "names": ["M", "N", "k"],
    "aliases": {"d": "k"},
    "key": "M^2*k",
    "lower": ["M*k^2"],
}


@pytest.mark.parametrize(
    "answer",
    [
        "Θ(M^2 k)", "O(M^2 d)", "k·M²", "M**2*k", r"\mathcal{O}(M^2 k)", r"$O(M^2 \cdot k)$",
        "O(k M^2 + (M+k)Mk)", "O(M^2k) + O(Mk^2)", "O(M^2 k) per layer",
    ],
)  # fmt: skip
def test_right_complexities_earn_all(judge, answer):
    assert judge("complexity", answer, **ASKED).fraction == 1


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("O(M^2)", "`k` is missing"), ("O(Mk)", "slowly"), ("O(M^2 k^2)", "too fast"),
        ("O(N^2 k)", "like the cost"), ("O(MNk)", "like the cost"), ("O(1)", "slowly"),
        ("O(M^2k + N^2k)", "does not belong"), ("O(M^2 k/N)", ""), ("M^2k - M^2k", ""),
        ("O(M k^2)", "scores is missing"), ("O(M k^2 + M k)", "scores is missing"),
        ("O(N k^2)", "like the cost"), ("O(M^2 k + N k^2)", "does not belong"),
    ],
)  # fmt: skip
def test_wrong_complexities_earn_nothing(judge, answer, said):
    judgement = judge("complexity", answer, **ASKED)
    assert judgement.fraction == 0
    assert said in judgement.message
    assert judgement.hint


@pytest.mark.parametrize(
    ("answer", "refusal"),
    [
        ("O(n^3)", Unreadable), ("O()", Unreadable), ("quadratic", Unreadable),
        ("O(M^2 k", Unreadable), ("O(min(M, k))", Unreadable),
        ("O(M log M)", Misfit), ("O(M^k)", Misfit),  # they grow like no polynomial
    ],
)  # fmt: skip
def test_what_cannot_be_read_goes_to_a_person_and_other_growth_is_wrong(judge, answer, refusal):
    with pytest.raises(refusal):
        judge("complexity", answer, **ASKED)


def test_a_listed_mistake_has_its_own_hint(judge):
    judgement = judge(
        "complexity", "5MNk", mistakes=[("formula", "M*N*k", "which length?", 0.5)], **ASKED
    )
    assert (judgement.fraction, judgement.hint) == (0.5, "which length?")


def test_each_attention_has_its_own_costs(judge):
    answer = {"self": "O(M^2 k + M k^2)", "cross": "O(N M k + (M+N) k^2)", "other": "O(M^2 k)"}
    key = {"self": "M^2*k", "cross": "M*N*k", "other": "N^2*k"}
    lower = {"self": "M*k^2", "cross": ["M*k^2", "N*k^2"], "other": "N*k^2"}
    asked = ASKED | {"key": key, "lower": lower}
    assert judge("complexity", answer, **asked).fraction == pytest.approx(2 / 3)
    answer["self"] = "O(M^2 k + (M+N) k^2)"
    assert judge("complexity", answer, **asked).fraction == pytest.approx(1 / 3)


@settings(max_examples=60)
@given(m=st.integers(0, 4), n=st.integers(0, 4), k=st.integers(0, 4))
def test_no_other_monomial_passes(judge, m, n, k):
    fraction = judge("complexity", f"O(M^{m} N^{n} k^{k})", **ASKED).fraction
    assert (fraction == 1) == ((m, n, k) == (2, 0, 1))
