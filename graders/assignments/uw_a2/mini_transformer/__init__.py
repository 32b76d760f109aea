"""Attention from scratch: helper functions, then `self_attention` with and without a mask."""
