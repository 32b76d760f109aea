"""Splitting features among heads, and back."""


def split_heads(x, n_heads):
    batch, tokens, features = x.shape
    return x.reshape(batch, tokens, n_heads, features // n_heads).movedim(2, 1)


def merge_heads(y):
    return y.movedim(1, 2).reshape(y.shape[0], y.shape[2], -1)
