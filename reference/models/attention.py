"""Causal multi-head self-attention, with rotary positions if the configuration requests them."""

import math
from typing import Protocol

import torch
from torch import nn
from torch.nn import functional as F

from reference.models.rotary import apply_rotary_emb, precompute_rotary_emb


class AttentionConfig(Protocol):
    """The settings that attention reads; GPTConfig has all of them."""

    @property
    def n_embd(self) -> int: ...
    @property
    def n_head(self) -> int: ...
    @property
    def block_size(self) -> int: ...
    @property
    def attn_pdrop(self) -> float: ...
    @property
    def resid_pdrop(self) -> float: ...
    @property
    def rope(self) -> bool: ...


class CausalSelfAttention(nn.Module):
    """softmax(QKᵀ/√d)V over only the past (Vaswani et al. 2017, eq. 1 and section 3.2.2)."""

    mask: torch.Tensor
    rope_cache: torch.Tensor
    flash = False  # whether to use one fused kernel, see GPTConfig.flash

    def __init__(self, config: AttentionConfig) -> None:
        super().__init__()
        if config.n_embd % config.n_head:
            raise ValueError(f"{config.n_embd} features do not split into {config.n_head} heads")
        self.n_head = config.n_head
        self.rope = config.rope
        self.key = nn.Linear(config.n_embd, config.n_embd)
        self.query = nn.Linear(config.n_embd, config.n_embd)
        self.value = nn.Linear(config.n_embd, config.n_embd)
        self.proj = nn.Linear(config.n_embd, config.n_embd)
        self.attn_drop = nn.Dropout(config.attn_pdrop)
        self.resid_drop = nn.Dropout(config.resid_pdrop)
        # Both tables are buffers, not constants, because the course's checkpoints contain them.
        past = torch.ones(config.block_size, config.block_size).tril()
        self.register_buffer("mask", past[None, None])  # (1, 1, block_size, block_size)
        if config.rope:
            head_dim = config.n_embd // config.n_head
            # (block_size, head_dim/2, 2)
            self.register_buffer("rope_cache", precompute_rotary_emb(head_dim, config.block_size))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return what each position takes from itself and its past, (B, T, C) to (B, T, C)."""
        q, k, v = (self.heads(layer(x)) for layer in (self.query, self.key, self.value))
        if self.rope:  # only queries and keys: positions affect the weights, not the values
            q = apply_rotary_emb(q, self.rope_cache)
            k = apply_rotary_emb(k, self.rope_cache)
        if self.flash:  # the same in one kernel, which never stores (T, T)
            dropout = self.attn_drop.p if self.training else 0.0
            mixed = F.scaled_dot_product_attention(q, k, v, dropout_p=dropout, is_causal=True)
        else:
            mixed = self.weights(q, k) @ v  # (B, n_head, T, head_dim)
        mixed = mixed.transpose(1, 2).flatten(2)  # (B, T, n_head, head_dim) -> (B, T, C)
        out: torch.Tensor = self.resid_drop(self.proj(mixed))  # (B, T, C)
        return out

    def weights(self, q: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
        """Return each position's weights over all positions: (B, n_head, T, T), rows sum to one."""
        T = q.shape[-2]
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        # Every row keeps its diagonal, so -inf (the course uses -1e10) never empties a row.
        scores = scores.masked_fill(self.mask[:, :, :T, :T] == 0, -math.inf)
        dropped: torch.Tensor = self.attn_drop(F.softmax(scores, dim=-1))
        return dropped

    def heads(self, x: torch.Tensor) -> torch.Tensor:
        """Split the features among the heads: (B, T, C) to (B, n_head, T, head_dim)."""
        B, T, C = x.shape
        return x.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
