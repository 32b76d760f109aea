"""The course's learning rates: a linear warmup, then a cosine, both counted in tokens."""

import math
from collections.abc import Iterator

from reference.training.gpt.preset import Recipe


def multiplier(tokens: int, warmup: int, final: float, floor: float = 0.1) -> float:
    """The share of the learning rate in use after so many tokens, PADs included.

    The cosine is not clamped: beyond `final` tokens it rises again, as the course's does in
    editions whose final_tokens are fewer than those trained on.
    """
    if tokens < warmup:
        return tokens / max(1, warmup)
    progress = (tokens - warmup) / max(1, final - warmup)
    return max(floor, 0.5 * (1 + math.cos(math.pi * progress)))


def learning_rates(recipe: Recipe, examples: int, width: int, corpus_tokens: int) -> list[float]:
    """The multiplier of each step of a phase, for x of `examples` rows and `width` columns.

    The course's trainer sets the rate behind a step, so the first one has the full rate.
    """
    rates, tokens = [1.0], 0
    final = recipe.final_passes * corpus_tokens
    for rows in batch_sizes(examples, recipe):
        tokens += rows * width
        rates.append(multiplier(tokens, recipe.warmup_tokens, final, recipe.floor))
    return rates[:-1]


def batch_sizes(examples: int, recipe: Recipe) -> Iterator[int]:
    """How many rows each step of a phase has; the last batch of an epoch is what is left."""
    for _ in range(recipe.epochs):
        for start in range(0, examples, recipe.batch_size):
            yield min(recipe.batch_size, examples - start)
