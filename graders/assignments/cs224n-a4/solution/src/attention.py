"""The attention of the reference, under the names a submission has."""

from reference.attention import CausalSelfAttention
from reference.rotary import apply_rotary_emb, precompute_rotary_emb

__all__ = ["CausalSelfAttention", "apply_rotary_emb", "precompute_rotary_emb"]
