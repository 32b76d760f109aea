import torch


def pairwise_similarities(Q, K):
    # TODO
    pass


def attn_scaled(A, n_embd, n_heads):
    # TODO
    return A


def attn_softmax(A):
    # TODO
    return A


def compute_outputs(A, V):
    # TODO
    return V


def make_causal_mask(n_tok):
    # TODO
    return torch.zeros(n_tok, n_tok)


def apply_causal_mask(mask, A):
    # TODO
    return A


def split_heads(x, n_heads):
    # TODO
    return x


def merge_heads(y):
    # TODO
    return y


def self_attention(Q, K, V, n_heads=1, causal=True):
    # TODO
    return V
