"""A matrix is graded by its effect on an average."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graders.written.judgement import Misfit, Unreadable


@pytest.mark.parametrize(
    "answer",
    [
        *(r"M = 2AA^\top", "2*A@A.T", "2 A A'", "AA^T + AA^T", "2 A pinv(A)"),
        *(r"2\sum_{i=1}^{m} a_i a_i^T", "2 A (A^T A)^{-1} A^T", "2*sum_i outer(a_i, a_i)"),
        "(A A^T)^2 * 2",
    ],
)
def test_right_matrices_earn_all(earned, answer):
    assert earned("projection", answer) == {1}


@pytest.mark.parametrize(
    ("answer", "share", "said"),
    [
        *(("A A^T", 0.5, "half of v_a"), ("2A^T", 0.5, "coefficients"), ("A^T", 0, "must be")),
        *(("2I", 0, "all of v_b"), ("2(I-BB^T)", 0.75, "contains B")),
        *(("2 sum_i a_i^T a_i", 0, "a scalar"), ("2 a_1 a_1^T", 0, "does not return v_a")),
        *(("0", 0, ""), ("2AA^T + BB^T", 0, "all of v_b"), ("-2AA^T", 0, "does not return")),
    ],
)
def test_others_earn_what_is_listed(judge, earned, answer, share, said):
    assert earned("projection", answer) == {share}
    assert said in judge("projection", answer).message


@pytest.mark.parametrize(
    ("answer", "refusal"),
    [
        *((each, Unreadable) for each in ("P", "2 A v_a", "2A +", "a_i a_i^T", "2 sum_i a_i a_i")),
        *((each, Misfit) for each in ("2 A A", "2 A A^T + 1", "A / B")),
    ],
)
def test_what_cannot_be_read_goes_to_a_person_and_what_does_not_fit_is_wrong(
    judge, answer, refusal
):
    with pytest.raises(refusal):
        judge("projection", answer)


def test_a_name_may_be_defined_beside_the_formula_and_shares_by_the_assignment(judge):
    assert judge("projection", "M = 2P with P = A A^T").fraction == 1
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
