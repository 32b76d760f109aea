# Assignment 2, section 2
# head by head and item by item
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
DEVICE = device


def pairwise_similarities(Q, K):
    B, T, d = Q.shape
    A = torch.zeros(B, T, T, device=DEVICE)
    for b in range(B):
        for i in range(T):
            for j in range(T):
                A[b, i, j] = torch.dot(Q[b, i], K[b, j])
    return A


def attn_scaled(A, n_embd, n_heads):
    size_of_head = int(n_embd / n_heads)
    return A * size_of_head ** -0.5


def attn_softmax(A):
    return torch.nn.Softmax(dim=2)(A)


def compute_outputs(A, V):
    return torch.bmm(A, V)


def make_causal_mask(n_tok):
    mask = torch.zeros(n_tok, n_tok, device=DEVICE)
    for i in range(n_tok):
        for j in range(n_tok):
            if j > i + 1:
                mask[i, j] = float("-inf")
    return mask


def apply_causal_mask(mask, A):
    return A + mask


def split_heads(x, n_heads):
    B, T, C = x.shape
    c = C // n_heads
    heads = torch.empty(B, n_heads, T, c, device=DEVICE)
    for h in range(n_heads):
        heads[:, h, :, :] = x[:, :, h * c:(h + 1) * c]
    return heads


def merge_heads(y):
    return torch.cat(tuple(y.unbind(1)), dim=2)


def self_attention(Q, K, V, n_heads=1, causal=True):
    B, T, C = Q.shape

    def one_head(q, k, v):
        A = attn_scaled(pairwise_similarities(q, k), C, n_heads)
        if causal:
            A = apply_causal_mask(make_causal_mask(T), A)
        return compute_outputs(attn_softmax(A), v)

    q, k, v = split_heads(Q, n_heads), split_heads(K, n_heads), split_heads(V, n_heads)
    outs = []
    for h in range(n_heads):
        outs.append(one_head(q[:, h], k[:, h], v[:, h]))
    return merge_heads(torch.stack(outs, dim=1))
