"""Everything between queries and outputs."""
import torch


def pairwise_similarities(Q, K):
    return Q @ K.mT


def attn_scaled(A, n_embd, n_heads):
    return A / torch.sqrt(torch.tensor(n_embd / n_heads, dtype=A.dtype))


def attn_softmax(A):
    return torch.nn.functional.softmax(A, dim=-1, dtype=torch.float32).to(A.dtype)


def compute_outputs(A, V):
    return A @ V


def make_causal_mask(n_tok):
    return torch.full((n_tok, n_tok), float("-inf")).triu(0)


def apply_causal_mask(mask, A):
    return A + mask
