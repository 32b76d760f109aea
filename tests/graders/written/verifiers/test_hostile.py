"""Every text gives a judgement or a refusal, quickly and in little memory."""

import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.support.formula_corpus import NASTY, PIECES, RIGHT
from graders.written.question import Judgement, Misfit, Unreadable

K = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]
ASKED = [
    ("average_query", ("formula",), {"keys": "mu"}),
    ("average_query", ("formula",), {"scaled": True}),
    ("two_queries", ("q1", "q2"), {}),
    ("projection", ("formula",), {}),
    ("key_query_value", ("K", "Q", "V"), {}),
    ("complexity", ("formula",), {"names": ["M", "k"], "key": "M^2*k"}),
    ("identity", ("formula",), {"names": {"d": "size"}, "key": "2*d + 2"}),
    ("attention_weights", ("vector",), {"K": K, "target": [1, 0, 0, 0]}),
    (
        "attention_weights",
        ("key",),
        {"K": K, "target": [1, 0, 0, 0], "row": 2, "query": "1", "reference": [1, 2, 3]},
    ),
    ("choice", ("choice",), {"key": "A", "boxes": 6}),
    ("choices", ("choices",), {"key": ["A"], "boxes": 6}),
    ("true_false", ("truth",), {"key": True}),
    ("number", ("number",), {"key": 3}),
    ("vector", ("vector",), {"key": [1, 2, 3]}),
    ("matrix", ("matrix",), {"key": [[1, 2], [3, 4]]}),
    ("tensor_shape", ("shape",), {"key": ["B"], "sizes": {"B": {"values": [2], "names": ["B"]}}}),
]


def answered(judge, verify, parts, text, options):
    try:
        judgement = judge(verify, dict.fromkeys(parts, text), **options)
    except (Misfit, Unreadable) as refusal:
        return str(refusal)
    assert isinstance(judgement, Judgement)
    assert 0 <= judgement.fraction <= 1
    return judgement


@pytest.mark.parametrize(("verify", "parts", "asked"), ASKED)
def test_repeated_pieces_are_judged_or_refused(judge, verify, parts, asked):
    for text in (piece * times for piece in PIECES for times in (1, 40)):
        assert answered(judge, verify, parts, text, asked)


# `two_queries` and `projection` read a formula as `average_query` does, whatever its settings.
READERS = [case for case in ASKED[1:] if case[0] not in ("two_queries", "projection")]


@pytest.mark.parametrize(("verify", "parts", "asked"), READERS)
def test_endless_answers_are_judged_or_refused(judge, verify, parts, asked):
    for piece in PIECES:
        assert answered(judge, verify, parts, piece * 2500, asked)


@pytest.mark.parametrize(("verify", "parts", "asked"), ASKED)
def test_nasty_formulas_are_judged_or_refused(judge, verify, parts, asked):
    for text in NASTY:
        assert answered(judge, verify, parts, text, asked)


MIXED = st.lists(st.sampled_from(PIECES + NASTY + RIGHT), max_size=30).map("".join)


@settings(max_examples=250)
@given(case=st.sampled_from(ASKED), text=MIXED | st.text(max_size=200))
def test_mixtures_and_any_text_are_judged_or_refused(judge, case, text):
    verify, parts, asked = case
    assert answered(judge, verify, parts, text, asked)


@pytest.mark.parametrize("bounds", ["j=1", "j=0", "j=-50", "j=n"])
@pytest.mark.parametrize("end", ["100", "99", "49+1", "10^2"])
def test_a_long_sum_of_many_products_is_refused(judge, bounds, end):
    products = " + ".join(["k_a*k_b^T*k_a"] * 10)
    text = f"beta*(k_a + k_b) + \\sum_{{{bounds}}}^{{{end}}} ({products})"
    with pytest.raises(Unreadable, match="too long"):
        judge("average_query", text, keys="k")


def test_a_short_sum_of_many_products_is_judged(judge):
    products = " + ".join(["0*k_a*k_b^T*k_a"] * 10)
    text = f"beta*(k_a + k_b) + \\sum_{{j=1}}^{{3}} ({products})"
    assert judge("average_query", text, keys="k").fraction == 1


LONG = [piece * (10**5 // len(piece)) for piece in ("1, ", "(")]
FORMULAS = [case for case in READERS if case[0] in ("average_query", "complexity")]


@pytest.mark.parametrize(("cases", "texts"), [(READERS, LONG), (FORMULAS, NASTY)])
def test_a_long_or_nasty_answer_costs_little_memory(judge, cases, texts):
    tracemalloc.start()
    for verify, parts, asked in cases:
        for text in texts:
            answered(judge, verify, parts, text, asked)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5e6
