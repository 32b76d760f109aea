"""Growth is compared, not names."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graders.written.judgement import Misfit, Unreadable

ASKED = {
    "names": ["M", "N", "k"],
    "aliases": {"d": "k"},
    "key": "M^2*k",
    "lower": ["M*k^2", "N*k^2"],
}


@pytest.mark.parametrize(
    "answer",
    [
        *("Θ(M^2 k)", "O(M^2 d)", "k·M²", "M**2*k", r"\mathcal{O}(M^2 k)", r"$O(M^2 \cdot k)$"),
        *("O(k M^2 + (M+N)k^2)", "O(M^2k) + O(Mk^2)", "O(M^2 k) per layer"),
    ],
)
def test_right_complexities_earn_all(judge, answer):
    assert judge("complexity", answer, **ASKED).fraction == 1


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        *(("O(M^2)", "`k` is missing"), ("O(Mk)", "slowly"), ("O(M^2 k^2)", "too fast")),
        *(("O(N^2 k)", "like the cost"), ("O(MNk)", "like the cost"), ("O(1)", "slowly")),
        *(("O(M^2k + N^2k)", "does not belong"), ("O(M^2 k/N)", ""), ("M^2k - M^2k", "")),
    ],
)
def test_wrong_complexities_earn_nothing(judge, answer, said):
    found = judge("complexity", answer, **ASKED)
    assert found.fraction == 0
    assert said in found.message
    assert found.hint


@pytest.mark.parametrize(
    ("answer", "refusal"),
    [
        *(("O(n^3)", Unreadable), ("O()", Unreadable), ("quadratic", Unreadable)),
        *(("O(M^2 k", Unreadable), ("O(min(M, k))", Unreadable)),
        *(("O(M log M)", Misfit), ("O(M^k)", Misfit)),  # they grow like no polynomial
    ],
)
def test_what_cannot_be_read_goes_to_a_person_and_other_growth_is_wrong(judge, answer, refusal):
    with pytest.raises(refusal):
        judge("complexity", answer, **ASKED)


def test_a_listed_mistake_has_its_own_hint(judge):
    found = judge(
        "complexity", "5MNk", mistakes=[("formula", "M*N*k", "which length?", 0.5)], **ASKED
    )
    assert (found.fraction, found.hint) == (0.5, "which length?")


def test_each_attention_has_its_own_key(judge):
    answer = {"encoder_self": "O(M^2 k)", "cross": "O(N M k)", "decoder_self": "O(M^2 k)"}
    key = {"encoder_self": "M^2*k", "cross": "M*N*k", "decoder_self": "N^2*k"}
    assert judge("complexity", answer, **ASKED | {"key": key}).fraction == pytest.approx(2 / 3)


@settings(max_examples=60)
@given(m=st.integers(0, 4), n=st.integers(0, 4), k=st.integers(0, 4))
def test_no_other_monomial_passes(judge, m, n, k):
    found = judge("complexity", f"O(M^{m} N^{n} k^{k})", **ASKED).fraction
    assert (found == 1) == ((m, n, k) == (2, 0, 1))
