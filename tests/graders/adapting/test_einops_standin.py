"""The stand-in for einops, with the patterns that attention is written with."""

import importlib.util

import pytest
import torch

from graders.registry.discovery import ASSIGNMENTS

SPEC = importlib.util.spec_from_file_location(
    "einops_standin", ASSIGNMENTS.parent / "adapting" / "standins" / "einops.py"
)
einops = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(einops)
X = torch.randn(2, 5, 12, generator=torch.Generator().manual_seed(0))
HEADS = X.view(2, 5, 3, 4).transpose(1, 2)


@pytest.mark.parametrize(
    ("tensor", "pattern", "sizes", "expected"),
    [
        (X, "b t (h c) -> b h t c", {"h": 3}, HEADS),
        (X, "b t (h c) -> b h t c", {"c": 4}, HEADS),
        (X, "... (h c) -> ... h c", {"h": 3}, X.view(2, 5, 3, 4)),
        (X, "b t c -> (b t) c", {}, X.view(10, 12)),
        (X, "b t c -> b t 1 c", {}, X.unsqueeze(2)),
        (HEADS, "b h t c -> b t (h c)", {}, X),
        (HEADS, "batch heads n d -> batch n (heads d)", {}, X),
        (X.unsqueeze(1), "b 1 t c -> b t c", {}, X),
        ([X, X], "n b t c -> b n t c", {}, torch.stack([X, X], 1)),
    ],
)
def test_axes_are_split_moved_and_joined(tensor, pattern, sizes, expected):
    assert torch.equal(einops.rearrange(tensor, pattern, **sizes), expected)


def test_products_are_summed_over_named_axes():
    scores = einops.einsum(HEADS, HEADS, "b h query c, b h key c -> b h query key")
    torch.testing.assert_close(scores, HEADS @ HEADS.mT)
    scores = einops.einsum(HEADS, HEADS, "... i c, ... j c -> ... i j")
    torch.testing.assert_close(scores, HEADS @ HEADS.mT)


def test_masks_are_repeated_and_heads_reduced():
    mask = torch.ones(5, 5).tril()
    assert torch.equal(einops.repeat(mask, "i j -> b h i j", b=2, h=3), mask.expand(2, 3, 5, 5))
    torch.testing.assert_close(einops.reduce(HEADS, "b h t c -> b t c", "mean"), HEADS.mean(1))
    assert torch.equal(einops.reduce(HEADS, "b h t c -> b t c", "max"), HEADS.amax(1))


@pytest.mark.parametrize("pattern", ["b t (h c) -> b h t c", "b t -> t b", "b t c -> b t"])
def test_pattern_that_does_not_fit_is_refused(pattern):
    with pytest.raises(RuntimeError):
        einops.rearrange(X, pattern)
