"""The random inputs of the mini transformer's checks: sizes and numbers.

All axes of a question have different sizes, so that none can be confused. They include one token
and two, single items, the course's longest texts after a few tokens, and odd sizes; none is the
course's own (10 tokens, 6 features).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from graders.checks.inputs import Inputs

from .expected import Floats, Question

FLOAT32, FLOAT64 = np.float32, np.float64
STEEP = 200.0  # factor on queries, so that exp overflows
LONGEST = (97, 99, 100)  # tokens: the course's texts end at 100, where code for 64 fails
LOW = 600.0  # the first token's own score is then this far below zero, over all heads


@dataclass(frozen=True, slots=True)
class Size:
    """B items, T tokens, n_heads heads of c features each."""

    B: int
    n_heads: int
    T: int
    c: int

    @property
    def n_embd(self) -> int:
        """The number of features of a token."""
        return self.n_heads * self.c

    @property
    def tokens(self) -> tuple[int, ...]:
        """The shape of Q, K, V and of the output."""
        return (self.B, self.T, self.n_embd)

    @property
    def heads(self) -> tuple[int, ...]:
        """The shape after splitting into heads."""
        return (self.B, self.n_heads, self.T, self.c)


@dataclass(frozen=True, slots=True)
class Draws:
    """The random numbers and sizes for one purpose."""

    inputs: Inputs
    purpose: str

    def sizes(self) -> Sequence[Size]:
        """Return an ordinary size, one item of many tokens, one token, both, and two tokens."""
        pick = self.inputs.random(self.purpose, "sizes").choice
        B, n_heads = pick([(2, 3), (3, 2)])
        odd = pick((5, 7))
        return [
            Size(B, n_heads, pick((7, 9, 11)), pick((4, 5, 8))),
            Size(1, 3, pick(LONGEST), odd),
            Size(pick((2, 4)), 7, 1, pick((5, 6))),
            Size(1, 2, 1, odd),
            Size(3, 4, 2, odd),
        ]

    def normal(self, name: str, shape: Sequence[int], dtype: Any = FLOAT32) -> Floats:
        """Return standard normal numbers, equal for equal name, shape and dtype."""
        source = self.inputs.generator(self.purpose, name, tuple(shape), np.dtype(dtype).name)
        return source.standard_normal(tuple(shape)).astype(dtype)

    def calls(self, build: Callable[["Draws", Size, Any], list[Any]]) -> list[list[Any]]:
        """Return a function's arguments for each size, the first one also in float64."""
        sizes = self.sizes()
        return [*(build(self, size, FLOAT32) for size in sizes), build(self, sizes[0], FLOAT64)]

    def question(self, size: Size, *, causal: bool, dtype: Any = FLOAT32) -> Question:
        """Return a question for self_attention with uneven weights."""
        q, k = (2 * self.normal(name, size.tokens, dtype) for name in ("Q", "K"))
        v = self.normal("V", size.tokens, dtype)
        return Question(q, k, v, n_heads=size.n_heads, causal=causal)

    def attention_sizes(self, *, heads: bool) -> Sequence[Size]:
        """Return sizes with several heads, or with one."""
        pick = self.inputs.random(self.purpose, "attention sizes").choice
        if heads:
            return [
                Size(2, 3, pick((5, 7)), pick((4, 6))),
                Size(3, 2, pick((8, 9)), pick((5, 7))),
                Size(1, 5, pick(LONGEST), pick((2, 7))),
                Size(2, 3, 1, 5),
                Size(4, 3, 2, 5),
            ]
        return [
            Size(2, 1, pick((5, 9)), pick((7, 8))),
            Size(1, 1, pick(LONGEST), pick((3, 5))),
            Size(3, 1, 1, pick((5, 7))),
            Size(4, 1, 2, pick((5, 7))),
        ]

    def questions(self, *, heads: bool, causal: bool) -> list[Question]:
        """Return self_attention's arguments, the first ones also in float64."""
        sizes = self.attention_sizes(heads=heads)
        questions = [self.question(size, causal=causal) for size in sizes]
        return [*questions, self.question(sizes[0], causal=causal, dtype=FLOAT64)]


def steep(question: Question) -> Question:
    """Return a question with large scores; the first token's own is below a weak mask's value."""
    k = question.k[:, 0]
    size = np.sqrt(k.shape[-1] / question.n_heads) * LOW / (k**2).sum(axis=-1, keepdims=True)
    q = np.float32(STEEP) * question.q
    q[:, 0] = -(size * k).astype(q.dtype)
    return replace(question, q=q)


def items_of(question: Question) -> Iterator[Question]:
    """Yield a separate question for each item of the batch."""
    for b in range(len(question.q)):
        q, k, v = (tensor[b : b + 1] for tensor in (question.q, question.k, question.v))
        yield replace(question, q=q, k=k, v=v)
