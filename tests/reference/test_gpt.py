"""The model, compared with an independent implementation in numpy."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from reference.models.gpt import GPT, GPTConfig
from tests.reference.plain_gpt import PlainGPT

B, T = 3, 7


def random_state(config):
    """Weights that all count, under the model's own names, and its tables."""
    torch.manual_seed(7)
    model = GPT(config)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return model.state_dict()


def plain(state, n_head):
    return PlainGPT({name: tensor.numpy() for name, tensor in state.items()}, n_head)


def tiny(rope, **changes):
    sizes = {"vocab_size": 11, "block_size": 9, "n_layer": 2, "n_head": 2, "n_embd": 8} | changes
    return GPTConfig(**sizes, rope=rope)


def ids(seed=0):
    return torch.randint(11, (B, T), generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("rope", [False, True])
@pytest.mark.parametrize("n_head", [1, 2, 4])
def test_logits_are_those_of_plain_numpy(rope, n_head):
    config = tiny(rope, n_head=n_head)
    state = random_state(config)
    model = GPT(config).eval().double()  # so close that the approximate GELU would show
    model.load(state)
    logits, loss = model(ids())
    for actual, text in zip(logits.detach().numpy(), ids().tolist(), strict=True):
        expected = plain(state, n_head).logits(text)
        np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-9)
    assert loss is None


def test_stored_rotation_is_the_one_used():
    state, model = random_state(tiny(rope=True)), GPT(tiny(rope=True)).eval().double()
    before = plain(state, 2).logits([5, 9, 7])
    for name in state:
        if name.endswith("rope_cache"):
            state[name] = state[name].flip(0)
    model.load(state)
    after = plain(state, 2).logits([5, 9, 7])
    ours, _ = model(torch.tensor([[5, 9, 7]]))
    np.testing.assert_allclose(ours[0].detach().numpy(), after, rtol=0, atol=1e-9)
    assert abs(after - before).max() > 1e-3


@pytest.mark.parametrize(
    ("rope", "tensors", "count"), [(False, 73, 3_323_392), (True, 76, 3_290_624)]
)
def test_course_size_has_the_course_tensors(rope, tensors, count):
    """The plain model asks for each of them by the course's name."""
    model = GPT(GPTConfig(vocab_size=256, block_size=128, rope=rope))
    state = model.state_dict()
    assert plain(state, 8).logits([0, 1]).shape == (2, 256)
    assert state["blocks.3.attn.mask"].shape == (1, 1, 128, 128)
    assert len(state) == tensors
    assert sum(parameter.numel() for parameter in model.parameters()) == count


def test_loss_leaves_pads_out_and_a_longer_text_is_refused():
    """The mean of -log p over the targets that are not PAD (0)."""
    model = GPT(tiny(rope=True)).eval()
    idx, targets = ids(), ids(1)
    targets[:, :3] = 0
    logits, loss = model(idx, targets)
    chosen = logits.log_softmax(-1).gather(-1, targets[..., None])[..., 0]
    torch.testing.assert_close(loss, -chosen[targets != 0].mean())
    with pytest.raises(ValueError, match="10 characters, but the model reads 9"):
        GPT(tiny(rope=True))(torch.zeros(1, 10, dtype=torch.long))


@pytest.mark.parametrize("place", ["embd_pdrop", "attn_pdrop", "resid_pdrop"])
def test_each_dropout_works_in_training_only(place):
    off = {"embd_pdrop": 0.0, "attn_pdrop": 0.0, "resid_pdrop": 0.0}
    model = GPT(replace(tiny(rope=True), **off | {place: 0.5}))
    assert not torch.equal(model.train()(ids())[0], model(ids())[0])
    assert torch.equal(model.eval()(ids())[0], model(ids())[0])


def test_dropout_rates_are_the_configured_ones():
    rates = {"embd_pdrop": 0.1, "attn_pdrop": 0.2, "resid_pdrop": 0.3}
    model = GPT(replace(tiny(rope=True, n_layer=1), **rates))
    dropouts = {name: m.p for name, m in model.named_modules() if isinstance(m, torch.nn.Dropout)}
    at = "blocks.0"
    expected = {"drop": 0.1, f"{at}.attn.attn_drop": 0.2, f"{at}.attn.resid_drop": 0.3}
    assert dropouts == expected | {f"{at}.mlp.3": 0.3}


def test_fresh_weights_are_small_and_a_gradient_reaches_all():
    """Six standard errors of the spread: fails for one seed in 10^8."""
    torch.manual_seed(0)
    state = GPT(GPTConfig(vocab_size=256, block_size=128)).state_dict()
    for name in ("tok_emb.weight", "head.weight", "blocks.3.attn.query.weight"):
        assert abs(state[name].std() / 0.02 - 1) < 6 / (2 * state[name].numel()) ** 0.5
    assert not state["blocks.0.mlp.0.bias"].any()
    assert not state["pos_emb"].any()
    for rope in (False, True):
        model = GPT(tiny(rope))
        model(ids(), ids(1))[1].backward()
        assert all(p.grad is not None and p.grad.isfinite().all() for p in model.parameters())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s: s.pop("head.weight"), r"lacks head\.weight \(1 tensors in all\)"),
        (lambda s: s.update(extra=torch.ones(1)), "has extra, which this model lacks"),
        (
            lambda s: s.update({"tok_emb.weight": torch.ones(12, 8)}),
            r"tok_emb\.weight has shape \(12, 8\) instead of \(11, 8\)",
        ),
        (lambda s: s.clear(), "this model is a rope model, the checkpoint no model of this course"),
    ],
)
def test_unfit_checkpoint_is_explained(change, message):
    state = random_state(tiny(rope=True))
    change(state)
    with pytest.raises(ValueError, match=message):
        GPT(tiny(rope=True)).load(state)


@pytest.mark.parametrize("kinds", [("rope", "vanilla"), ("vanilla", "rope")])
def test_other_variant_is_named(kinds):
    ours, other = kinds
    with pytest.raises(ValueError, match=f"this model is a {ours} model, the .* a {other} model"):
        GPT(tiny(ours == "rope")).load(random_state(tiny(other == "rope")))
