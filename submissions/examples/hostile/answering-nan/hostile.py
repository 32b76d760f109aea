import aim
import torch


def strange(value):
    if isinstance(value, torch.Tensor):
        return torch.full(value.shape, float("nan"))
    return value * float("nan") if isinstance(value, int | float) else value


def answer(function, args, kwargs):
    return aim.mapped(function(*args, **kwargs), strange)
