"""A second A4 model, in numpy and float64, which shares nothing with the model that it checks.

It reads a checkpoint's arrays by the starter's names and computes the handout's formulas one
position and one prompt at a time.
"""

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import erf

Array = NDArray[np.float64]
State = Mapping[str, ArrayLike]
MASK_ID = 1
STEPS = 32


class PlainGPT:
    """The model of one checkpoint; `rope_cache` is taken as it stands in the checkpoint."""

    def __init__(self, state: State, n_head: int) -> None:
        self.arrays = {name: np.asarray(a, dtype=np.float64) for name, a in state.items()}
        self.n_head = n_head
        self.n_layer = sum(name.endswith(".attn.key.weight") for name in state)
        self.block_size = self.arrays["blocks.0.attn.mask"].shape[-1]

    def logits(self, ids: list[int]) -> Array:
        """The logits (T, vocab_size) after each character of one text."""
        x = self.arrays["tok_emb.weight"][ids]
        if "pos_emb" in self.arrays:
            x = x + self.arrays["pos_emb"][0, : len(ids)]
        for layer in range(self.n_layer):
            block = f"blocks.{layer}"
            x = x + self.attention(f"{block}.attn", self.norm(f"{block}.ln1", x))
            hidden = self.linear(f"{block}.mlp.0", self.norm(f"{block}.ln2", x))
            x = x + self.linear(f"{block}.mlp.2", gelu(hidden))
        return self.norm("ln_f", x) @ self.arrays["head.weight"].T

    def answer(self, ids: list[int]) -> list[int]:
        """The ids between the first and the second MASK after 32 greedy steps."""
        tokens = list(ids)
        for _ in range(STEPS):
            tokens.append(int(self.logits(tokens[-self.block_size :])[-1].argmax()))
        first = tokens.index(MASK_ID)
        end = tokens.index(MASK_ID, first + 1) if MASK_ID in tokens[first + 1 :] else len(tokens)
        return tokens[first + 1 : end]

    def attention(self, name: str, x: Array) -> Array:
        """Every head on its own slice of the features, side by side again behind it."""
        q, k, v = (self.linear(f"{name}.{part}", x) for part in ("query", "key", "value"))
        size = x.shape[1] // self.n_head
        slices = [slice(h * size, (h + 1) * size) for h in range(self.n_head)]
        heads = [self.head(name, q[:, s], k[:, s]) @ v[:, s] for s in slices]
        return self.linear(f"{name}.proj", np.concatenate(heads, axis=1))

    def head(self, name: str, q: Array, k: Array) -> Array:
        """One head's weights (T, T): row t is a softmax over positions 0 ... t."""
        if f"{name}.rope_cache" in self.arrays:
            turns = self.arrays[f"{name}.rope_cache"]
            q, k = rotated(q, turns), rotated(k, turns)
        weights = np.zeros((len(q), len(k)))
        for t, query in enumerate(q):
            scores = k[: t + 1] @ query / math.sqrt(len(query))
            powers = np.exp(scores - scores.max())
            weights[t, : t + 1] = powers / powers.sum()
        return weights

    def norm(self, name: str, x: Array) -> Array:
        centred = x - x.mean(axis=1, keepdims=True)
        deviation = np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5)
        return centred / deviation * self.arrays[f"{name}.weight"] + self.arrays[f"{name}.bias"]

    def linear(self, name: str, x: Array) -> Array:
        return x @ self.arrays[f"{name}.weight"].T + self.arrays[f"{name}.bias"]


def gelu(x: Array) -> Array:
    """x times the normal distribution up to x (Hendrycks and Gimpel 2016), exactly."""
    return x * (1 + erf(x / math.sqrt(2))) / 2


def rotated(x: Array, turns: Array) -> Array:
    """Each pair of neighbours as a complex number, times its position's turn."""
    cos, sin = turns[: len(x), :, 0], turns[: len(x), :, 1]
    turned = (x[:, 0::2] + 1j * x[:, 1::2]) * (cos + 1j * sin)
    out = np.empty_like(x)
    out[:, 0::2], out[:, 1::2] = turned.real, turned.imag
    return out
