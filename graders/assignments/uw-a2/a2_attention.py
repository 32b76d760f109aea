"""Scaled dot-product attention in numpy float64, with a knob for each way to get it wrong.

The right answer is `Attention()`: every default is the handout's, softmax(QKᵀ/√(n_embd/n_heads))V
head by head. A known mistake is the same with one knob changed (a2_mini_mistakes.py), so that a
wrong answer can be compared with what exactly that mistake gives.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
Scale = Callable[[int, int], float]  # (n_embd, n_heads) -> what scores are divided by
Split = Callable[[Floats, int], Floats]  # (B, T, C), n_heads -> (B, n_heads, T, C/n_heads)
Merge = Callable[[Floats], Floats]  # (B, n_heads, T, C/n_heads) -> (B, T, C)
Scores = Callable[[Floats], Floats]  # (..., T, T) -> (..., T, T)


def similarities(q: Floats, k: Floats) -> Floats:
    """q · k for each pair of tokens: (..., T, c) twice to (..., T, T)."""
    return q @ k.swapaxes(-1, -2)


def by_head_size(n_embd: int, n_heads: int) -> float:
    """The root of the size of one head."""
    return float(np.sqrt(n_embd / n_heads))


def softmax(scores: Floats, axis: int = -1) -> Floats:
    """Positive weights that sum to one along an axis."""
    weights = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return weights / weights.sum(axis=axis, keepdims=True)


def unchanged(scores: Floats) -> Floats:
    """The scores, or weights, as they are."""
    return scores


def past(scores: Floats, offset: int = 0) -> Floats:
    """Scores with -inf at all that comes later than a token itself."""
    return np.where(np.tri(scores.shape[-1], k=offset, dtype=bool), scores, -np.inf)


def split(x: Floats, n_heads: int) -> Floats:
    """Neighbouring features to one head: (B, T, C) to (B, n_heads, T, C/n_heads)."""
    return x.reshape(*x.shape[:2], n_heads, -1).swapaxes(1, 2)


def merge(y: Floats) -> Floats:
    """What the heads gave side by side: (B, n_heads, T, C/n_heads) to (B, T, C)."""
    return y.swapaxes(1, 2).reshape(y.shape[0], y.shape[2], -1)


@dataclass(frozen=True, slots=True)
class Question:
    """What self_attention is asked; with `defaults` it is given Q, K and V alone."""

    q: Floats
    k: Floats
    v: Floats
    n_heads: int = 1
    causal: bool = True
    defaults: bool = False

    def __str__(self) -> str:
        if self.defaults:
            return f"Q, K, V {self.q.shape}, no further arguments"
        return f"Q, K, V {self.q.shape}, n_heads={self.n_heads}, causal={self.causal}"


@dataclass(frozen=True, slots=True)
class Attention:
    """How self_attention answers a question."""

    roles: str = "QKV"  # what serves as query, key and value
    split: Split = split
    scale: Scale = by_head_size
    mask: Scores = past
    weigh: Scores = softmax
    masked_weights: Scores = unchanged  # what a mask does after the softmax
    merge: Merge = merge
    always_causal: bool = False

    def __call__(self, question: Question) -> Floats:
        """The output (B, T, C), of float64."""
        given = {"Q": question.q, "K": question.k, "V": question.v}
        heads = (given[role].astype(np.float64) for role in self.roles)
        q, k, v = (self.split(each, question.n_heads) for each in heads)
        return self.merge(self.weights(question, q, k) @ v)

    def weights(self, question: Question, q: Floats, k: Floats) -> Floats:
        """How much each token takes from each: (B, n_heads, T, T)."""
        causal = question.causal or self.always_causal
        scores = similarities(q, k) / self.scale(question.q.shape[-1], question.n_heads)
        # A row without a single score is nan, as it is for a student; numpy need not warn of it.
        with np.errstate(invalid="ignore"):
            weights = self.weigh(self.mask(scores) if causal else scores)
        return self.masked_weights(weights) if causal else weights
