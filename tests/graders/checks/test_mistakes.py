import numpy as np
import pytest

from graders.checks.mistakes import Mistake, first_match, mistake_named, only_match, sentence

SIGN = Mistake("sign", "The sign is wrong", "f(x) = x")
TWICE = Mistake("twice", "It is doubled", "f(x) = x")
X = np.array([1.0, 2.0, 3.0])
CANDIDATES = {SIGN: -X, TWICE: 2 * X}


def test_hint_names_mistake_and_equation_and_carries_the_mistake():
    assert SIGN.hint == "The sign is wrong (f(x) = x)."
    assert mistake_named(SIGN.hint) == "sign"
    assert mistake_named(f"{SIGN.hint} And more.") == ""
    assert mistake_named("The sign is wrong.") == ""


def test_only_match_names_one_mistake_or_none():
    assert only_match(-X, CANDIDATES, "rotation") is SIGN
    assert only_match(-X, {**CANDIDATES, TWICE: -X}, "rotation") is None
    assert only_match(X + 1, CANDIDATES, "rotation") is None


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("the sign is wrong", "The sign is wrong."),
        ("a sign", "A sign."),
        ("x and y are swapped.", "x and y are swapped."),
        ("y[i] = x[i + 1]", "y[i] = x[i + 1]."),
        ("`idx` is not used", "`idx` is not used."),
        ("handout: t = 0, 1, …", "Handout: t = 0, 1, …"),
        ("", "."),
    ],
)
def test_sentence_has_a_capital_and_one_full_stop(text, whole):
    assert sentence(text) == whole


@pytest.mark.parametrize(
    ("answer", "candidates", "found"),
    [
        (2 * X + 1e-6, CANDIDATES, TWICE),
        (-X, {TWICE: -X, SIGN: -X}, TWICE),  # the first of equal ones
        (X + 1, CANDIDATES, None),
        (-X[:2], CANDIDATES, None),
        (X * np.nan, {SIGN: X * np.nan}, None),
    ],
)
def test_first_match_is_the_mistake_whose_answer_it_is(answer, candidates, found):
    assert first_match(answer, candidates, "rotation") is found
