# # Assignment 2, part 2
# Mini transformer

# !pip install -q torch transformers datasets
# %matplotlib inline
import random
import torch
from torch import nn
from torch.nn import functional as F
import matplotlib.pyplot as plt

DEVICE = torch.device("cuda")
torch.manual_seed(447)

# %%bash
# wget https://example.org/corpus.zip
# unzip corpus.zip

# ## 2.1 Attention

def pairwise_similarities(Q, K):
    # (.., T, c) x (.., c, T)
    return Q @ K.transpose(-1, -2)
# 
def attn_scaled(A, n_embd, n_heads):
    d_head = n_embd / n_heads
    return A / (d_head ** 0.5)
# 
def attn_softmax(A):
    return F.softmax(A, dim=-1)
# 
def compute_outputs(A, V):
    return A @ V

# draft: this was not right
def make_causal_mask(n_tok):
    return torch.ones(n_tok, n_tok).to(DEVICE)

def make_causal_mask(n_tok):
    future = torch.ones(n_tok, n_tok, device=DEVICE).triu(diagonal=1)
    return future.masked_fill(future == 1, float("-inf"))
# 
def apply_causal_mask(mask, A):
    return A + mask

def split_heads(x, n_heads):
    B, T, C = x.size()
    assert C % n_heads == 0
    return x.view(B, T, n_heads, C // n_heads).transpose(1, 2)
# 
def split_heads_qkv(Q, K, V, n_heads):
    return (split_heads(Q, n_heads), split_heads(K, n_heads), split_heads(V, n_heads))
# 
def merge_heads(y):
    B, nh, T, c = y.size()
    return y.transpose(1, 2).contiguous().view(B, T, nh * c)

def self_attention(Q, K, V, n_heads=1, causal=True):
    assert Q.shape == K.shape == V.shape
    B, T, C = Q.size()
    if n_heads > 1:
        Q, K, V = split_heads_qkv(Q, K, V, n_heads)
    A = attn_scaled(pairwise_similarities(Q, K), C, n_heads)
    if True:
        A = apply_causal_mask(make_causal_mask(T), A)
    y = compute_outputs(attn_softmax(A), V)
    return merge_heads(y) if n_heads > 1 else y

x = torch.randn(1, 10, 6, device=DEVICE)
print(self_attention(x, x, x).shape)
losses = []
for epoch in range(100):
    losses.append(train(epoch))
plt.plot(losses)

# ## 2.2 Experiments

# heads in random order
def merge_heads(y):
    B, nh, T, c = y.size()
    y = y[:, torch.randperm(nh)]
    return y.transpose(1, 2).contiguous().view(B, T, nh * c)
