"""A call of a student's function is refused if the function could not be called like that."""

import functools

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from graders.adapting.arguments import require_fit

MODEL, LOADER = nn.Linear(2, 2), DataLoader([1])
OPTIMIZER = torch.optim.SGD(MODEL.parameters(), lr=0.1)
SCHEDULER = torch.optim.lr_scheduler.LambdaLR(OPTIMIZER, lambda step: 1.0)
CPU = torch.device("cpu")


def train(model, loader, optimizer, epoch, device=CPU, loss=None, *, verbose=False):
    """Take the arguments of a student's function."""


WORKS = {
    **{"model": MODEL, "loader": LOADER, "optimizer": OPTIMIZER, "epoch": 0},
    **{"device": CPU, "loss": nn.CrossEntropyLoss()},
}


class Rows(Dataset):
    """A dataset without a loader."""


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        ((MODEL, LOADER, OPTIMIZER, 0), {}),
        ((MODEL, LOADER), {"epoch": "1 of 3", "optimizer": OPTIMIZER, "verbose": True}),
        ((MODEL, [1, 2], OPTIMIZER, 3, "cuda:0"), {}),
        ((MODEL, iter([1]), OPTIMIZER, 3, 0, nn.Identity()), {}),
        ((object(), LOADER, SCHEDULER.optimizer, 1.0), {"device": None}),
    ],
)
def test_calls_that_work_are_accepted(args, kwargs):
    require_fit(train, args, kwargs, WORKS)


@pytest.mark.parametrize(
    ("args", "kwargs", "said"),
    [
        ((MODEL, LOADER, OPTIMIZER), {}, "missing a required argument: 'epoch'"),
        ((MODEL, LOADER, OPTIMIZER, 0), {"epochs": 1}, "unexpected keyword argument 'epochs'"),
        ((LOADER, MODEL, OPTIMIZER, 0), {}, "a dataloader as `model`, not a model"),
        ((MODEL, LOADER, 0, OPTIMIZER), {}, "a number as `optimizer`, not an optimizer"),
        ((MODEL, LOADER, SCHEDULER, 0), {}, "a scheduler as `optimizer`"),
        ((MODEL, Rows(), OPTIMIZER, 0), {}, "a dataset as `loader`"),
        ((MODEL, CPU, OPTIMIZER, 0), {}, "a device as `loader`"),
        ((MODEL, LOADER, OPTIMIZER, 0, LOADER), {}, "a dataloader as `device`"),
    ],
)
def test_calls_that_raise_are_refused(args, kwargs, said):
    with pytest.raises(TypeError, match=said) as problem:
        require_fit(train, args, kwargs, WORKS)
    assert type(problem.value).__name__ == "TypeError"


def test_only_the_signature_counts_if_no_call_is_known_to_work():
    require_fit(train, (LOADER, MODEL, 0, 0), {}, {})
    with pytest.raises(TypeError, match="too many positional"):
        require_fit(functools.partial(train, MODEL), (LOADER, OPTIMIZER, *range(9)), {}, {})


def test_a_function_without_a_signature_takes_everything():
    require_fit(max, (LOADER, MODEL), {}, WORKS)


def evaluate(model, loader):
    """Use its arguments, as a student's function does."""
    return sum(float(model(torch.ones(2)).sum().detach()) for _ in loader)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ((MODEL.state_dict(), LOADER), "a dictionary as `model`, not a model"),
        (("best.pt", LOADER), "a string as `model`"),
        ((MODEL, 3), "a number as `loader`"),
    ],
)
def test_values_with_which_the_function_raises_are_refused(args, said):
    with pytest.raises(TypeError, match=said):
        require_fit(evaluate, args, {}, {"model": MODEL, "loader": LOADER})


def test_values_with_which_the_function_works_are_accepted():
    for loader in ([1, 2], {"one": 1}, torch.ones(3)):
        require_fit(evaluate, (MODEL, loader), {}, {"model": MODEL, "loader": LOADER})
