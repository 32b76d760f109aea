"""A query passes by its effect on the weights, not by its form; two heads copy one value each."""

import contextlib
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graders.written.question import Misfit, Unreadable
from graders.written.verifiers.attention.query import lookups

SCALED = {"keys": "k", "scaled": True}
UNSCALED = {"keys": "k", "scaled": False}
MEANS = {"keys": "mu"}
SCALABLE = [
    r"\frac{\beta}{2}(k_a+k_b)", r"\lambda (k_a + k_b), \lambda \gg 0", "C (k_a+k_b)",
    "sqrt(d) log(n) beta (k_a+k_b)", "10^20 (k_a+k_b)", "(k_a+k_b)/epsilon",
    "beta^2 (k_a+k_b)", "s(ka+kb)", "beta*(k_a+k_b)/norm(k_a+k_b)", "e^beta (k_a+k_b)",
    "q = β(k_a+k_b)^T", "beta (K_a + K_b)", r"\lim_{\beta \to \infty} \beta (k_a + k_b)",
    r"\beta\left(\mathbf{k}_a+\mathbf{k}_b\right)", "beta (k_a+k_b) - v_a + v_a",
]  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "setting"),
    [
        *((answer, setting) for answer in SCALABLE for setting in (SCALED, UNSCALED)),
        ("10*(k_a+k_b)", UNSCALED),  # enough where scores are not divided
        ("beta*(mu_a+mu_b)", MEANS), ("β(μ_a+μ_b)", MEANS), (r"\beta(\mu_a + \mu_b)", MEANS),
        ("β(E[k_a]+E[k_b])", MEANS), (r"\beta(\mathbb{E}[k_a]+\mathbb{E}[k_b])", MEANS),
        *((f"β(k_a+k_b) with β = {large}", UNSCALED) for large in ("10^6", "100 log n")),
        ("100(µ_a+µ_b)", MEANS), ("c mu_a+c mu_b", MEANS),
    ],
)  # fmt: skip
def test_right_queries_earn_all(earned, answer, setting):
    assert earned("average_query", answer, **setting) == {1}


@pytest.mark.parametrize("setting", [SCALED, UNSCALED])
@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        ("beta*(k_a-k_b)", "only one of the two"), ("-beta*(k_a+k_b)", "sign"),
        ("beta*(k_a+1.01*k_b)", "differ slightly"), ("beta*(k_a + 1.0000001 k_b)", ""),
        ("beta*(v_a+v_b)", "values"), ("0", "Build it from"), ("beta*k_a^T k_b", "each product"),
        ("beta*sum_i k_i", "same weight"), ("beta*(k_1+k_2)", "scores|sign|one of"),
        ("alpha*k_a + beta*k_b", "only one of the two"), ("(k_a+k_b)/beta", "scores"),
        ("(k_a+k_b)/0", ""), ("beta*(2 k_a + k_b)", "one of the two|differ slightly"),
        ("beta*k_a + k_b", "one of the two"),
    ],
)  # fmt: skip
def test_wrong_queries_never_pass(judge, earned, answer, hint, setting):
    assert earned("average_query", answer, **setting) == {0}
    assert re.search(hint, judge("average_query", answer, **setting).hint)


@pytest.mark.parametrize("mention", ["", " + alpha*mu_a", " + 0*mu_a/alpha", " + alpha^0*mu_a"])
@pytest.mark.parametrize("constant", ["1", "10", "10^2", "10^3"])
def test_to_name_the_variance_does_not_balance_a_query(earned, mention, constant):
    assert earned("average_query", f"c*mu_a + {constant}*mu_b{mention}", **MEANS) == {0}


@pytest.mark.parametrize("length", ["alpha^(-1/4)", "log(1/alpha)", "beta*alpha^(-1/4)"])
def test_the_variance_may_set_the_length(earned, length):
    assert earned("average_query", f"{length}*(mu_a + mu_b)", **MEANS) == {1}
    assert earned("average_query", f"{length}*(mu_a + 1.5*mu_b)", **MEANS) == {0}


@pytest.mark.parametrize("constant", ["1", "10", "10^2", "10^3", "10^4"])
def test_a_scale_that_equals_a_constant_does_not_balance_a_query(earned, judge, constant):
    assert earned("average_query", f"c*k_a + {constant}*k_b", **UNSCALED) == {0}
    with contextlib.suppress(Unreadable):  # as a larger scale would show
        bounded = judge("average_query", f"max(c, {constant})*k_a + {constant}*k_b", **UNSCALED)
        assert bounded.fraction == 0


@pytest.mark.parametrize(
    ("answer", "setting"),
    [
        ("(k_a+k_b)/2", UNSCALED), ("2(k_a+k_b)", SCALED), ("10*(k_a+k_b)", SCALED),
        ("mu_a+mu_b", MEANS), ("sqrt(h)*(k_a+k_b)", SCALED),
    ],
)  # fmt: skip
def test_a_direction_without_a_scale_earns_half(judge, earned, answer, setting):
    assert earned("average_query", answer, **setting) == {0.5}
    assert "too short" in judge("average_query", answer, **setting).message


@pytest.mark.parametrize(
    ("answer", "share"),
    [
        ("beta*(k_a+k_b)", 0.5), ("k_a+k_b", 0.25), ("beta*k_a", 0), ("beta(mu_a-mu_b)", 0),
        ("beta*(mu_a+1.01 mu_b)", 0), ("alpha*(mu_a+mu_b)", 0), ("beta*(v_a+v_b)", 0),
    ],
)  # fmt: skip
def test_keys_for_means_earn_half_of_the_rest(earned, answer, share):
    assert earned("average_query", answer, **MEANS) == {share}


def test_keys_for_means_are_explained(judge):
    judgement = judge("average_query", "beta*(k_a+k_b)", **MEANS)
    assert "random" in judgement.message
    assert "fixed" in judgement.hint


def test_shares_are_the_assignments(judge):
    assert judge("average_query", "k_a+k_b", **UNSCALED, unscaled=0.25).fraction == 0.25
    assert judge("average_query", "beta*(k_a+k_b)", **MEANS, keys_for_means=0.1).fraction == 0.1


def test_a_listed_mistake_has_its_own_hint(judge):
    mistakes = [("formula", "beta*(k_a - k_b)", "a difference turns away from b", 0.25)]
    judgement = judge("average_query", "c k_a - c k_b", mistakes=mistakes, **UNSCALED)
    assert (judgement.fraction, judgement.hint) == (0.25, "a difference turns away from b")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("beta*(mu_a+mu_b)", "`mu_a` is unknown"), ("k_a k_b", "next to each other"),
        ("beta(k_a+", "never closed"), ("any vector", "No formula"),
        ("beta*(key_a+key_b)", "`key_a` is unknown"), ("beta*(k_a+k_c)", "`k_c` is unknown"),
        ("q is not beta(k_a + k_b)", "contradict"),
        ("Use beta(k_a + k_b) or beta k_a", "several"),
        ("half the sum of k_a and k_b", "several|meaning"),
        *((f"{b}(k_a+k_b), {b} = 1", "several") for b in ("β", r"\beta", "beta", "S")),
        ("β(k_a+k_b), β ∈ (0,1)", "contradict"), ("β(k_a+k_b) with β negative", "contradict"),
        *((f"S(k_a+k_b), where {words}", "contradict") for words in (
            "S is a very small constant", "S approaches 0", "S is near zero", "S tends to 0",
            "$S$ is less than 1", "we take a very small constant S",
        )),
        *((f"{b}(k_a+k_b), {b} {words}", "contradict") for b in ("beta", "$\\beta$") for words in (
            "tiny", "is near zero", "-> -inf", "≤ 1",
        )),
        *((f"{before} β(k_a + k_b)", "contradict") for before in (
            "anything except", "any q other than", "the opposite of", "Avoid q =",
        )),
        ("β(k_a + k_b)\nor k_a or k_b or k_a - k_b", "several"), ("q != β(k_a+k_b)", "≠"),
        ("1,5·10^4 k_a + 1,5·10^4 k_b", "comma"), ("β k_a + γ k_b, β = γ = 10^3", "several"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_goes_to_a_person(judge, answer, said):
    with pytest.raises(Unreadable, match=said):
        judge("average_query", answer, **UNSCALED)


def test_shapes_that_do_not_fit_are_wrong(judge):
    with pytest.raises(Misfit, match="added"):
        judge("average_query", "k_a+1", **UNSCALED)


@pytest.mark.parametrize("means", [True, False])
def test_every_instance_has_three_keys_or_more(means):
    for seed in range(50):
        for lookup in lookups(np.random.default_rng(seed), means=means, scaled=False):
            assert len(lookup.keys) >= 3
            assert lookup.a != lookup.b


@settings(max_examples=80)
@given(left=st.integers(-300, 300), right=st.integers(-300, 300), seed=st.integers(0, 49))
def test_unequal_parts_never_pass(judge, left, right, seed):
    text = f"beta*(({left}) k_a + ({right}) k_b)"
    fraction = judge("average_query", text, seed=seed, **SCALED).fraction
    assert (fraction == 1) == (left == right and left > 0)


def both(one, two):
    return {"q1": one, "q2": two}


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("beta*mu_a", "beta*mu_b"), ("β μ_b", "β μ_a"), (r"\beta \mu_a", r"\beta \mu_b"),
        ("100 mu_a", "100mu_b"), ("c_1 mu_a", "c_2 mu_b"),
        ("q_1 = beta mu_a", "q_2 = beta mu_b"), ("beta(mu_a - mu_b)", "beta mu_b"),
        ("β μ_a, β = 1000", "β μ_b, β = 1000"), ("β E[k_a]", "β E[k_b]"),
    ],
)  # fmt: skip
def test_right_pairs_earn_all(earned, one, two):
    assert earned("two_queries", both(one, two)) == {1}


@pytest.mark.parametrize(
    ("one", "two", "share", "said"),
    [
        ("beta mu_a", "beta mu_a", 0, "same value"),
        ("beta(mu_a+mu_b)", "beta(mu_a+mu_b)", 0, "are the same"),
        ("beta k_a", "beta k_b", 0.5, "random"),
        ("mu_a", "mu_b", 0.5, "too short: `q1` and `q2`"),
        ("beta mu_a", "mu_b", 0.5, "too short: `q2`"),
        ("k_a", "k_b", 0.25, "too short"),
        ("beta v_a", "beta v_b", 0, "values"),
        ("beta mu_a", "beta(mu_a+mu_b)", 0.5, "`q2`"),
        ("-beta mu_a", "-beta mu_b", 0, "`q1` and `q2`"),
    ],
)
def test_wrong_pairs_earn_what_is_listed(judge, earned, one, two, share, said):
    assert earned("two_queries", both(one, two)) == {share}
    assert said in judge("two_queries", both(one, two)).message


def test_a_scale_of_one_is_not_accepted_for_two_heads(judge):
    with pytest.raises(Unreadable, match="several"):
        judge("two_queries", both("β μ_a, β = 1", "β μ_b, β = 1"))


def test_both_queries_must_be_vectors_of_what_is_asked_for(judge):
    judgement = judge("two_queries", {"q1": "beta mu_a"}, parts=("q1", "q2"))
    assert (judgement.fraction, judgement.message) == (0, "Both are required: q1 and q2.")
    with pytest.raises(Misfit, match="`q1`: A query is a vector"):
        judge("two_queries", both("0", "beta mu_b"))
    assert judge("two_queries", both("beta k_a", "beta k_b"), keys="k").fraction == 1
