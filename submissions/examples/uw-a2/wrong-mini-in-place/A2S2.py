def pairwise_similarities(Q, K):
    return Q.matmul(K.transpose(-1, -2))


def attn_scaled(A, n_embd, n_heads):
    return A / math.sqrt(n_embd / n_heads)


def attn_softmax(A):
    return F.softmax(A, -1)


def compute_outputs(A, V):
    return A.matmul(V)


def make_causal_mask(n_tok):
    return torch.tril(torch.ones(n_tok, n_tok)).to(DEVICE)


def apply_causal_mask(A, mask):
    T = A.shape[-1]
    return A.masked_fill(mask[:T, :T] == 0, -torch.inf)


def split_heads(x, n_heads):
    return x.reshape(*x.shape[:2], n_heads, x.shape[2] // n_heads).transpose(1, 2)


def merge_heads(y):
    y = y.transpose(1, 2)
    return y.reshape(y.shape[0], y.shape[1], -1)


def self_attention(Q, K, V, n_heads=1, causal=True):
    Q /= math.sqrt(Q.shape[-1] / n_heads)
    q, k, v = split_heads_qkv(Q, K, V, n_heads)
    A = pairwise_similarities(q, k)
    if causal:
        A = apply_causal_mask(A, make_causal_mask(Q.shape[1]))
    return merge_heads(compute_outputs(attn_softmax(A), v))
