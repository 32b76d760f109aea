"""Rotary functions with each known mistake that no planted example makes."""

import math

import torch

from graders.errors import StudentRaised
from tests.graders.assignments.answering import Answering


def even(dim):
    return torch.arange(0, dim, 2, dtype=torch.float64)


def right_theta(dim):
    return 1 / 10_000 ** (even(dim) / dim)


def table(theta=right_theta, first=0, turn=lambda a: a, parts=(torch.cos, torch.sin)):
    """A precompute_rotary_emb with something else in it."""

    def precompute(dim, length):
        angles = turn(torch.outer(torch.arange(length) + float(first), theta(dim)))
        return torch.stack([part(angles) for part in parts], dim=-1)

    return precompute


def flipped(dim, length):
    return table()(dim, length).flip(0)


def stack_reshaped(dim, length):
    return torch.stack(table()(dim, length).unbind(-1)).view(length, -1, 2)


def base(number):
    return table(lambda d: number ** (-even(d) / d))


PRECOMPUTE = {
    "dim-missing": table(lambda d: 10_000 ** -even(d)),
    "exponent-rounded-down": table(lambda d: 10_000.0 ** (-torch.arange(0, d, 2) // d)),
    "theta-twice": table(lambda d: right_theta(d).repeat_interleave(2)[: d // 2]),
    "positions-reversed": flipped,
    "cos-only": table(parts=(torch.cos, torch.cos)),
    "sin-only": table(parts=(torch.sin, torch.sin)),
    "sin-negative": table(turn=torch.neg),
    "angles-only": table(parts=(torch.clone, torch.clone)),
    "to-degrees": table(turn=torch.rad2deg),
    "full-turns": table(turn=lambda a: a * math.tau),
    "no-angle": table(turn=torch.zeros_like),
    "stack-reshaped": stack_reshaped,
    "base-10": base(10.0),
    "base-1000": base(1e3),
    "base-100000": base(1e5),
    "base-1000000": base(1e6),
}


def split(x, rope_cache):
    return (x[..., ::2], x[..., 1::2], *rope_cache[: x.shape[2]].unbind(-1))


def join(first, second):
    return torch.stack((first, second), dim=-1).flatten(-2)


def real(new):
    """An apply_rotary_emb that makes two new features of a, b, cos and sin."""
    return lambda x, rope_cache: join(*new(*split(x, rope_cache)))


def product(x, factor):
    return torch.view_as_real(torch.view_as_complex(x.unflatten(-1, (-1, 2))) * factor)


def turns(rope_cache, T):
    return torch.view_as_complex(rope_cache[:T].contiguous())


def right(x, rope_cache):
    return product(x, turns(rope_cache, x.shape[2])).flatten(-2)


def half_split(x, rope_cache):
    a, b = x.chunk(2, dim=-1)
    cos, sin = rope_cache[: x.shape[2]].unbind(-1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)


def tiled(x, rope_cache):
    cos, sin = (part.repeat(1, 2) for part in rope_cache[: x.shape[2]].unbind(-1))
    return x * cos + join(-x[..., 1::2], x[..., ::2]) * sin


def along_batch(x, rope_cache):
    return right(x.transpose(0, 2), rope_cache).transpose(0, 2)


APPLY = {
    "output-swapped": lambda x, c: right(x, c).unflatten(-1, (-1, 2)).flip(-1).flatten(-2),
    "no-rotation": lambda x, c: x,
    "pairs-of-halves-to-neighbours": lambda x, c: join(*half_split(x, c).chunk(2, -1)),
    "neighbours-with-tiled-angles": tiled,
    "minus-twice": real(lambda a, b, cos, sin: (a * cos - b * sin, b * cos - a * sin)),
    "cos-sin-swapped": real(lambda a, b, cos, sin: (a * sin - b * cos, a * cos + b * sin)),
    "sin-part-missing": real(lambda a, b, cos, sin: (a * cos, b * cos)),
    "cos-part-missing": real(lambda a, b, cos, sin: (-b * sin, a * sin)),
    "first-only": real(lambda a, b, cos, sin: (a * cos - b * sin, b)),
    "second-only": real(lambda a, b, cos, sin: (a, b * cos + a * sin)),
    "batch-as-time": along_batch,
    "rows-from-one": lambda x, c: right(x, table(first=1)(x.shape[-1], x.shape[2])),
    "rows-reversed": lambda x, c: right(x, c[: x.shape[2]].flip(0)),
    "exponent-sign": lambda x, c: right(
        x, table(lambda d: 10_000 ** (even(d) / d))(x.shape[-1], len(c))
    ),
}


class Coder(Answering):
    """A student with these two functions, asked in this process."""

    def __init__(self, precompute=None, apply=right):
        self.precompute = precompute or table()
        self.apply = apply

    def answer(self, function, /, **values):
        return getattr(self, function)(**values)

    def rotary_form(self):
        return {"x": "", "table": False}

    def rotate_without_table(self, x, positions):
        return x

    def rotary_tables(self, sizes):
        return [self.precompute(*size).float().numpy() for size in sizes]

    def rotate(self, calls):
        try:
            return {"given": [self.rotated(**call) for call in calls]}
        except (RuntimeError, TypeError, IndexError) as error:
            raise StudentRaised(str(error)) from None

    def rotated(self, x, table, positions):
        result = self.apply(torch.from_numpy(x), torch.from_numpy(table)).float().numpy()
        return {"result": result, "x_after": x, "table_before": table, "table_after": table}
