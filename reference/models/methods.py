"""The three ways to fine-tune a classifier: how many numbers each trains, and by which recipe.

full     everything                                  Devlin et al. 2019 (BERT), section 4
head     the linear layer alone                      2d + 2
prefix   P vectors in front of the text, and that    Pd + 2d + 2; 130d + 2 at P = 128
         (Li and Liang 2021, at the embeddings only)
"""

from dataclasses import dataclass
from typing import Literal, get_args

Method = Literal["full", "head", "prefix"]
METHODS: tuple[Method, ...] = get_args(Method)

PREFIX_LENGTH = 128  # the course's
CLASSES = 2


def trained_count(method: Method, d: int, encoder: int, length: int = PREFIX_LENGTH) -> int:
    """How many numbers the method trains, on an encoder of width d with so many parameters."""
    head = CLASSES * d + CLASSES
    return head + {"full": encoder, "head": 0, "prefix": length * d}[method]


@dataclass(frozen=True, slots=True)
class Recipe:
    """How one method is trained.

    The rate climbs over the first `warmup` of all steps and falls to zero; that of the head and
    the prefix, which begin from nothing, is `new_rate`. Each layer of the encoder learns at
    `layer_decay` times the rate of the one above it (Howard and Ruder 2018). `smoothing` is that
    of the labels (Szegedy et al. 2016); `average` is the decay of a running mean of the weights,
    which is what dev is asked with (0: the weights themselves).
    """

    epochs: int
    batch_size: int
    rate: float
    new_rate: float
    warmup: float = 0.1
    weight_decay: float = 0.01
    smoothing: float = 0.0
    layer_decay: float = 1.0
    average: float = 0.0
