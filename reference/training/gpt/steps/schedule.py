"""The course's learning rates: a linear warmup, then a cosine, both counted in tokens."""

import math
from collections.abc import Iterator

from reference.training.gpt.preset import Recipe


def multiplier(tokens: int, warmup: int, final: float, floor: float = 0.1) -> float:
    """Return the fraction of the learning rate after this many tokens, including PADs.

    The cosine is not clamped: beyond `final` tokens it rises again, as in editions of the course
    whose final_tokens are fewer than those trained on.
    """
    if tokens < warmup:
        return tokens / max(1, warmup)
    progress = (tokens - warmup) / max(1, final - warmup)
    return max(floor, 0.5 * (1 + math.cos(math.pi * progress)))


def learning_rates(recipe: Recipe, examples: int, width: int, corpus_tokens: int) -> list[float]:
    """Return the multiplier of each step of a phase, for x of `examples` rows, `width` columns.

    The course's trainer sets the rate after a step, so the first one has the full rate.
    """
    rates, tokens = [1.0], 0
    final = recipe.final_passes * corpus_tokens
    for rows in batch_sizes(examples, recipe):
        tokens += rows * width
        rates.append(multiplier(tokens, recipe.warmup_tokens, final, recipe.floor))
    return rates[:-1]


def batch_sizes(examples: int, recipe: Recipe) -> Iterator[int]:
    """Yield the number of rows in each step of a phase; an epoch's last batch may be smaller."""
    for _ in range(recipe.epochs):
        for start in range(0, examples, recipe.batch_size):
            yield min(recipe.batch_size, examples - start)
