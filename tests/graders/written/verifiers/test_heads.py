"""Two heads copy one value each, whatever the length of a key."""

import pytest

from graders.written.judgement import Misfit


def both(one, two):
    return {"q1": one, "q2": two}


@pytest.mark.parametrize(
    ("one", "two"),
    [
        *(("beta*mu_a", "beta*mu_b"), ("β μ_b", "β μ_a"), (r"\beta \mu_a", r"\beta \mu_b")),
        *(("100 mu_a", "100mu_b"), ("c_1 mu_a", "c_2 mu_b")),
        *(("q_1 = beta mu_a", "q_2 = beta mu_b"), ("beta(mu_a - mu_b)", "beta mu_b")),
    ],
)
def test_right_pairs_earn_all(earned, one, two):
    assert earned("two_queries", both(one, two)) == {1}


@pytest.mark.parametrize(
    ("one", "two", "share", "said"),
    [
        ("beta mu_a", "beta mu_a", 0, "same value"),
        ("beta(mu_a+mu_b)", "beta(mu_a+mu_b)", 0, "are the same"),
        ("beta k_a", "beta k_b", 0.5, "random"),
        ("mu_a", "mu_b", 0.5, "too short"),
        ("k_a", "k_b", 0.25, "too short"),
        ("beta v_a", "beta v_b", 0, "values"),
        ("beta mu_a", "beta(mu_a+mu_b)", 0.5, "`q2`"),
        ("-beta mu_a", "-beta mu_b", 0, "`q1` and `q2`"),
    ],
)
def test_wrong_pairs_earn_what_is_listed(judge, earned, one, two, share, said):
    assert earned("two_queries", both(one, two)) == {share}
    assert said in judge("two_queries", both(one, two)).message


def test_both_queries_must_be_vectors_of_what_is_asked_for(judge):
    found = judge("two_queries", {"q1": "beta mu_a"}, parts=("q1", "q2"))
    assert (found.fraction, found.message) == (0, "Both are required: q1 and q2.")
    with pytest.raises(Misfit, match="`q1`: A query is a vector"):
        judge("two_queries", both("0", "beta mu_b"))
    assert judge("two_queries", both("beta k_a", "beta k_b"), keys="k").fraction == 1
