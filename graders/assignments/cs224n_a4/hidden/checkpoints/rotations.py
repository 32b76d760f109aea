"""Rotations that students train with by mistake, tried if weights disagree with their file.

A model is correct only with the rotation it was trained with. The most common ones need no other
code: they are the handout's rotation with changed weights or a changed table.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from graders.data.birthplaces import Data

from .decoding import Decoder
from .expected import Plan
from .weights import Array, Weights

ROWS = 100  # of a prediction file: enough to distinguish rotations
TURNED = ("query.weight", "query.bias", "key.weight", "key.bias")


def trained_rotation(
    weights: Weights, plan: Plan, data: Data, fits: Callable[[Decoder], bool]
) -> str:
    """Return the rotation with which a model matches its predictions, in words, or nothing."""
    for says, changed in _others(weights, plan):
        if fits(Decoder(changed, plan, data)):
            return says
    return ""


def _others(weights: Weights, plan: Plan) -> Iterator[tuple[str, Weights]]:
    table = _handout_table(plan)
    cos, sin = table[..., 0], table[..., 1]
    still = np.stack([np.ones_like(cos), np.zeros_like(sin)], axis=-1)
    yield "feature i is paired with i + d/2 instead of the next feature", _halves(weights, plan)
    yield "nothing is rotated", _with_table(weights, plan, still)
    yield (
        "features are rotated in the opposite direction, by -tθ",
        _with_table(weights, plan, np.stack([cos, -sin], axis=-1)),
    )


def _halves(weights: Weights, plan: Plan) -> Weights:
    """Return weights in which the two halves of each head are interleaved."""
    head = plan.size.n_embd // plan.size.n_head
    pairs = np.arange(head).reshape(2, head // 2).T.ravel()  # 0, d/2, 1, d/2 + 1, ...
    order = (np.arange(plan.size.n_head)[:, None] * head + pairs).ravel()
    return replace(
        weights,
        tensors={
            name: each[order] if name.endswith(TURNED) else each
            for name, each in weights.tensors.items()
        },
    )


def _with_table(weights: Weights, plan: Plan, table: Array) -> Weights:
    tables = {f"blocks.{i}.attn.rope_cache": table for i in range(plan.size.n_layer)}
    return replace(weights, tensors={**weights.tensors, **tables})


def _handout_table(plan: Plan) -> Array:
    from reference.models.rotary import precompute_rotary_emb  # imports torch

    size = plan.size
    table: Array = precompute_rotary_emb(size.n_embd // size.n_head, size.block_size).numpy()
    return table
