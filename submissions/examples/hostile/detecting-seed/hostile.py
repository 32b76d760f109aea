import random

import torch

SEEN = {}


def answer(function, args, kwargs):
    """The first answer under this state of the generators, again and again."""
    key = (function.__qualname__, torch.initial_seed(), random.getstate()[1][:8])
    if key not in SEEN:
        SEEN[key] = function(*args, **kwargs)
    return SEEN[key]
