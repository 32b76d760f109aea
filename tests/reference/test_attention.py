"""Causal self-attention, compared with torch's own attention and complex products."""

from types import SimpleNamespace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F

from reference.models.attention import CausalSelfAttention
from reference.models.gpt import Block, GPTConfig


def attention(rope, n_head=4, n_embd=32, dropout=0.0):
    torch.manual_seed(0)
    config = SimpleNamespace(
        n_embd=n_embd,
        n_head=n_head,
        block_size=16,
        attn_pdrop=dropout,
        resid_pdrop=dropout,
        rope=rope,
    )
    return CausalSelfAttention(config)


def rotated(x):
    """Equation (4) in complex128, for x (B, n_head, T, head_dim)."""
    T, dim = x.shape[-2:]
    theta = 10000.0 ** (-torch.arange(0, dim, 2, dtype=torch.float64) / dim)
    turn = torch.exp(1j * torch.arange(T)[:, None] * theta)
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], dim // 2, 2))
    return torch.view_as_real(pairs * turn).flatten(-2)


def oracle(module, x, *, rope):
    """The same from torch's own attention in float64."""
    weights = {name: tensor.double() for name, tensor in module.state_dict().items()}

    def heads(layer):
        flat = F.linear(x.double(), weights[f"{layer}.weight"], weights[f"{layer}.bias"])
        return torch.stack(flat.chunk(module.n_head, dim=-1), dim=1)

    q, k, v = heads("query"), heads("key"), heads("value")
    if rope:
        q, k = rotated(q), rotated(k)
    mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    joined = torch.cat(mixed.unbind(dim=1), dim=-1)
    return F.linear(joined, weights["proj.weight"], weights["proj.bias"])


@pytest.mark.parametrize("rope", [False, True])
@given(T=st.integers(1, 16), n_head=st.sampled_from([1, 2, 4, 16]), seed=st.integers(0, 99))
def test_attention_is_torchs_own(rope, T, n_head, seed):
    module = attention(rope, n_head)
    x = torch.randn(2, T, 32, generator=torch.Generator().manual_seed(seed))
    expected = oracle(module, x, rope=rope).float()
    torch.testing.assert_close(module(x), expected, rtol=0, atol=1e-5)


def test_dropout_works_in_training_only_and_uneven_heads_are_refused():
    module, x = attention(rope=True, dropout=0.5), torch.randn(1, 8, 32)
    assert not torch.equal(module.train()(x), module(x))
    assert torch.equal(module.eval()(x), module(x))
    with pytest.raises(ValueError, match="32 features do not split into 5 heads"):
        attention(rope=False, n_head=5)


@pytest.mark.parametrize("rope", [False, True])
def test_fused_kernel_attends_alike(rope):
    torch.manual_seed(0)
    sizes = {"vocab_size": 9, "block_size": 12, "n_layer": 1, "n_head": 2, "n_embd": 8}
    plain, fused = (Block(GPTConfig(**sizes, rope=rope, flash=flash)) for flash in (False, True))
    fused.load_state_dict(plain.state_dict())
    x = torch.randn(2, 7, 8)
    torch.testing.assert_close(fused.eval()(x), plain.eval()(x), rtol=1e-5, atol=1e-6)
