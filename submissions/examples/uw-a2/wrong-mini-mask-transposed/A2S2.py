"""Part 2.1 with einsum and lambdas."""
import numpy as np
import torch

DEVICE = "cuda:0"

pairwise_similarities = lambda q, k: torch.einsum("...id,...jd->...ij", q, k)
attn_scaled = lambda scores, d_model, heads: scores * (heads / d_model) ** 0.5
attn_softmax = lambda scores: torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))
compute_outputs = lambda w, v: torch.einsum("...ij,...jd->...id", w, v)
make_causal_mask = lambda T: torch.from_numpy(np.tril(np.ones((T, T), dtype=bool), -1)).to(DEVICE)
apply_causal_mask = lambda future, scores: torch.where(future, torch.tensor(-1e9, device=DEVICE), scores)
split_heads = lambda x, heads: torch.stack(torch.chunk(x, heads, dim=2), dim=1)
merge_heads = lambda y: torch.cat([y[:, h] for h in range(y.size(1))], dim=-1)


def self_attention(q, k, v, n_heads: int = 1, causal: bool = True) -> torch.Tensor:
    q, k, v = [split_heads(t, n_heads) for t in (q, k, v)]
    s = attn_scaled(pairwise_similarities(q, k), q.size(-1) * n_heads, n_heads)
    s = apply_causal_mask(make_causal_mask(s.size(-1)), s) if causal else s
    return merge_heads(compute_outputs(attn_softmax(s), v))
