"""Compute what self_attention should return given the student's other functions, correct or not.

A wrong function costs its own points and those of the values that depend on it. Whether
self_attention combines the functions correctly is tested separately, with the student's own
functions, step by step; a step that cannot be called is replaced by ours.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from graders.boundary.student import Student
from graders.checks.compare import CheckFailed, as_floats
from graders.errors import StudentRaised

from .expected import Floats, Question, by_head_size, merge, past, similarities, softmax, split
from .replies import answers, part


@dataclass(frozen=True, slots=True)
class Composition:
    """Attention made of the student's own functions, on four axes or, head by head, on three."""

    student: Student
    head_by_head: bool

    def output(self, question: Question) -> Floats:
        """Return the output (B, T, C) of the student's functions in the correct order."""
        heads = [
            self._step("split_heads", [tensor, question.n_heads], split)
            for tensor in (question.q, question.k, question.v)
        ]
        mixed = self._mixed(question, *map(self._folded, heads))
        return self._step("merge_heads", [mixed.reshape(heads[0].shape)], merge)

    def _mixed(self, question: Question, q: Floats, k: Floats, v: Floats) -> Floats:
        """Return the output of each head."""
        scores = self._step("pairwise_similarities", [q, k], similarities)
        sizes = [question.q.shape[-1], question.n_heads]
        scores = self._step("attn_scaled", [scores, *sizes], _scaled)
        if question.causal:
            scores = self._masked(scores)
        weights = self._step("attn_softmax", [scores], softmax)
        return self._step("compute_outputs", [weights, v], _mix)

    def _folded(self, heads: Floats) -> Floats:
        return heads.reshape(-1, *heads.shape[2:]) if self.head_by_head else heads

    def _step(self, name: str, call: list[Any], ours: Callable[..., Floats]) -> Floats:
        """Return the student's result, or ours if theirs does not have the correct size."""
        with np.errstate(all="ignore"):
            right = ours(*call)
        try:
            (reply,) = answers(self.student, "mini_helper", [call], function=name)
        except (CheckFailed, StudentRaised):
            return right
        return _fitting(reply["answer"], right)

    def _masked(self, scores: Floats) -> Floats:
        try:
            (reply,) = answers(self.student, "mini_masked", [[scores]])
        except (CheckFailed, StudentRaised):
            return past(scores)
        return _fitting(part(reply["answer"], "masked"), past(scores))


def _scaled(scores: Floats, n_embd: int, n_heads: int) -> Floats:
    return scores / np.float32(by_head_size(n_embd, n_heads))


def _mix(weights: Floats, v: Floats) -> Floats:
    return weights @ v


def _fitting(value: Any, right: Floats) -> Floats:
    numbers = as_floats(value)
    if numbers is None or numbers.size != right.size:
        return right
    return numbers.reshape(right.shape).astype(right.dtype)
