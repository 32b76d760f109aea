"""One training step, compared with the course's, written out in float64."""

import math

import pytest
import torch
from torch.nn import functional as F

from reference.models.gpt import PAD_ID
from reference.training.gpt.batches.batch import Batch, target_lengths
from reference.training.gpt.preset import COURSE
from reference.training.gpt.steps.optimizer import make_optimizers, parameter_groups
from reference.training.gpt.steps.schedule import learning_rates
from reference.training.gpt.steps.step import Step
from reference.training.precision import Machine

EXAMPLES, BATCH, WIDTH = 10, 4, 12  # the last batch of an epoch has two rows


def examples():
    torch.manual_seed(3)
    x = torch.randint(2, 30, (EXAMPLES, WIDTH))
    y = torch.randint(2, 30, (EXAMPLES, WIDTH))
    lengths = torch.randint(3, WIDTH + 1, (EXAMPLES,))
    y[torch.arange(WIDTH) >= lengths[:, None]] = PAD_ID
    return x, y


def batches(epochs):
    x, y = examples()
    for _ in range(epochs):
        for start in range(0, EXAMPLES, BATCH):
            yield x[start : start + BATCH], y[start : start + BATCH]


class PlainTrainer:
    """The course's step in float64: AdamW by its formulas, clipping by the norm of all."""

    def __init__(self, model, rates):
        self.model, self.rates = model.double(), rates
        self.m = {n: torch.zeros_like(p) for n, p in model.named_parameters()}
        self.v = {n: torch.zeros_like(p) for n, p in model.named_parameters()}
        self.t = 0

    def step(self, x, y):
        self.model.zero_grad()
        logits, _ = self.model(x)
        loss = F.cross_entropy(logits.flatten(0, 1), y.flatten(), ignore_index=0)
        loss.backward()
        norm = math.sqrt(sum(float((p.grad**2).sum()) for p in self.model.parameters()))
        rate = 6e-3 * self.rates[self.t]
        self.t += 1
        with torch.no_grad():
            for name, p in self.model.named_parameters():
                self.move(name, p, p.grad * min(1.0, 1.0 / (norm + 1e-6)), rate)
        return float(loss.detach()), norm

    def move(self, name, p, g, rate):
        self.m[name] = 0.9 * self.m[name] + 0.1 * g
        self.v[name] = 0.95 * self.v[name] + 0.05 * g * g
        linear = name.endswith("weight") and not name.startswith(("tok_emb", "ln_f"))
        if linear and ".ln" not in name:
            p -= rate * 0.1 * p
        m, v = self.m[name] / (1 - 0.9**self.t), self.v[name] / (1 - 0.95**self.t)
        p -= rate * m / (v.sqrt() + 1e-8)


@pytest.mark.parametrize("rope", [False, True])
@pytest.mark.parametrize("group", [0, 3])
def test_steps_are_the_course_s(rope, group, tiny_model, machine):
    """Seven steps with an uneven last batch, warmup and decay move every weight alike."""
    rates = [1.0, 0.3, 0.7, 0.9, 0.5, 0.2, 0.1]
    plain = PlainTrainer(tiny_model(rope=rope), rates)
    model = tiny_model(rope=rope).double()
    optimizers = make_optimizers(model, COURSE.pretrain, torch.float32)
    step = DoubleStep(model, optimizers, machine, group)
    norms = []
    for rate, (x, y) in zip(rates, batches(3), strict=False):
        loss = step(Batch(x, y, target_lengths(y)), [6e-3 * rate])
        expected, norm = plain.step(x, y)
        norms.append(norm)
        assert float(loss) == pytest.approx(expected, rel=1e-6)
    assert max(norms) > 1, "clipping was never asked for"
    for (name, p), q in zip(model.named_parameters(), plain.model.parameters(), strict=True):
        torch.testing.assert_close(p, q, rtol=1e-6, atol=1e-8, msg=name)


class DoubleStep(Step):
    """The step as it is, but without rounding the logits to float32."""

    def summed_loss(self, batch):
        logits, _ = self.model(batch.x)
        return F.cross_entropy(
            logits.flatten(0, 1), batch.y.flatten(), ignore_index=PAD_ID, reduction="sum"
        )


def test_groups_are_min_gpt_s(tiny_model):
    model = tiny_model()
    decayed, free = ({id(p) for p in group} for group in parameter_groups(model))
    for name, p in model.named_parameters():
        linear = name != "tok_emb.weight" and p.ndim == 2
        assert (id(p) in decayed) == linear, name
        assert (id(p) in free) != linear, name


def test_bfloat16_step_is_near_the_float32_one(tiny_model):
    losses = []
    for dtype in (torch.float32, torch.bfloat16):
        model = tiny_model()
        optimizers = make_optimizers(model, COURSE.pretrain, torch.float32)
        step = Step(model, optimizers, Machine(torch.device("cpu"), dtype), 4)
        losses.append([float(step(b, [1e-3])) for b in full_batches(6)])
    assert losses[0] == pytest.approx(losses[1], abs=0.05)
    assert losses[0] != losses[1], "autocast was not on"


def full_batches(epochs):
    for x, y in batches(epochs):
        yield Batch(x, y, target_lengths(y))


def test_training_lowers_the_loss(tiny_model, machine):
    model = tiny_model(rope=True)
    step = Step(model, make_optimizers(model, COURSE.pretrain, torch.float32), machine, 3)
    rates = learning_rates(COURSE.pretrain, EXAMPLES, WIDTH, 10_000)
    losses = [float(step(b, [6e-3 * r])) for b, r in zip(full_batches(40), rates, strict=False)]
    assert losses[-1] < losses[0] / 2
