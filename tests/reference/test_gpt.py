"""The model, compared with a forward pass of plain torch functions over a handmade state dict."""

from dataclasses import replace

import pytest
import torch
from torch.nn import functional as F

from reference.models.gpt import GPT, GPTConfig

B, T = 3, 7


def hand_made_state(config):
    """Random tensors under the names and in the shapes of a course checkpoint."""
    C, V, block = config.n_embd, config.vocab_size, config.block_size
    shapes = {"tok_emb.weight": (V, C), "ln_f.weight": (C,), "ln_f.bias": (C,)}
    shapes |= {"head.weight": (V, C)} | ({} if config.rope else {"pos_emb": (1, block, C)})
    for n in range(config.n_layer):
        wide = {"mlp.0": (4 * C, C), "mlp.2": (C, 4 * C)}
        wide |= {f"attn.{name}": (C, C) for name in ("key", "query", "value", "proj")}
        for layer, shape in wide.items():
            shapes[f"blocks.{n}.{layer}.weight"] = shape
            shapes[f"blocks.{n}.{layer}.bias"] = shape[:1]
        for norm in ("ln1", "ln2"):
            shapes |= {f"blocks.{n}.{norm}.{kind}": (C,) for kind in ("weight", "bias")}
    generator = torch.Generator().manual_seed(7)
    state = {name: 0.3 * torch.randn(*s, generator=generator) for name, s in shapes.items()}
    return state | tables(config)


def tables(config):
    """The buffers of every layer: the causal mask, and the rotary table."""
    block, dim = config.block_size, config.n_embd // config.n_head
    angle = torch.outer(torch.arange(block), 10000.0 ** (-torch.arange(0, dim, 2) / dim))
    buffers = {"mask": torch.ones(block, block).tril().view(1, 1, block, block)}
    if config.rope:
        buffers["rope_cache"] = torch.stack((angle.cos(), angle.sin()), dim=-1)
    return {
        f"blocks.{n}.attn.{name}": table
        for n in range(config.n_layer)
        for name, table in buffers.items()
    }


def plain_forward(state, idx, n_head):
    """Logits by torch's own functions, in float64."""
    s = {name: tensor.double() for name, tensor in state.items()}

    def linear(name, x):
        return F.linear(x, s[f"{name}.weight"], s[f"{name}.bias"])

    def norm(name, x):
        return F.layer_norm(x, x.shape[-1:], s[f"{name}.weight"], s[f"{name}.bias"])

    def heads(name, x, *, turn):
        split = torch.stack(linear(name, x).chunk(n_head, dim=-1), dim=1)
        cis = s.get(name.rsplit(".", 1)[0] + ".rope_cache")
        if cis is None or not turn:
            return split
        pairs = torch.view_as_complex(split.unflatten(-1, (-1, 2)).contiguous())
        return torch.view_as_real(pairs * torch.view_as_complex(cis[: x.shape[1]])).flatten(-2)

    x = F.embedding(idx, s["tok_emb.weight"])
    if "pos_emb" in s:
        x = x + s["pos_emb"][0, : idx.shape[1]]
    for n in range(sum(name.endswith(".mask") for name in s)):
        at, h = f"blocks.{n}.attn", norm(f"blocks.{n}.ln1", x)
        q, k = heads(f"{at}.query", h, turn=True), heads(f"{at}.key", h, turn=True)
        v = heads(f"{at}.value", h, turn=False)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + linear(f"{at}.proj", torch.cat(mixed.unbind(1), dim=-1))
        wide = F.gelu(linear(f"blocks.{n}.mlp.0", norm(f"blocks.{n}.ln2", x)))
        x = x + linear(f"blocks.{n}.mlp.2", wide)
    return F.linear(norm("ln_f", x), s["head.weight"])


def tiny(rope, **changes):
    sizes = {"vocab_size": 11, "block_size": 9, "n_layer": 2, "n_head": 2, "n_embd": 8} | changes
    return GPTConfig(**sizes, rope=rope)


def ids(seed=0):
    return torch.randint(11, (B, T), generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("rope", [False, True])
@pytest.mark.parametrize("n_head", [1, 2, 4])
def test_logits_are_those_of_plain_functions(rope, n_head):
    config = tiny(rope, n_head=n_head)
    state = hand_made_state(config)
    model = GPT(config).eval().double()  # so close that the approximate GELU would show
    model.load(state)
    logits, loss = model(ids())
    torch.testing.assert_close(logits, plain_forward(state, ids(), n_head), rtol=0, atol=1e-9)
    assert loss is None


@pytest.mark.parametrize(
    ("rope", "tensors", "count"), [(False, 73, 3_323_392), (True, 76, 3_290_624)]
)
def test_course_size_has_the_course_tensors(rope, tensors, count):
    config = GPTConfig(vocab_size=256, block_size=128, rope=rope)
    model, expected = GPT(config), hand_made_state(config)
    assert {n: t.shape for n, t in model.state_dict().items()} == {
        n: t.shape for n, t in expected.items()
    }
    assert len(expected) == tensors
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
    state = hand_made_state(tiny(rope=True))
    change(state)
    with pytest.raises(ValueError, match=message):
        GPT(tiny(rope=True)).load(state)


@pytest.mark.parametrize("kinds", [("rope", "vanilla"), ("vanilla", "rope")])
def test_other_variant_is_named(kinds):
    ours, other = kinds
    with pytest.raises(ValueError, match=f"this model is a {ours} model, the .* a {other} model"):
        GPT(tiny(ours == "rope")).load(hand_made_state(tiny(other == "rope")))
