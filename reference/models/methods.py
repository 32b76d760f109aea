"""The three ways to fine-tune a classifier: the number of trained parameters, and the recipes.

full     everything                                  Devlin et al. 2019 (BERT), section 4
head     only the linear layer                       2d + 2
prefix   P vectors before the text, and the head     Pd + 2d + 2; 130d + 2 at P = 128
         (Li and Liang 2021, at the embeddings only)
"""

from typing import Literal, get_args

Method = Literal["full", "head", "prefix"]
METHODS: tuple[Method, ...] = get_args(Method)

PREFIX_LENGTH = 128  # the course's
CLASSES = 2
