"""The plain loop does what the course's loop does, so it is worth comparing with."""

import math
import random

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from benchmarks.support.plain_loop import (
    Schedule,
    loader,
    plain_evaluate,
    plain_optimizer,
    plain_step,
)
from reference.data.corruption import CharCorruptionDataset
from reference.data.vocabulary import MASK, Vocabulary
from reference.models.gpt import GPT, GPTConfig
from reference.models.prediction import predict_places

TEXT = "Ada was born in Rome.\nLi was born in Oslo.\nWhere was everybody born?"
VOCABULARY = Vocabulary(TEXT)
RATE = 6e-3

pytestmark = pytest.mark.usefixtures("one_thread")


def tiny(rope=False, **changes):
    torch.manual_seed(9)
    size = {"n_layer": 2, "n_head": 2, "n_embd": 16} | changes
    model = GPT(GPTConfig(len(VOCABULARY), 48, rope=rope, **size))
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.5)  # far from uniform, so that no letters tie
    return model


def without_dropout():
    return tiny(embd_pdrop=0.0, attn_pdrop=0.0, resid_pdrop=0.0).double()


def batch(seed=0):
    ids = torch.randint(len(VOCABULARY), (4, 21), generator=torch.Generator().manual_seed(seed))
    return ids[:, :-1], ids[:, 1:]


def test_loader_keeps_the_order_and_the_last_batch():
    random.seed(0)
    dataset = CharCorruptionDataset(TEXT, 48)
    expected = [dataset[i][0] for i in range(3)]
    random.seed(0)
    batches = [x for x, _ in loader(dataset, batch_size=2)]
    assert [len(x) for x in batches] == [2, 1]
    assert torch.equal(torch.cat(batches), torch.stack(expected))


def test_all_but_biases_decay():
    model = tiny()
    names = {id(p): name for name, p in model.named_parameters()}
    decayed, biases = plain_optimizer(model, RATE).param_groups
    assert {names[id(p)] for p in biases["params"]} == {n for n in names.values() if "bias" in n}
    assert (decayed["weight_decay"], biases["weight_decay"]) == (0.1, 0.0)
    assert len(decayed["params"]) + len(biases["params"]) == len(names)
    assert decayed["betas"] == biases["betas"] == (0.9, 0.95)


def clipped(gradients):
    norm = math.sqrt(sum((g**2).sum() for g in gradients.values()))
    assert norm > 1, "or clipping shows nothing"
    return {name: g / (norm + 1e-6) for name, g in gradients.items()}


def test_step_is_adamw_written_out():
    """Two steps of Loshchilov and Hutter 2019, algorithm 2, on clipped gradients."""
    model = without_dropout()
    optimizer = plain_optimizer(model, RATE)
    schedule = Schedule(RATE, warmup_tokens=8, final_tokens=400)
    twin, rate = without_dropout(), RATE
    first = {name: 0.0 for name, _ in twin.named_parameters()}
    second = dict(first)
    for t in (1, 2):
        loss = plain_step(model, optimizer, batch(t), schedule)
        x, y = batch(t)
        expected = F.cross_entropy(twin(x)[0].flatten(0, 1), y.flatten(), ignore_index=0)
        parameters = dict(twin.named_parameters())
        grads = dict(
            zip(parameters, torch.autograd.grad(expected, [*parameters.values()]), strict=True)
        )
        assert loss == pytest.approx(expected.item(), rel=1e-12)
        for name, g in clipped({n: g.numpy() for n, g in grads.items()}).items():
            first[name] = 0.9 * first[name] + 0.1 * g
            second[name] = 0.95 * second[name] + 0.05 * g**2
            step = first[name] / (1 - 0.9**t) / (np.sqrt(second[name] / (1 - 0.95**t)) + 1e-8)
            weight = parameters[name].detach().numpy()
            weight -= rate * (0.1 * ("bias" not in name) * weight + step)
        rate = RATE * 0.5 * (1 + math.cos(math.pi * (80 * t - 8) / 392))
    for (name, ours), expected in zip(model.named_parameters(), twin.parameters(), strict=True):
        np.testing.assert_allclose(
            ours.detach(), expected.detach(), rtol=1e-9, atol=1e-10, err_msg=name
        )


def test_dropout_is_on_in_training():
    model = tiny(embd_pdrop=0.5).eval()
    before = model(batch()[0], batch()[1])[1].item()
    optimizer = plain_optimizer(model, 0.0)
    assert plain_step(model, optimizer, batch(), Schedule(0.0, 1, 9)) != pytest.approx(before)


@pytest.mark.parametrize(
    ("tokens", "share"),
    [(50, 0.5), (100, 1.0), (600, 0.5), (1100, 0.1), (1500, 0.5 * (1 + math.cos(1.4 * math.pi)))],
)
def test_rate_warms_up_falls_and_rises_again(tokens, share):
    schedule = Schedule(2.0, warmup_tokens=100, final_tokens=1100)
    assert schedule.after(torch.zeros(tokens, dtype=torch.long)) == pytest.approx(2.0 * share)


def test_next_step_gets_the_rate():
    model = tiny()
    optimizer = plain_optimizer(model, RATE)
    plain_step(model, optimizer, batch(), Schedule(RATE, warmup_tokens=800, final_tokens=900))
    assert [g["lr"] for g in optimizer.param_groups] == [pytest.approx(RATE / 10)] * 2


@pytest.mark.parametrize("rope", [pytest.param(False, marks=pytest.mark.long), True])
def test_answers_are_those_of_the_batch(rope):
    model = tiny(rope).train()
    prompts = [q + MASK for q in ("Where was Ada born?", "Li?\n", "Ada was born in Oslo. Where")]
    answers = plain_evaluate(model, VOCABULARY, prompts)
    assert answers == predict_places(model, VOCABULARY, prompts)
    assert len(set(answers)) == 3
