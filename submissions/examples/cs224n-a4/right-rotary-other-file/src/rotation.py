"""Rotary position embeddings."""

import torch


class Rotation:
    @staticmethod
    def table(dim, max_positions):
        """cos and sin of t * theta_i, shape (max_positions, dim/2, 2)."""
        theta = 10000.0 ** (-torch.arange(0, dim, 2).float() / dim)
        angles = torch.outer(torch.arange(max_positions).float(), theta)
        return torch.stack((torch.cos(angles), torch.sin(angles)), dim=-1)

    @staticmethod
    def turn(x, rope_cache):
        """Rotate x of shape (B, n_head, T, head_dim) by the first T rows of the table."""
        T = x.size(2)
        pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
        turns = torch.view_as_complex(rope_cache[:T].contiguous())
        return torch.view_as_real(pairs * turns).flatten(-2).type_as(x)
