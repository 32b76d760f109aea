"""Muon and the learning rates, compared with plain loops.

Muon is computed by its formulas, one matrix at a time in float64, and learning rates by counting
tokens.
"""

import math

import pytest
import torch

from reference.training.gpt.optimizers import (
    Muon,
    batch_sizes,
    learning_rates,
    multiplier,
    orthogonalize,
)
from reference.training.gpt.preset import COURSE, DEMO


def plain_orthogonalize(matrix):
    x = matrix / matrix.norm()
    for _ in range(5):
        s = x @ x.T
        x = 3.4445 * x + (-4.7750 * s + 2.0315 * s @ s) @ x
    return x


@pytest.mark.parametrize("shape", [(8, 8), (8, 32), (32, 8)])
def test_singular_values_become_about_one(shape):
    torch.manual_seed(0)
    singular = torch.linalg.svdvals(orthogonalize(torch.randn(3, *shape)))
    assert singular.min() > 0.6
    assert singular.max() < 1.3


def test_directions_stay():
    torch.manual_seed(0)
    matrix = torch.randn(6, 6, dtype=torch.float64)
    u, _, v = torch.linalg.svd(matrix)
    turned = u.T @ orthogonalize(matrix[None])[0] @ v.T
    assert (turned - torch.diag(turned.diagonal())).abs().max() < 1e-6


@pytest.mark.parametrize("shape", [(5, 5), (5, 20), (20, 5)])
def test_steps_are_those_of_the_formula(shape):
    """Momentum .95 with Nesterov's look ahead, for matrices of two shapes beside each other."""
    torch.manual_seed(1)
    ours = [torch.nn.Parameter(torch.randn(s, dtype=torch.float64)) for s in (shape, shape, (7, 3))]
    plain = [p.detach().clone() for p in ours]
    buffers = [torch.zeros_like(p) for p in plain]
    muon = Muon(ours, 0.02, dtype=torch.float64)
    for _ in range(3):
        for p, buffer, parameter in zip(plain, buffers, ours, strict=True):
            parameter.grad = torch.randn_like(p)
            buffer.mul_(0.95).add_(0.05 * parameter.grad)
            ahead = 0.05 * parameter.grad + 0.95 * buffer
            rows, columns = p.shape
            update = plain_orthogonalize(ahead if rows <= columns else ahead.T)
            update = update if rows <= columns else update.T
            p -= 0.02 * max(1, rows / columns) ** 0.5 * update
        muon.step()
    for parameter, expected in zip(ours, plain, strict=True):
        torch.testing.assert_close(parameter.detach(), expected, rtol=1e-5, atol=1e-6)


def test_state_comes_back():
    torch.manual_seed(1)
    gradients = [torch.randn(4, 4) for _ in range(4)]

    def moved(stop):
        p = torch.nn.Parameter(torch.zeros(4, 4))
        muon = Muon([p], 0.1)
        for i, gradient in enumerate(gradients):
            if i == stop:
                saved = muon.state_dict()
                muon = Muon([p], 0.1)
                muon.load_state_dict(saved)
            p.grad = gradient
            muon.step()
        return p.detach()

    assert torch.equal(moved(stop=2), moved(stop=None))


DOCUMENTS, BLOCK = 2937, 128


def course_loop(recipe, examples, width, final_tokens):
    """minGPT's loop: the rate is set behind the step, from the tokens so far."""
    tokens, rate, used = 0, 1.0, []
    for _ in range(recipe.epochs):
        left = examples
        while left:
            rows = min(recipe.batch_size, left)
            left -= rows
            used.append(rate)
            tokens += rows * width
            if tokens < 10240:
                rate = tokens / 10240
            else:
                progress = (tokens - 10240) / (final_tokens - 10240)
                rate = max(0.1, 0.5 * (1.0 + math.cos(math.pi * progress)))
    return used


def test_pretraining_is_the_course_s_14950_steps():
    sizes = list(batch_sizes(DOCUMENTS, COURSE.pretrain))
    assert len(sizes) == 14950
    assert sizes[:23] == [128] * 22 + [121]


@pytest.mark.parametrize(
    ("recipe", "examples", "width", "passes"),
    [
        (COURSE.pretrain, DOCUMENTS, 128, 650),
        (COURSE.finetune, 2000, 127, 200),
        (COURSE.nopretrain, 2000, 127, 200),
    ],
)
def test_rates_are_the_course_s(recipe, examples, width, passes):
    rates = learning_rates(recipe, examples, width, DOCUMENTS * BLOCK)
    assert rates == pytest.approx(course_loop(recipe, examples, width, passes * DOCUMENTS * BLOCK))


def test_rates_warm_up_linearly_and_rise_again_behind_their_end():
    assert multiplier(200, 0, 100) == pytest.approx(1.0)
    assert multiplier(100, 0, 100) == 0.1
    assert [multiplier(tokens, 100, 1000) for tokens in (0, 25, 99)] == [0.0, 0.25, 0.99]
    rates = learning_rates(DEMO.pretrain, 401, 128, 401 * 128)
    peak = max(range(1, len(rates)), key=rates.__getitem__)
    assert 13 < peak < 26
    assert rates[-1] == pytest.approx(0.05, abs=0.01)
