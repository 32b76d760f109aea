import aim
import torch


def strange(value):
    if isinstance(value, torch.Tensor):
        return torch.empty(2**40, 0) if value.dim() > 1 else torch.zeros([1] * 60)
    return value


def answer(function, args, kwargs):
    return aim.mapped(function(*args, **kwargs), strange)
