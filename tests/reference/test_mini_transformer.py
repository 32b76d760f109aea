"""The mini transformer, compared with torch's own attention, and the properties of its parts."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F

from reference.models.mini_transformer import (
    apply_causal_mask,
    attn_scaled,
    attn_softmax,
    make_causal_mask,
    merge_heads,
    pairwise_similarities,
    self_attention,
    sinusoidal_encoding,
    split_heads,
)


def drawn(*shape, seed=0):
    source = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=source, dtype=torch.float64)


@pytest.mark.parametrize("causal", [False, True])
@given(T=st.integers(1, 9), n_heads=st.sampled_from([1, 2, 3, 6]), seed=st.integers(0, 99))
def test_attention_is_torchs_own(causal, T, n_heads, seed):
    Q, K, V = (drawn(2, T, 12, seed=3 * seed + i) for i in range(3))
    heads = (torch.stack(x.chunk(n_heads, dim=-1), dim=1) for x in (Q, K, V))
    mixed = F.scaled_dot_product_attention(*heads, is_causal=causal)
    expected = torch.cat(mixed.unbind(dim=1), dim=-1)
    torch.testing.assert_close(self_attention(Q, K, V, n_heads, causal), expected)


def test_one_causal_head_is_the_default_and_inputs_are_left_alone():
    Q, K, V = drawn(3, 2, 5, 4)
    torch.testing.assert_close(self_attention(Q, K, V), self_attention(Q, K, V, 1, True))
    x = drawn(2, 5, 6)
    before = x.clone()
    self_attention(x, x, x, 3)
    assert torch.equal(x, before)


def test_heads_have_neighbouring_features_and_scores_pair_queries_with_keys():
    Q, K = drawn(2, 4, 5), drawn(2, 4, 5, seed=1)
    assert pairwise_similarities(Q, K)[1, 2, 3] == pytest.approx(float(Q[1, 2] @ K[1, 3]))
    assert torch.all(attn_scaled(torch.ones(2, 3, 4, 4), 12, 3) == 0.5)
    x = drawn(2, 5, 12)
    heads = split_heads(x, 3)
    assert torch.equal(heads[:, 1], x[:, :, 4:8])
    assert torch.equal(merge_heads(heads), x)


def test_masked_weights_are_zero_and_the_rest_sum_to_one():
    weights = attn_softmax(apply_causal_mask(make_causal_mask(5), drawn(2, 3, 5, 5)))
    assert torch.all(weights.triu(1) == 0)
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 3, 5, dtype=torch.float64))


def test_positions_are_those_of_the_paper_of_one_norm():
    table = sinusoidal_encoding(40, 24).double()
    torch.testing.assert_close((table**2).sum(1), torch.full((40,), 12.0, dtype=torch.float64))
    products = table @ table.T
    torch.testing.assert_close(products[1:, 1:], products[:-1, :-1], rtol=0, atol=1e-4)
    table = sinusoidal_encoding(8, 6)
    assert table[7, 2] == pytest.approx(float(torch.tensor(7 / 10_000 ** (2 / 6)).sin()), abs=1e-6)
    assert table[7, 3] == pytest.approx(float(torch.tensor(7 / 10_000 ** (2 / 6)).cos()), abs=1e-6)
