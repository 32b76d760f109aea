import math

import torch


def pairwise_similarities(Q, K):
    return Q @ K.transpose(-2, -1)


def attn_scaled(A, n_embd, n_heads):
    return A / math.sqrt(n_embd / n_heads)


def attn_softmax(A):
    return torch.softmax(A, dim=-1)


def compute_outputs(A, V):
    return A @ V
