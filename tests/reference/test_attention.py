"""Causal self-attention, compared with an independent implementation in numpy."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from reference.models.attention import CausalSelfAttention
from reference.models.gpt import Block, GPTConfig
from tests.reference.plain_gpt import PlainGPT


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


@pytest.mark.parametrize("rope", [False, True])
@given(T=st.integers(1, 16), n_head=st.sampled_from([1, 2, 4, 16]), seed=st.integers(0, 99))
def test_attention_is_that_of_plain_numpy(rope, T, n_head, seed):
    module = attention(rope, n_head)
    x = torch.randn(2, T, 32, generator=torch.Generator().manual_seed(seed))
    state = {f"blocks.0.attn.{name}": t.numpy() for name, t in module.state_dict().items()}
    for actual, text in zip(module(x).detach().numpy(), x.double().numpy(), strict=True):
        expected = PlainGPT(state, n_head).attention("blocks.0.attn", text)
        np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-5)


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
