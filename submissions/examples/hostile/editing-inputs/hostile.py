import aim
import numpy as np
import torch


def edit(value):
    if isinstance(value, torch.Tensor | np.ndarray):
        aim.attempt(value.__setitem__, ..., 0)
    elif isinstance(value, list):
        value.clear()
    return value


def answer(function, args, kwargs):
    result = function(*args, **kwargs)
    aim.mapped((args[-1:], tuple(kwargs.values())), edit)
    return aim.mapped(result, edit)
