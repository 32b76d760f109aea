import torch

from src.heads import merge_heads, split_heads
from src.scores import *

DEVICE = "cpu"


def self_attention(Q, K, V, n_heads=1, causal=False):
    def attend(q, k, v):                              # one item, one head
        scores = attn_scaled(pairwise_similarities(q, k), Q.shape[-1], n_heads)
        if causal:
            scores = apply_causal_mask(make_causal_mask(q.shape[0]), scores)
        return compute_outputs(attn_softmax(scores), v)

    over_heads = torch.vmap(torch.vmap(attend))
    return merge_heads(over_heads(*(split_heads(x, n_heads) for x in (Q, K, V))))


if __name__ == "__main__":
    x = torch.randn(2, 10, 6)
    print(self_attention(x, x, x, 3).shape)
