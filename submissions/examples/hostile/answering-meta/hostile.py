import aim
import torch


def strange(value):
    if isinstance(value, torch.Tensor):
        return torch.empty(value.shape, device="meta")
    return value


def answer(function, args, kwargs):
    return aim.mapped(function(*args, **kwargs), strange)
