import aim
import torch


def strange(value):
    if isinstance(value, torch.Tensor):
        return torch.zeros(64).as_strided(value.shape, [0] * value.dim()).to(torch.complex64).conj()
    return value


def answer(function, args, kwargs):
    return aim.mapped(function(*args, **kwargs), strange)
