"""What self_attention should give where the student's other functions are as they are.

A wrong function costs its own points and those of the values that come of it. Whether
self_attention puts the functions together as it should is another question, and is asked of the
student's own functions, step by step; a step that cannot be asked is taken by ours.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from a2_attention import Floats, Question, by_head_size, merge, past, similarities, softmax, split
from a2_mini_replies import answers, as_floats, part

from graders.boundary.student import Student
from graders.checks.compare import CheckFailed
from graders.errors import StudentRaised


@dataclass(frozen=True, slots=True)
class Composition:
    """Attention made of the student's own functions, of four axes or, head by head, of three."""

    student: Student
    head_by_head: bool

    def output(self, question: Question) -> Floats:
        """The output (B, T, C) that their functions give when called in the right order."""
        heads = [
            self._step("split_heads", [each, question.n_heads], split)
            for each in (question.q, question.k, question.v)
        ]
        mixed = self._mixed(question, *map(self._folded, heads))
        return self._step("merge_heads", [mixed.reshape(heads[0].shape)], merge)

    def _mixed(self, question: Question, q: Floats, k: Floats, v: Floats) -> Floats:
        """What each head takes from its values."""
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
        """What their function gives, or ours where theirs gives nothing of the right size."""
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
