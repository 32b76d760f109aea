"""Statistics of lengths, on invented draws; rates over many trials are in the docs."""

import numpy as np
import pytest

from graders.assignments.cs224n_a4.span_corruption.lengths import (
    Lengths,
    content_is_a_quarter,
    content_of_short_cuts,
    content_varies,
    missing_lengths,
    thin_ends,
)

DRAWS, LONGEST = 2400, 112
QUARTER = {
    "uniform to a half": lambda rng, cut: rng.integers(1, cut // 2 + 1),
    "uniform from nothing": lambda rng, cut: rng.integers(0, cut // 2 + 1),
    "share, rounded down": lambda rng, cut: (rng.random(len(cut)) * cut / 2).astype(int),
    "narrow": lambda rng, cut: np.maximum(1, cut // 4 + rng.integers(-2, 3, len(cut))),
    "binomial": lambda rng, cut: rng.binomial(cut, 0.25),
    "normal": lambda rng, cut: np.maximum(1, rng.normal(cut / 4, cut / 10).astype(int)),
    "exponential": lambda rng, cut: np.minimum(cut, rng.exponential(cut / 4).astype(int)),
    "triangular": lambda rng, cut: (rng.triangular(0, 0.25, 0.5, len(cut)) * cut).astype(int),
}
OTHER = {
    "an eighth": lambda rng, cut: rng.integers(0, cut // 4 + 1),
    "a fifth": lambda rng, cut: rng.integers(0, (0.4 * cut).astype(int) + 1),
    "a fifth, narrow": lambda rng, cut: np.maximum(0, cut // 5 + rng.integers(-1, 2, len(cut))),
    "a third": lambda rng, cut: rng.binomial(cut, 1 / 3),
    "a half": lambda rng, cut: rng.integers(0, cut + 1),
}


def lengths_of(way, *, stopped=False, draws=DRAWS, seed=1):
    """The lengths that such code gives; `stopped`: the start is drawn first."""
    rng = np.random.default_rng(seed)
    cut = rng.integers(4, LONGEST + 1, draws)
    content = np.minimum(cut, way(rng, cut))
    if stopped:
        prefix = rng.integers(0, cut)
        content = np.minimum(content, cut - prefix)
    else:
        prefix = rng.integers(0, cut - content + 1)
    return Lengths(np.zeros_like(cut), cut, prefix, content)


@pytest.mark.parametrize("way", QUARTER.values(), ids=QUARTER)
@pytest.mark.parametrize("seed", range(5))
def test_quarter_is_right(way, seed):
    lengths = lengths_of(way, seed=seed, draws=3 * DRAWS)
    assert content_is_a_quarter(lengths, final=False) == "right"
    assert content_of_short_cuts(lengths) is None
    assert content_varies(lengths)


@pytest.mark.parametrize("way", OTHER.values(), ids=OTHER)
def test_other_mean_is_wrong(way):
    assert content_is_a_quarter(lengths_of(way, draws=40_000), final=True) == "wrong"


@pytest.mark.parametrize("name", ["uniform to a half", "share, rounded down", "narrow"])
def test_content_stopped_by_the_end_is_right(name):
    lengths = lengths_of(QUARTER[name], stopped=True, draws=20_000)
    assert content_is_a_quarter(lengths, final=True) == "right"


def test_fifth_stopped_by_the_end_is_wrong():
    lengths = lengths_of(OTHER["a fifth"], stopped=True, draws=20_000)
    assert content_is_a_quarter(lengths, final=True) == "wrong"


def test_near_boundary_asks_for_more():
    lengths = lengths_of(lambda rng, cut: rng.binomial(cut, 0.2065), draws=300)
    assert content_is_a_quarter(lengths, final=False) == "unclear"
    assert content_is_a_quarter(lengths, final=True) in ("right", "wrong")


@pytest.mark.parametrize("most", [32, 36, 40])
def test_content_must_follow_the_cut(most):
    lengths = lengths_of(lambda rng, cut: rng.integers(1, most + 1, len(cut)))
    assert content_is_a_quarter(lengths, final=True) == "right"
    assert content_of_short_cuts(lengths) > 0.36


def test_fixed_content_does_not_vary():
    fixed = lengths_of(lambda rng, cut: cut // 4)
    assert not content_varies(fixed)
    index = np.arange(len(fixed.cut)) % 3
    by_document = Lengths(index, fixed.cut, fixed.prefix, fixed.content + index)
    assert not content_varies(by_document)


@pytest.mark.parametrize(
    ("fixed", "varies"), [(0.95, False), (0.9, False), (0.75, True), (0.5, True)]
)
@pytest.mark.parametrize("seed", range(5))
def test_content_that_nearly_always_repeats_does_not_vary(fixed, varies, seed):
    """Wrong with 1e-8 for each share."""

    def way(rng, cut):
        exact = rng.random(len(cut)) < fixed
        return np.where(exact, cut // 4, rng.integers(1, cut // 2 + 1))

    assert content_varies(lengths_of(way, seed=seed)) is varies


@pytest.mark.parametrize("seed", range(5))
def test_one_of_two_lengths_varies(seed):
    """Wrong with less than 1e-30."""
    lengths = lengths_of(lambda rng, cut: cut // 4 + rng.integers(0, 2, len(cut)), seed=seed)
    assert content_varies(lengths)


@pytest.mark.parametrize(
    ("cuts", "decision"),
    [
        (lambda rng: rng.integers(4, LONGEST + 1, DRAWS), "right"),
        (lambda rng: rng.integers(4, LONGEST, 3 * DRAWS), "wrong"),
        (lambda rng: rng.integers(5, LONGEST + 1, 3 * DRAWS), "wrong"),
        (lambda rng: rng.integers(1, 29, DRAWS) * 4, "wrong"),
        (lambda rng: rng.integers(4, 100, DRAWS), "wrong"),
        (lambda rng: rng.integers(4, LONGEST, 300), "unclear"),
        (lambda rng: rng.normal(58, 18, 3 * DRAWS).astype(int).clip(4, LONGEST), "unclear"),
        (lambda rng: 4 + (rng.beta(1, 4, DRAWS) * 109).astype(int), "unclear"),
    ],
)
def test_missing_cut_is_told_from_chance(cuts, decision):
    assert missing_lengths(cuts(np.random.default_rng(2)), LONGEST)[0] == decision


def test_empty_end_is_found():
    assert thin_ends(np.array([4, 50, 90]), LONGEST)
    assert thin_ends(np.array([20, 112]), LONGEST)
    assert not thin_ends(np.array([9, 104]), LONGEST)
