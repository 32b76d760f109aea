"""The running mean of weights: its value, its use in place, its resuming."""

import pytest
import torch
from torch import nn

from reference.training.classification.averages import Averages


@pytest.fixture
def weight():
    return nn.Parameter(torch.tensor([0.0]))


def walk(averages, weight, values):
    for value in values:
        with torch.no_grad():
            weight.fill_(value)
        averages.update()


def test_mean_is_plain_at_first_and_then_forgets(weight):
    averages = Averages({"w": weight}, 0.75)
    walk(averages, weight, [1.0, 2.0, 3.0, 6.0])
    assert float(averages.means["w"]) == pytest.approx(3.0)
    walk(averages, weight, [7.0])
    assert float(averages.means["w"]) == pytest.approx(0.75 * 3.0 + 0.25 * 7.0)


def test_weights_come_back_behind_the_block(weight):
    averages = Averages({"w": weight}, 0.9)
    walk(averages, weight, [1.0, 3.0])
    with averages.in_place():
        assert float(weight.detach()) == 2.0
    assert float(weight.detach()) == 3.0


def test_without_decay_the_weights_are_their_own_mean(weight):
    averages = Averages({"w": weight}, 0.0)
    walk(averages, weight, [1.0, 3.0])
    with averages.in_place():
        assert float(weight.detach()) == 3.0
    assert averages.state() == {"steps": 2, "means": {}}


def test_saved_mean_goes_on(weight):
    first, second = Averages({"w": weight}, 0.9), Averages({"w": weight}, 0.9)
    walk(first, weight, [1.0, 2.0])
    second.load(**first.state())
    for averages in (first, second):
        walk(averages, weight, [5.0])
    assert torch.equal(first.means["w"], second.means["w"])
