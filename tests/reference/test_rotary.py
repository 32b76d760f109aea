"""Rotary embeddings, compared with the handout's equations (3) and (4) in float64."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from reference.models.rotary import apply_rotary_emb, precompute_rotary_emb

DIMS = st.integers(1, 16).map(lambda pairs: 2 * pairs)


def rotation_matrix(t, dim):
    """Equation (3)'s matrix at position t, with the equation's own index i = 1 ... dim/2."""
    matrix = np.zeros((dim, dim))
    for i in range(1, dim // 2 + 1):
        angle = t * 10000.0 ** (-2 * (i - 1) / dim)
        block = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        matrix[2 * i - 2 : 2 * i, 2 * i - 2 : 2 * i] = block
    return matrix


def vectors(*shape, dtype=torch.float32):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(4)).to(dtype)


def rotated_at(vector, t):
    """The vector rotated as if it stood at position t."""
    rows = vector.expand(1, 1, t + 1, -1)
    return apply_rotary_emb(rows, precompute_rotary_emb(vector.shape[-1], t + 1))[0, 0, t]


@given(DIMS, st.integers(1, 200))
def test_table_is_the_cis_of_float64_angles(dim, positions):
    table = precompute_rotary_emb(dim, positions)
    theta = np.float64(10000) ** (-2 * (np.arange(1, dim // 2 + 1) - 1) / dim)
    angle = np.arange(positions)[:, None] * theta
    assert table.shape == (positions, dim // 2, 2)
    assert table.dtype == torch.float32
    np.testing.assert_allclose(table[..., 0], np.cos(angle), rtol=0, atol=6e-8)  # half an ulp of 1
    np.testing.assert_allclose(table[..., 1], np.sin(angle), rtol=0, atol=6e-8)


@given(DIMS, st.integers(1, 20))
def test_application_is_equation_3(dim, T):
    x = vectors(2, 3, T, dim)
    expected = np.stack(
        [x[:, :, t].double().numpy() @ rotation_matrix(t, dim).T for t in range(T)], axis=2
    )
    actual = apply_rotary_emb(x, precompute_rotary_emb(dim, T))
    np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-5)


@given(DIMS, st.integers(1, 20), st.integers(0, 20))
def test_application_is_equation_4(dim, T, unused):
    """The product of complex numbers; a longer table lends its first rows."""
    x, table = vectors(2, 3, T, dim), precompute_rotary_emb(dim, T + unused)
    product = torch.view_as_complex(x.view(2, 3, T, -1, 2)) * torch.view_as_complex(table[:T])
    expected = torch.view_as_real(product).view_as(x)
    torch.testing.assert_close(apply_rotary_emb(x, table), expected, rtol=0, atol=1e-5)


@given(DIMS, st.integers(0, 60), st.integers(0, 60))
def test_dot_products_depend_on_distance_only(dim, t, distance):
    """<RoPE(z1, t + d), RoPE(z2, t)> = <RoPE(z1, d), RoPE(z2, 0)> (handout, g ii)."""
    z1, z2 = vectors(2, dim).double()
    there = rotated_at(z1, t + distance) @ rotated_at(z2, t)
    here = rotated_at(z1, distance) @ rotated_at(z2, 0)
    torch.testing.assert_close(there, here, rtol=0, atol=1e-5)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
def test_dtype_and_shape_are_kept(dtype):
    x = vectors(2, 3, 5, 8, dtype=dtype)
    turned = apply_rotary_emb(x, precompute_rotary_emb(8, 16))
    assert (turned.dtype, turned.shape) == (dtype, x.shape)


def test_input_is_not_edited_and_odd_or_short_tables_are_refused():
    x = vectors(1, 2, 5, 8)
    before = x.clone()
    apply_rotary_emb(x, precompute_rotary_emb(8, 5))
    assert torch.equal(x, before)
    with pytest.raises(ValueError, match=r"dim is 7: .* must be even"):
        precompute_rotary_emb(7, 4)
    with pytest.raises(ValueError, match="5 positions, but the table has 4"):
        apply_rotary_emb(vectors(1, 1, 5, 8), precompute_rotary_emb(8, 4))
