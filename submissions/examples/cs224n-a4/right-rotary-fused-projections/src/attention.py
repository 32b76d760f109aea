"""Causal self-attention with optional rotary position embeddings."""

import math

import torch
import torch.nn as nn
from torch.nn import functional as F


def precompute_rotary_emb(dim, max_positions):
    """cos and sin of t * theta_i, shape (max_positions, dim/2, 2)."""
    theta = 10000.0 ** (-torch.arange(0, dim, 2).float() / dim)
    angles = torch.outer(torch.arange(max_positions).float(), theta)
    return torch.stack((torch.cos(angles), torch.sin(angles)), dim=-1)


def apply_rotary_emb(x, rope_cache):
    """Rotate x of shape (B, n_head, T, head_dim) by the first T rows of the table."""
    T = x.size(2)
    pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    turns = torch.view_as_complex(rope_cache[:T].contiguous())
    return torch.view_as_real(pairs * turns).flatten(-2).type_as(x)


class CausalSelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.c_attn = nn.Linear(config.n_embd, 3 * config.n_embd)
        self.c_proj = nn.Linear(config.n_embd, config.n_embd)
        self.n_head = config.n_head
        self.dropout = config.attn_pdrop
        self.rope = config.rope
        if self.rope:
            table = precompute_rotary_emb(config.n_embd // config.n_head, config.block_size)
            self.register_buffer("rope_cache", table, persistent=False)

    def forward(self, x):
        B, T, C = x.size()
        heads = self.c_attn(x).view(B, T, 3, self.n_head, C // self.n_head)
        q, k, v = heads.permute(2, 0, 3, 1, 4)
        if self.rope:
            q, k = (apply_rotary_emb(part, self.rope_cache) for part in (q, k))
        dropout = self.dropout if self.training else 0.0
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=dropout, is_causal=True)
        return self.c_proj(y.transpose(1, 2).reshape(B, T, C))
