import torch
import torch.nn.functional as F
from torch import Tensor


def pairwise_similarities(Q: Tensor, K: Tensor) -> Tensor:
    return (Q.unsqueeze(-2) * K.unsqueeze(-3)).sum(-1)


def attn_scaled(A: Tensor, n_embd: int, n_heads: int) -> Tensor:
    return A.div(torch.tensor(n_embd / n_heads).sqrt())


def attn_softmax(A: Tensor) -> Tensor:
    exps = A.exp()
    return exps / exps.sum(dim=-1, keepdim=True)


def compute_outputs(A: Tensor, V: Tensor) -> Tensor:
    return torch.matmul(A, V)


def make_causal_mask(n_tok: int) -> Tensor:
    position = torch.arange(n_tok, device=DEVICE)
    return position[:, None] >= position[None, :]


def apply_causal_mask(mask: Tensor, A: Tensor) -> Tensor:
    out = A.clone()
    out[..., ~mask] = float("-inf")
    return out


def split_heads(x: Tensor, n_heads: int) -> Tensor:
    return x.unflatten(-1, (n_heads, -1)).permute(0, 2, 1, 3)


def merge_heads(y: Tensor) -> Tensor:
    return y.permute(0, 2, 1, 3).flatten(start_dim=2)


def self_attention(Q, K, V, n_heads=1, causal=True):
    q, k, v = (split_heads(x, n_heads) for x in (Q, K, V))
    A = attn_scaled(pairwise_similarities(q, k), Q.size(-1), n_heads)
    A = apply_causal_mask(make_causal_mask(Q.size(1)), A) if causal else A
    return merge_heads(compute_outputs(attn_softmax(A), v))
