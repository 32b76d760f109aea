"""Queries and keys are graded by their weights, with the keys that were given."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graders.written.question import Misfit, Unreadable

K = [[0.47, 0.65, 0.60], [0.64, 0.50, -0.59], [-0.03, -0.48, -0.88], [0.43, -0.83, 0.35]]
V = [[-0.07, -0.88, 0.47], [0.37, -0.93, -0.07], [-0.25, -0.75, 0.61], [0.94, 0.20, 0.28]]
EVEN = [0.7071, 0.7071, 0.0119]  # scores of the first two keys are equal
FIRST = {"K": K, "target": [1, 0, 0, 0]}
EACH = {"K": K, "target": np.eye(4).tolist()}
ALL = {"K": K, "target": [0.25] * 4}
TWO = {"K": K, "target": [0.5, 0.5, 0, 0]}
REFERENCE = [35.355, 35.355, 0.595]
THIRD = {
    "K": K,
    "target": [1 / 3, 1 / 3, 1 / 3, 0],
    "row": 2,
    "query": "1.3.2",
    "reference": REFERENCE,
}
ONLY = {**THIRD, "target": [0, 0, 1, 0], "unit": True}
NEARLY = "[1.1499, 4.1566, -.1848]"
COURSE = {**TWO, "V": V, "tolerance": 0.05}  # the output counts, too
KEYS = [
    "(44.6093, 28.4705, 31.0986)", "100*k_0",
    "S·k_0, where S = 1,000,000", "1000 * key[0]", "1e3 * keys[0, :]", "50*key0",
    "beta k_0 for large beta", "q = 100 k_0 = (47, 65, 60)", "1e9 * k_0",
    "1e4 (k_0 - 0*k_1)",
]  # fmt: skip
MATRICES = [
    "100*pinv(K)^T", "[[47,65,60],[64,50,-59],[-3,-48,-88],[43,-83,35]]",
    str(np.round(100 * np.linalg.pinv(np.array(K)), 4)),
    "[100 k_0; 100 k_1; 100 k_2; 100 k_3]", "[100*k_0, 100*k_1, 100*k_2, 100*k_3]",
    r"\begin{bmatrix} 100 k_0^T \\ 100 k_1^T \\ 100 k_2^T \\ 100 k_3^T \end{bmatrix}",
    "S·K where S = 1,000", "1000 * keys", "100 * np.linalg.pinv(K).T",
]  # fmt: skip


def own(query):
    return {"1.3.2": {"text": "because", "formula": query}}


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        *((FIRST, answer) for answer in KEYS),
        *((EACH, answer) for answer in MATRICES),
        (ALL, "zeros(3)"), (ALL, r"\vec{0}"), (ALL, "the zero vector"),
        (COURSE, NEARLY), (COURSE, "10*(k_0+k_1)"),
    ],
)  # fmt: skip
def test_right_queries_earn_all(judge, asked, answer):
    assert judge("attention_weights", answer, **asked).fraction == 1


@pytest.mark.parametrize(
    ("asked", "answer", "share", "hint"),
    [
        (FIRST, "k_0", 0, "direction is correct"),
        (FIRST, "100*k_1", 0, "Compare the scores"),
        (FIRST, "0", 0, "Compare the scores"),
        (EACH, "K", 0, "direction is correct"),
        (ALL, "[1,0,0]", 0, "must be equal"),
        (TWO, NEARLY, 0.5, "not equal"),
        (TWO, "10*(k_0+k_1)", 0.5, "not equal"),
        (COURSE, "k_0", 0, "Compare the scores"),
    ],
)
def test_other_queries_earn_by_their_distance(judge, asked, answer, share, hint):
    judgement = judge("attention_weights", answer, **asked)
    assert judgement.fraction == share
    assert hint in judgement.hint
    assert "weights" in judgement.actual


@pytest.mark.parametrize("answer", ["k_0", "k_1", "[.47,.65,.60]", "(0.64, 0.50, -0.59)"])
def test_a_third_key_follows_the_students_query(judge, answer):
    assert judge("attention_weights", answer, others=own(f"20*{EVEN}"), **THIRD).fraction == 1
    assert judge("attention_weights", answer, others=own(NEARLY), **THIRD).fraction == 0.5
    assert judge("attention_weights", answer, others=own("[0,0,0]"), **THIRD).fraction == 0


@pytest.mark.parametrize("answer", ["[0,0,0]", "k_3", "-k_0", "100*k_0", "2*k_0"])
def test_a_key_with_another_score_earns_nothing(judge, answer):
    assert judge("attention_weights", answer, others=own(f"20*{EVEN}"), **THIRD).fraction == 0


@pytest.mark.parametrize(("length", "share"), [(5, 0.5), (10, 0.5), (20, 0.5), (30, 1), (50, 1)])
def test_a_unit_key_needs_a_long_query(judge, length, share):
    others = own(f"{length}*{EVEN}")
    assert judge("attention_weights", "q/norm(q)", others=others, **ONLY).fraction == share
    assert judge("attention_weights", str(EVEN), others=others, **ONLY).fraction == share


def test_the_best_unit_key_earns_the_method_with_a_weak_query(judge):
    judgement = judge("attention_weights", "[0.2664, 0.9629, -0.0428]", others=own(NEARLY), **ONLY)
    assert (judgement.fraction, "No key does better" in judgement.hint) == (0.5, True)
    assert "0.643" in judgement.actual


@pytest.mark.parametrize(
    ("answer", "share", "said"),
    [
        ("50*[.7071,.7071,.0119]", 0, "length 1"), ("[.71,.71,.01]", 0.5, "length 1"),
        ("[0,0,-1]", 0, "off by"), ("[0,0,0]", 0, "length 1"), ("[1,0,0]", 0, "off by"),
    ],
)  # fmt: skip
def test_other_unit_keys_earn_less(judge, answer, share, said):
    judgement = judge("attention_weights", answer, others=own(f"50*{EVEN}"), **ONLY)
    assert judgement.fraction == share
    assert said in judgement.message


def test_only_the_third_key_may_change(judge):
    whole = [*K[:2], EVEN, K[3]]
    others = own(f"50*{EVEN}")
    assert judge("attention_weights", str(whole), others=others, **ONLY).fraction == 1
    judgement = judge("attention_weights", str([[1, 0, 0], *whole[1:]]), others=others, **ONLY)
    assert (judgement.fraction, judgement.message) == (0, "Keys other than k_2 were changed.")


@pytest.mark.parametrize("others", [{}, own("no idea"), own("[1, 2]")])
def test_without_a_query_of_ones_own_a_right_one_is_taken_for_a_unit_key(judge, others):
    judgement = judge("attention_weights", str(EVEN), others=others, **ONLY)
    assert judgement.fraction == 1
    assert "1.3.2" in judgement.notes[0]
    with pytest.raises(Unreadable, match="No query could be read"):
        judge("attention_weights", "100*k_0", others=own("no idea"), **THIRD)


@pytest.mark.parametrize(
    "answer",
    [
        "[nan,0,0]",
        "[1e13,0,0]",
        "1e13*k_0",
        "c d k_0",
        "100*k_9",
        "beta*k_1",
        "",
        "np.array([0]*3)",
    ],
)
def test_what_cannot_be_read_goes_to_a_person(judge, answer):
    with pytest.raises(Unreadable):
        judge("attention_weights", answer, **FIRST)


@pytest.mark.parametrize("answer", ["[1, 2]", "K", "k_0^T k_0"])
def test_what_is_no_vector_of_three_is_wrong(judge, answer):
    with pytest.raises(Misfit):
        judge("attention_weights", answer, **FIRST)


def test_a_sum_over_keys_is_read_and_a_wrong_row_costs_its_own_share(judge):
    assert judge("attention_weights", r"10 \sum_{i=0}^{1} k_i", **TWO).fraction == 0.5
    assert judge("attention_weights", r"0 * \sum_{i=0}^{3} k_i", **ALL).fraction == 1
    judgement = judge("attention_weights", "[[47,65,60],[64,50,-59],[-3,-48,-88],[0,0,0]]", **EACH)
    assert judgement.fraction == 0.75
    assert judgement.message.startswith("Row 3")


@settings(max_examples=60)
@given(length=st.floats(12, 2000), decimals=st.integers(3, 6))
def test_any_long_query_on_the_even_line_earns_all(judge, length, decimals):
    exact = np.linalg.svd(np.array([K[0]]) - np.array([K[1]]))[2][1:]
    line = sum(row * (row @ (np.array(K[0]) + K[1])) for row in exact)
    query = np.round(length * line / np.linalg.norm(line), decimals)
    assert judge("attention_weights", str(query.tolist()), **TWO).fraction == 1


@settings(max_examples=60)
@given(query=st.lists(st.floats(-50, 50), min_size=3, max_size=3))
def test_only_queries_near_zero_look_at_all_alike(judge, query):
    fraction = judge("attention_weights", str(query), **ALL).fraction
    if max(map(abs, query)) > 0.2:
        assert fraction < 1
