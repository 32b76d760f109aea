import numpy as np
import pytest

from graders.checks.mistakes import Mistake, first_match, mistake_named, only_match, sentence

SIGN = Mistake("sign", "The sign is wrong", "f(x) = x")
TWICE = Mistake("twice", "It is doubled", "f(x) = x")
X = np.array([1.0, 2.0, 3.0])
CANDIDATES = {SIGN: -X, TWICE: 2 * X}


def test_hint_names_mistake_and_equation():
    assert SIGN.hint == "The sign is wrong (f(x) = x)."


def test_hint_carries_the_mistake_it_names():
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


def test_matching_mistake_is_found():
    assert first_match(2 * X + 1e-6, CANDIDATES, "rotation") is TWICE


def test_first_of_equal_candidates_is_taken():
    assert first_match(-X, {TWICE: -X, SIGN: -X}, "rotation") is TWICE


def test_unknown_answer_matches_nothing():
    assert first_match(X + 1, CANDIDATES, "rotation") is None


def test_other_shape_matches_nothing():
    assert first_match(-X[:2], CANDIDATES, "rotation") is None


def test_nan_matches_nothing():
    assert first_match(X * np.nan, {SIGN: X * np.nan}, "rotation") is None
