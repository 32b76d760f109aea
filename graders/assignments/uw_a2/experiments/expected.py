"""Sinusoidal positions in numpy float64, as in Vaswani et al. 2017 (section 3.5), and variants."""

from collections.abc import Callable, Mapping

import numpy as np

from graders.checks.mistakes import Mistake

from ..mini_transformer.expected import Floats

PAIRED = "columns 2i and 2i+1 are sin and cos of one angle, t / 10000^(2i/n_embd)"
Table = Callable[[int, int], Floats]


def _angles(n_tok: int, exponents: Floats) -> Floats:
    return np.arange(n_tok)[:, None] / 10_000.0**exponents


def _by_parity(angles: Floats) -> Floats:
    """Return sin in the even columns and cos in the odd ones."""
    return np.where(np.arange(angles.shape[1]) % 2 == 0, np.sin(angles), np.cos(angles))


def _evens(n_embd: int) -> Floats:
    """Return 2i for each column of a pair: 0, 0, 2, 2, ..."""
    return np.arange(n_embd) // 2 * 2.0


def sinusoidal(n_tok: int, n_embd: int) -> Floats:
    """Return the table (n_tok, n_embd) of the paper."""
    return _by_parity(_angles(n_tok, _evens(n_embd) / n_embd))


def half_split(n_tok: int, n_embd: int) -> Floats:
    """Return the same columns in another order: all sin, then all cos."""
    table = sinusoidal(n_tok, n_embd)
    return np.concatenate((table[:, ::2], table[:, 1::2]), axis=1)


def mispaired(n_tok: int, n_embd: int) -> Floats:
    """Return a table in which each column has its own exponent, i/n_embd."""
    return _by_parity(_angles(n_tok, np.arange(n_embd) / n_embd))


MISTAKES: Mapping[Mistake, Table] = {
    Mistake(
        "mis-paired",
        "This is a non-standard variant: each cos column has its own exponent, i/n_embd, "
        "so norms differ between rows and dot products depend on more than the distance",
        PAIRED,
    ): mispaired,
    Mistake("exponent-twice", "The exponent is twice as large as it should be", PAIRED):
        lambda T, d: _by_parity(_angles(T, 2 * _evens(d) / d)),
    Mistake("exponent-twice-mis-paired", "The exponent is 2i/n_embd with i the column", PAIRED):
        lambda T, d: _by_parity(_angles(T, 2 * np.arange(d) / d)),
    Mistake("exponent-half", "The exponent is missing the factor 2", PAIRED):
        lambda T, d: _by_parity(_angles(T, _evens(d) / 2 / d)),
    Mistake("sin-cos-swapped", "sin and cos are swapped", PAIRED):
        lambda T, d: sinusoidal(T, d).reshape(T, -1, 2)[..., ::-1].reshape(T, d),
    Mistake("from-one", "Positions are counted from 1", PAIRED):
        lambda T, d: sinusoidal(T + 1, d)[1:],
}  # fmt: skip
