import math

import torch


class Attention:
    """Part 2.1; the functions are static methods."""

    @staticmethod
    def pairwise_similarities(Q, K):
        return torch.matmul(Q, torch.swapaxes(K, -1, -2))

    @staticmethod
    def attn_scaled(A, n_embd, n_heads):
        return A / math.sqrt(n_embd // n_heads)

    @staticmethod
    def attn_softmax(A):
        return A.softmax(-1)

    @staticmethod
    def compute_outputs(A, V):
        return torch.matmul(A, V)

    @staticmethod
    def make_causal_mask(n_tok):
        return torch.tril(torch.ones((1, 1, n_tok, n_tok))).bool().to("cuda")

    @staticmethod
    def apply_causal_mask(mask, A):
        return A.masked_fill(~mask, -float("inf"))

    @staticmethod
    def split_heads(x, n_heads):
        B, T, C = x.shape
        return x.reshape(B, T, n_heads, C // n_heads).swapaxes(1, 2)

    @staticmethod
    def merge_heads(y):
        B, H, T, c = y.shape
        return y.swapaxes(1, 2).reshape(B, T, H * c)

    @classmethod
    def self_attention(cls, Q, K, V, n_heads=1, causal=True):
        C = Q.shape[-1]
        q, k, v = (cls.split_heads(t, n_heads) for t in (Q, K, V))
        A = cls.attn_scaled(cls.pairwise_similarities(q, k), C, n_heads)
        weights = cls.attn_softmax(A)
        if causal:
            weights = weights * cls.make_causal_mask(Q.shape[1])
        return cls.merge_heads(cls.compute_outputs(weights, v)), weights
