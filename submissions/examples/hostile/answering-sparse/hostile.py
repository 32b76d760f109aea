import aim
import torch


def strange(value):
    if isinstance(value, torch.Tensor):
        return torch.sparse_coo_tensor(torch.zeros(2, 1, dtype=torch.long), torch.ones(1), (2**31, 2**31))
    return value


def answer(function, args, kwargs):
    return aim.mapped(function(*args, **kwargs), strange)
