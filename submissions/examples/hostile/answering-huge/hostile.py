import aim
import torch


def strange(value):
    if isinstance(value, torch.Tensor):
        return torch.zeros(100_000_000)
    return value


def answer(function, args, kwargs):
    return aim.mapped(function(*args, **kwargs), strange)
