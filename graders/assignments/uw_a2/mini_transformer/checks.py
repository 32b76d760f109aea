"""The functions of part 2.1, one by one; self_attention has its own file."""

from typing import Any

import numpy as np
import pytest

from graders.boundary.outcome import clean
from graders.boundary.student import Student
from graders.checks.compare import fail, is_close
from graders.checks.inputs import Inputs
from graders.checks.mistakes import sentence
from graders.checks.score import Score

from .expected import Floats, by_head_size, merge, similarities, softmax, split
from .functions import Function, Judge, described_arguments
from .mistakes import (
    HEADS,
    MERGE,
    MERGES,
    MIXTURES,
    OUTPUTS,
    PAIRS,
    SCALE,
    SCALES,
    SIMILARITIES,
    SOFTMAX,
    SOFTMAXES,
    SPLITS,
)
from .questions import Draws, Size
from .replies import (
    answers,
    first_difference,
    note_narrowed,
    part,
    require_floats,
)

LARGEST = 50  # maximum notes and names shown


def _token_scores(draws: Draws, size: Size, dtype: Any) -> Floats:
    return 2 * draws.normal("A", (size.B, size.T, size.T), dtype)


def _head_scores(draws: Draws, size: Size, dtype: Any) -> Floats:
    return 2 * draws.normal("A", (size.B, size.n_heads, size.T, size.T), dtype)


def _with_zero(scores: Floats) -> Floats:
    """Return scores of which that of the last token for the first is 0: not a masked one."""
    scores[..., -1, 0] = 0
    return scores


@pytest.fixture
def judge(student: Student, score: Score, inputs: Inputs) -> Judge:
    return Judge(student, score, inputs)


@pytest.mark.criterion("mini-transformer", weight=0)
def test_mini_transformer_found(student: Student, score: Score) -> None:
    """The functions of part 2.1 are found by their names, in a notebook or in a .py file."""
    file, names, notes = student.call("mini_files", read=_files)
    for note in notes:
        score.note(note)
    if not file:
        fail("No file defines any of the functions.", expected=f"one of {', '.join(names)}")
    score.note(f"Using the functions in {file}.")
    if names:
        score.note(f"Not found: {', '.join(names)}.")


def _files(reply: Any) -> tuple[str, list[str], list[str]]:
    """Return the file that is used, the missing names, and notes."""
    file, *lists = (part(reply, name) for name in ("file", "missing", "notes"))
    missing, notes = ([clean(str(text)) for text in texts[:LARGEST]] for texts in lists)
    return clean(file) if isinstance(file, str) else "", missing, notes


@pytest.mark.criterion("mini-transformer", weight=1.5)
def test_pairwise_similarities(judge: Judge) -> None:
    """pairwise_similarities returns q_i · k_j for each pair of tokens, unscaled."""
    function = Function("pairwise_similarities", similarities, SIMILARITIES, PAIRS)
    judge.function(
        function,
        lambda draws, size, dtype: [draws.normal(n, size.tokens, dtype) for n in "QK"],
        lambda draws, size, dtype: [draws.normal(n, size.heads, dtype) for n in "QK"],
    )


@pytest.mark.criterion("mini-transformer", weight=1.5)
def test_attn_scaled(judge: Judge) -> None:
    """attn_scaled divides by sqrt(n_embd / n_heads), with several heads too."""

    def scaled(scale: Any) -> Any:
        return lambda scores, n_embd, n_heads: scores / scale(n_embd, n_heads)

    wrong = {mistake: scaled(scale) for mistake, scale in SCALES.items()}
    function = Function("attn_scaled", scaled(by_head_size), wrong, SCALE)
    judge.function(
        function,
        lambda draws, size, dtype: [_token_scores(draws, size, dtype), size.n_embd, 1],
        lambda draws, size, dtype: [_head_scores(draws, size, dtype), size.n_embd, size.n_heads],
    )
    scores = np.ones((2, 3, 5, 5), np.float32)
    judge.calls(function, [[scores, 12, 3], [scores[:, :1], 12, 1]])


@pytest.mark.criterion("mini-transformer", weight=1.5)
def test_attn_softmax(judge: Judge) -> None:
    """attn_softmax turns each query's scores into weights that sum to one over the keys."""
    judge.function(
        Function("attn_softmax", softmax, SOFTMAXES, SOFTMAX),
        lambda draws, size, dtype: [_token_scores(draws, size, dtype)],
        lambda draws, size, dtype: [_head_scores(draws, size, dtype)],
    )


@pytest.mark.criterion("mini-transformer", weight=1.5)
def test_compute_outputs(judge: Judge) -> None:
    """compute_outputs returns the weighted sums of the values."""
    judge.function(
        Function("compute_outputs", np.matmul, MIXTURES, OUTPUTS),
        lambda draws, size, dtype: [
            softmax(_token_scores(draws, size, dtype)),
            draws.normal("V", size.tokens, dtype),
        ],
        lambda draws, size, dtype: [
            softmax(_head_scores(draws, size, dtype)),
            draws.normal("V", size.heads, dtype),
        ],
    )


@pytest.mark.criterion("mini-transformer", weight=2)
def test_causal_mask(judge: Judge) -> None:
    """make_causal_mask and apply_causal_mask together leave no weight on later tokens."""
    judge.mask(
        lambda draws, size, dtype: [_with_zero(_token_scores(draws, size, dtype))],
        lambda draws, size, dtype: [_with_zero(_head_scores(draws, size, dtype))],
    )


@pytest.mark.criterion("mini-transformer", weight=1.5)
def test_split_heads(judge: Judge) -> None:
    """split_heads gives each head its own features: (B, T, C) to (B, n_heads, T, C/n_heads)."""
    calls = Draws(judge.inputs, "split").calls(
        lambda draws, size, dtype: [draws.normal("x", size.tokens, dtype), size.n_heads]
    )
    judge.calls(Function("split_heads", split, SPLITS, HEADS), calls)


@pytest.mark.criterion("mini-transformer", weight=1)
def test_merge_heads(judge: Judge) -> None:
    """merge_heads concatenates the heads of each token: back to (B, T, C)."""
    calls = Draws(judge.inputs, "merge").calls(
        lambda draws, size, dtype: [draws.normal("y", size.heads, dtype)]
    )
    judge.calls(Function("merge_heads", merge, MERGES, MERGE), calls)


@pytest.mark.criterion("mini-transformer", weight=0.5)
def test_merge_undoes_split(student: Student, score: Score, inputs: Inputs) -> None:
    """merge_heads is the inverse of split_heads."""
    calls = Draws(inputs, "there and back").calls(
        lambda draws, size, dtype: [draws.normal("x", size.tokens, dtype), size.n_heads]
    )
    replies = answers(student, "mini_there_and_back", calls)
    note_narrowed(replies, score)
    for (x, n_heads), reply in zip(calls, replies, strict=True):
        heads, merged = (part(reply["answer"], name) for name in ("heads", "merged"))
        hint = {"hint": sentence(f"{HEADS}; {MERGE}")}
        shape = split(x, n_heads).shape
        require_floats(heads, shape, "split_heads returns a wrong shape.", **hint)
        back = require_floats(merged, x.shape, "merge_heads returns a wrong shape.", **hint)
        if not is_close(back, x, "attention"):
            fail(
                "merge_heads(split_heads(x, n_heads)) is not x.",
                **hint,
                actual=first_difference(back, x),
                counterexample=described_arguments("split_heads", (x, n_heads)),
            )
