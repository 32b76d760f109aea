"""The handout's equations in numpy agree with the reference."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from graders.assignments.cs224n_a4.rotary.expected import Projections, Rotation, Table
from graders.assignments.cs224n_a4.rotary.mistakes import UNROTATED, Module
from reference.models.attention import CausalSelfAttention
from reference.models.rotary import apply_rotary_emb, precompute_rotary_emb

SHAPES = st.tuples(
    st.integers(1, 3), st.integers(1, 4), st.integers(1, 9), st.integers(1, 6).map(lambda n: 2 * n)
)


def normal(shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


def test_table_is_the_reference_s():
    np.testing.assert_allclose(Table().values(32, 128), precompute_rotary_emb(32, 128), atol=1e-6)


@given(SHAPES)
def test_rotation_is_the_reference_s(shape):
    x = torch.from_numpy(normal(shape)).float()
    expected = apply_rotary_emb(x, precompute_rotary_emb(shape[-1], shape[-2] + 3))
    np.testing.assert_allclose(Rotation()(x.numpy()), expected, atol=1e-5)


@pytest.mark.parametrize(("rope", "module"), [(True, Module()), (False, UNROTATED)])
def test_module_is_the_reference_s(rope, module):
    torch.manual_seed(0)
    config = SimpleNamespace(
        n_embd=12, n_head=3, block_size=8, attn_pdrop=0.0, resid_pdrop=0.0, rope=rope
    )
    attention = CausalSelfAttention(config).double()
    x = torch.from_numpy(normal((2, 5, 12)))
    layers = Projections(
        {
            name: (layer.weight.detach().numpy(), layer.bias.detach().numpy())
            for name, layer in attention.named_children()
            if hasattr(layer, "weight")
        }
    )
    output = module.output(layers, x.numpy(), 3, Rotation())
    np.testing.assert_allclose(output, attention(x).detach(), atol=1e-6)
