"""Rotary position embeddings: positions become angles, relative positions their differences.

Su et al. 2021, "RoFormer", section 3.2.2 and equation (34); handout, equations (3) and (4).
"""

import torch

BASE = 10000.0


def precompute_rotary_emb(dim: int, max_positions: int) -> torch.Tensor:
    """Return the float32 table (max_positions, dim/2, 2) of cos tθ_i and sin tθ_i.

    θ_i = 10000^(-2(i-1)/dim) for i = 1 ... dim/2: the first pair turns by one radian per
    position, the last by almost nothing. (The starter's comment lacks this exponent's sign.)
    """
    if dim % 2:
        raise ValueError(f"dim is {dim}: features are rotated in pairs, so it must be even")
    # float64 until the last line: at t = 127, float32 changes the angle by 4e-6 rad.
    exponent = -torch.arange(0, dim, 2, dtype=torch.float64) / dim  # (dim/2,) = -2(i-1)/dim
    theta = BASE**exponent  # (dim/2,)
    t = torch.arange(max_positions, dtype=torch.float64)  # (max_positions,)
    angle = torch.outer(t, theta)  # (max_positions, dim/2)
    return torch.stack((angle.cos(), angle.sin()), dim=-1).float()  # (max_positions, dim/2, 2)


def apply_rotary_emb(x: torch.Tensor, rope_cache: torch.Tensor) -> torch.Tensor:
    """Rotate queries or keys x (B, n_head, T, head_dim) by their positions 0 ... T-1."""
    T = x.shape[-2]
    if len(rope_cache) < T:
        raise ValueError(f"{T} positions, but the table has {len(rope_cache)}")
    cos, sin = rope_cache[:T].unbind(-1)  # (T, head_dim/2) each, the same for all B and heads
    return rotate(x, cos, sin)


def rotate(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """Rotate each pair of adjacent features in x (..., head_dim) by the angle of cos and sin.

    Equation (3) rotates a pair (a, b) in the plane, which is equation (4)'s product
    (a + ib)(cos tθ + i sin tθ), separated into its real and imaginary parts.
    """
    a, b = x[..., 0::2], x[..., 1::2]  # (..., head_dim/2) each
    pairs = torch.stack((a * cos - b * sin, a * sin + b * cos), dim=-1)  # (..., head_dim/2, 2)
    return pairs.flatten(-2).to(x.dtype)  # (..., head_dim); half precision is restored
