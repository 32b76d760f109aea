import numpy as np

from graders.checks.mistakes import Mistake, first_match

SIGN = Mistake("sign", "The sign is wrong", "f(x) = x")
TWICE = Mistake("twice", "It is doubled", "f(x) = x")
X = np.array([1.0, 2.0, 3.0])
CANDIDATES = {SIGN: -X, TWICE: 2 * X}


def test_hint_names_mistake_and_equation():
    assert SIGN.hint == "The sign is wrong (f(x) = x)."


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
