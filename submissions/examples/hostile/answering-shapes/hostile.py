import itertools
import sys

import numpy as np

ODD = itertools.cycle(
    [np.zeros(3), [], np.array(5), {}, None, "x", [[None]] * 9, 2**62, float("nan"), np.ones((2, 0))]
)
COUNT = itertools.count()
EVERY = 5  # so many parts later another one is replaced


def odd(value):
    if next(COUNT) % EVERY == 0:
        return next(ODD)
    if isinstance(value, dict):
        return {name: odd(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [odd(each) for each in value]
    return value


def encode(value, genuine):
    if "value" in value:
        value = {**value, "value": odd(value["value"])}
    return genuine(value)


for module in list(sys.modules.values()):
    if getattr(module, "__name__", "").endswith("boundary.wire"):
        genuine = module.encode
        module.encode = lambda value: encode(value, genuine)
