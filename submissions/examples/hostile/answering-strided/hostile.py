import aim
import torch


def strange(value):
    if isinstance(value, torch.Tensor):
        return torch.zeros(1).expand(2**38)
    return value


def answer(function, args, kwargs):
    return aim.mapped(function(*args, **kwargs), strange)
