"""The three ways to fine-tune a classifier: the number of trained parameters, and the recipes.

full     everything                                  Devlin et al. 2019 (BERT), section 4
head     only the linear layer                       2d + 2
prefix   P vectors before the text, and the head     Pd + 2d + 2; 130d + 2 at P = 128
         (Li and Liang 2021, at the embeddings only)
"""

from dataclasses import dataclass
from typing import Literal, get_args

Method = Literal["full", "head", "prefix"]
METHODS: tuple[Method, ...] = get_args(Method)

PREFIX_LENGTH = 128  # the course's
CLASSES = 2


@dataclass(frozen=True, slots=True)
class Recipe:
    """The hyperparameters of one method.

    The rate increases over the first `warmup` of all steps and decreases to zero; that of the head
    and the prefix, which are trained from scratch, is `new_rate`. Each layer of the encoder learns
    at `layer_decay` times the rate of the one above it (Howard and Ruder 2018). `smoothing` is
    label smoothing (Szegedy et al. 2016); `average` is the decay of a running mean of the weights,
    which is used for dev (0: the weights themselves).
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
