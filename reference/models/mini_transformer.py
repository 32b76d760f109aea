"""Attention from scratch: scores, scale, mask, softmax, mixture, heads; one function each.

softmax(QKᵀ/√d)V (Vaswani et al. 2017, equation 1), for h heads side by side (section 3.2.2), and
the sinusoidal positions of section 3.5. B items, T tokens, C features, h heads of c = C/h each.
"""

import math

import torch
from torch.nn import functional as F


def pairwise_similarities(Q: torch.Tensor, K: torch.Tensor) -> torch.Tensor:
    """Return q_i · k_j for each pair of tokens: (..., T, c) twice to (..., T, T)."""
    return Q @ K.transpose(-2, -1)


def attn_scaled(A: torch.Tensor, n_embd: int, n_heads: int) -> torch.Tensor:
    """Divide the scores by the root of the size of one head, so that their variance is one."""
    return A / math.sqrt(n_embd / n_heads)


def attn_softmax(A: torch.Tensor) -> torch.Tensor:
    """Return each query's weights over the keys, which sum to one."""
    return F.softmax(A, dim=-1)


def compute_outputs(A: torch.Tensor, V: torch.Tensor) -> torch.Tensor:
    """Return the values mixed by the weights: (..., T, T) and (..., T, c) to (..., T, c)."""
    return A @ V


def make_causal_mask(n_tok: int) -> torch.Tensor:
    """Return True where token i may attend to token j, that is, j <= i: (T, T)."""
    return torch.ones(n_tok, n_tok, dtype=torch.bool).tril()


def apply_causal_mask(mask: torch.Tensor, A: torch.Tensor) -> torch.Tensor:
    """Set the scores of all later tokens to -inf, for which the softmax gives 0."""
    return A.masked_fill(~mask.to(A.device), -math.inf)


def split_heads(x: torch.Tensor, n_heads: int) -> torch.Tensor:
    """Split adjacent features among the heads: (B, T, C) to (B, h, T, c)."""
    B, T, C = x.shape
    return x.view(B, T, n_heads, C // n_heads).transpose(1, 2)  # (B, T, h, c) -> (B, h, T, c)


def merge_heads(y: torch.Tensor) -> torch.Tensor:
    """Concatenate the heads of each token: (B, h, T, c) to (B, T, C)."""
    return y.transpose(1, 2).flatten(2)  # (B, T, h, c) -> (B, T, C)


def self_attention(
    Q: torch.Tensor,
    K: torch.Tensor,
    V: torch.Tensor,
    n_heads: int = 1,
    causal: bool = True,
) -> torch.Tensor:
    """Attend to all tokens, or only to oneself and the past: (B, T, C) to (B, T, C)."""
    _, T, C = Q.shape
    q, k, v = (split_heads(x, n_heads) for x in (Q, K, V))  # (B, h, T, c) each
    scores = attn_scaled(pairwise_similarities(q, k), C, n_heads)  # (B, h, T, T)
    if causal:
        scores = apply_causal_mask(make_causal_mask(T), scores)
    return merge_heads(compute_outputs(attn_softmax(scores), v))


def sinusoidal_encoding(n_tok: int, n_embd: int) -> torch.Tensor:
    """Return sin and cos of t / 10000^(2i/C) in columns 2i and 2i+1: (T, C).

    Both columns of a pair have the same exponent, so each row has the norm √(C/2), and the product
    of two rows depends only on their distance.
    """
    exponents = torch.arange(0, n_embd, 2) / n_embd  # (C/2,)
    angles = torch.arange(n_tok)[:, None] / 10_000.0**exponents  # (T, C/2)
    return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(1)  # (T, C/2, 2) -> (T, C)
