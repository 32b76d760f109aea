"""The learning rates of the course's trainer, compared with a loop that counts tokens."""

import math

import pytest

from reference.training.gpt.preset import COURSE, DEMO
from reference.training.gpt.steps.schedule import batch_sizes, learning_rates, multiplier

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
