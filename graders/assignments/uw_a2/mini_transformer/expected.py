"""Scaled dot-product attention in numpy float64, with a parameter for each way to get it wrong.

The correct answer is `Attention()`: every default is the handout's, softmax(QKᵀ/√(n_embd/n_heads))V
head by head. A known mistake is the same with one parameter changed (mistakes.py), so that
a wrong answer can be compared with exactly what that mistake gives.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
Scale = Callable[[int, int], float]  # (n_embd, n_heads) -> divisor of the scores
Split = Callable[[Floats, int], Floats]  # (B, T, C), n_heads -> (B, n_heads, T, C/n_heads)
Merge = Callable[[Floats], Floats]  # (B, n_heads, T, C/n_heads) -> (B, T, C)
Scores = Callable[[Floats], Floats]  # (..., T, T) -> (..., T, T)


def similarities(q: Floats, k: Floats) -> Floats:
    """Return q · k for each pair of tokens: (..., T, c) twice to (..., T, T)."""
    return q @ k.swapaxes(-1, -2)


def by_head_size(n_embd: int, n_heads: int) -> float:
    """Return the square root of the head size."""
    return float(np.sqrt(n_embd / n_heads))


def softmax(scores: Floats, axis: int = -1) -> Floats:
    """Return positive weights that sum to one along an axis."""
    weights = np.exp(scores - scores.max(axis=axis, keepdims=True))
    shares: Floats = weights / weights.sum(axis=axis, keepdims=True)
    return shares


def unchanged(scores: Floats) -> Floats:
    """Return the scores or weights unchanged."""
    return scores


def past(scores: Floats, offset: int = 0) -> Floats:
    """Return the scores, with -inf for all tokens after the token itself."""
    return np.where(np.tri(scores.shape[-1], k=offset, dtype=bool), scores, -np.inf)


def split(x: Floats, n_heads: int) -> Floats:
    """Split adjacent features to one head: (B, T, C) to (B, n_heads, T, C/n_heads)."""
    return x.reshape(*x.shape[:2], n_heads, -1).swapaxes(1, 2)


def merge(y: Floats) -> Floats:
    """Concatenate the heads: (B, n_heads, T, C/n_heads) to (B, T, C)."""
    return y.swapaxes(1, 2).reshape(y.shape[0], y.shape[2], -1)


@dataclass(frozen=True, slots=True)
class Question:
    """The arguments of self_attention; with `defaults`, only Q, K and V are passed."""

    q: Floats
    k: Floats
    v: Floats
    n_heads: int = 1
    causal: bool = True
    defaults: bool = False

    def __str__(self) -> str:
        if self.defaults:
            return f"Q, K, V {self.q.shape}, no other arguments"
        return f"Q, K, V {self.q.shape}, n_heads={self.n_heads}, causal={self.causal}"


@dataclass(frozen=True, slots=True)
class Attention:
    """The steps with which self_attention computes its output."""

    roles: str = "QKV"  # the inputs used as query, key and value
    split: Split = split
    scale: Scale = by_head_size
    mask: Scores = past
    weigh: Scores = softmax
    masked_weights: Scores = unchanged  # a mask applied after the softmax
    merge: Merge = merge
    always_causal: bool = False

    def __call__(self, question: Question) -> Floats:
        """Return the output (B, T, C) as float64."""
        tensors = {"Q": question.q, "K": question.k, "V": question.v}
        heads = (tensors[role].astype(np.float64) for role in self.roles)
        q, k, v = (self.split(head, question.n_heads) for head in heads)
        return self.merge(self.weights(question, q, k) @ v)

    def weights(self, question: Question, q: Floats, k: Floats) -> Floats:
        """Return the attention weights, (B, n_heads, T, T)."""
        causal = question.causal or self.always_causal
        scores = similarities(q, k) / self.scale(question.q.shape[-1], question.n_heads)
        # A row without any score is nan, as in the student's code; numpy need not warn about it.
        with np.errstate(invalid="ignore"):
            weights = self.weigh(self.mask(scores) if causal else scores)
        return self.masked_weights(weights) if causal else weights
