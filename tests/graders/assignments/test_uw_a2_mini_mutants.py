"""Each known mistake of the mini transformer is caught and named; what is no mistake is not.

One right file, and mutants of it with one change each, all graded in the sandbox.
"""

import functools
from dataclasses import dataclass, replace

import pytest

from graders.boundary.sandbox import best_tier
from graders.discovery import load_assignment
from graders.pipeline import Options, grade_submission
from submissions.receive import identify

RIGHT = """
import math
import torch
import torch.nn.functional as F


def pairwise_similarities(Q, K):
    return torch.matmul(Q, K.transpose(-2, -1))


def attn_scaled(A, n_embd, n_heads):
    return A / math.sqrt(n_embd / n_heads)


def attn_softmax(A):
    return torch.softmax(A, dim=-1)


def compute_outputs(A, V):
    return A @ V


def make_causal_mask(n_tok):
    return torch.tril(torch.ones(n_tok, n_tok, device=DEVICE))


def apply_causal_mask(mask, A):
    return A.masked_fill(mask == 0, float("-inf"))


def split_heads(x, n_heads):
    B, T, C = x.shape
    return x.view(B, T, n_heads, C // n_heads).transpose(1, 2)


def merge_heads(y):
    B, nh, T, c = y.shape
    return y.transpose(1, 2).reshape(B, T, nh * c)


def self_attention(Q, K, V, n_heads=1, causal=True):
    B, T, C = Q.shape
    q, k, v = (split_heads(x, n_heads) for x in (Q, K, V))
    A = attn_scaled(pairwise_similarities(q, k), C, n_heads)
    if causal:
        A = apply_causal_mask(make_causal_mask(T), A)
    return merge_heads(compute_outputs(attn_softmax(A), v))
"""
SCALE = "return A / math.sqrt(n_embd / n_heads)"
TRIL = "torch.tril(torch.ones(n_tok, n_tok, device=DEVICE))"
SHORT = TRIL + " + (torch.arange(n_tok) > 15)"  # right for 16 tokens at most
FILL = 'return A.masked_fill(mask == 0, float("-inf"))'
SOFTMAX = "return torch.softmax(A, dim=-1)"
SPLIT = "return x.view(B, T, n_heads, C // n_heads).transpose(1, 2)"
MERGE = "return y.transpose(1, 2).reshape(B, T, nh * c)"
INTERLEAVED = (
    (SPLIT, "return x.view(B, T, C // n_heads, n_heads).permute(0, 3, 1, 2)"),
    (MERGE, "return y.permute(0, 2, 3, 1).reshape(B, T, nh * c)"),
)
MIX = "return merge_heads(compute_outputs(attn_softmax(A), v))"
MIXED = MIX.replace("attn_softmax(A)", "A")


@dataclass(frozen=True, slots=True)
class Mutant:
    """Changes of the right file, the points they cost, and words of the hint."""

    name: str
    changes: tuple[tuple[str, str], ...]
    lost: float
    hint: str


def mutant(name: str, old: str, new: str, lost: float, hint: str) -> Mutant:
    return Mutant(name, ((old, new),), lost, hint)


MUTANTS = [
    mutant("no-scale", SCALE, "return A", 4, "not divided by anything"),
    mutant("by-head-size", SCALE, "return A / (n_embd / n_heads)", 4, "without the root"),
    mutant("by-n-embd", SCALE, "return A / math.sqrt(n_embd)", 3, "sqrt(n_embd), whatever n_heads"),
    mutant("by-n-embd-no-root", SCALE, "return A / n_embd", 4, "divided by n_embd"),
    mutant("over-heads", SOFTMAX, "return torch.softmax(A, dim=1)", 4.6, "the heads"),
    mutant("added-mask", FILL, "return A + mask", 4.05, "zeros and ones is added"),
    mutant("over-queries", SOFTMAX, "return torch.softmax(A, dim=-2)", 5, "over the queries"),
    mutant("no-mask", FILL, "return A", 4.05, "Nothing is masked"),
    mutant("off-by-one", TRIL, TRIL.replace("))", "), diagonal=1)"), 4.05, "off by one"),
    mutant("transposed", TRIL, TRIL.replace("tril", "triu"), 4.05, "transposed"),
    mutant("times-zero", FILL, "return A * mask", 4.05, "become 0"),
    mutant("minus-ten", FILL, "return A - 10 * (1 - mask)", 4.05, "10 is subtracted"),
    mutant("diagonal", TRIL, TRIL.replace("))", "), diagonal=-1)"), 3.85, "cannot see itself"),
    Mutant(
        "mask-after-softmax",
        (
            ("A = apply_causal_mask(make_causal_mask(T), A)\n", "mask = make_causal_mask(T)\n"),
            (MIX, "A = attn_softmax(A) * mask if causal else attn_softmax(A)\n    " + MIXED),
        ),
        3.25,
        "after the softmax",
    ),
    mutant("split-view", SPLIT, "return x.view(B, n_heads, T, C // n_heads)", 4, "mixes tokens"),
    mutant("merge-view", MERGE, "return y.reshape(B, T, nh * c)", 3.5, "mixes tokens"),
    Mutant("interleaved", INTERLEAVED, 4, "interleaved"),
    mutant("shifted", MERGE, MERGE.replace("y.", "y.roll(1, 1)."), 3.1, "shifted by one"),
    mutant(
        "shuffled",
        MERGE,
        "return y[:, torch.randperm(nh)].transpose(1, 2).reshape(B, T, nh * c)",
        3.3,
        "two answers",
    ),
    mutant("k-v-swapped", "for x in (Q, K, V)", "for x in (Q, V, K)", 4.9, "Keys and values"),
    mutant("dropout", SOFTMAX, "return F.dropout(torch.softmax(A, dim=-1), 0.3)", 5.2, "dropout"),
    mutant("over-batch", SOFTMAX, "return torch.softmax(A, dim=0)", 4.8, "over the batch"),
    Mutant(
        "in-place",
        (
            ("B, T, C = Q.shape", "B, T, C = Q.shape\n    Q /= math.sqrt(C / n_heads)"),
            ("attn_scaled(pairwise_similarities(q, k), C, n_heads)", "pairwise_similarities(q, k)"),
        ),
        0.5,
        "write into",
    ),
    mutant("filled-with-ten", FILL, "return A.masked_fill(mask == 0, -10)", 3.9, "become -10"),
    mutant("hundred", FILL, "return A.masked_fill(mask == 0, -100)", 0.2, "-100 can be above"),
    mutant("nan", FILL, "return A + (1 - mask) * -math.inf", 3.85, "0 · -inf is nan"),
    mutant("short-mask", TRIL, SHORT, 3.2, "before the softmax"),
    Mutant(
        "heads-ignored",
        (("B, T, C = Q.shape", "B, T, C = Q.shape\n    n_heads = 1"),),
        2.5,
        "n_heads is ignored",
    ),
    Mutant(
        "not-causal",
        (("causal=True", "causal=False"),),
        0.25,
        "The handout's defaults are n_heads=1 and causal=True",
    ),
    Mutant(
        "no-softmax",
        (("return merge_heads(compute_outputs(attn_softmax(A), v))", "return merge_heads(A @ v)"),),
        5.7,
        "There is no softmax",
    ),
]
MODULE = """class Softmax(torch.nn.Module):
    def forward(self, A):
        return torch.softmax(A, dim=-1)
attn_softmax = Softmax()
"""
UNNAMED = """def counted(function):
    return lambda *args, **kwargs: function(*args, **kwargs)
def split_heads(z, heads):
    return z.view(*z.shape[:2], heads, -1).transpose(1, 2)
split_heads = counted(split_heads)
"""
BELOW = "\n\n# Experiment 1: shuffled heads\ndef merge_heads(y):\n    return y.flip(1)\n"
CUDA = "W = torch.ones(1).cuda()\n"
HARMLESS = {
    "minus-1e9": (FILL, "return A + (1 - mask) * -1e9"),
    "float32-inside": (SOFTMAX, "return torch.softmax(A.float(), dim=-1).to(A.dtype)"),
    "float32-throughout": ("B, T, C = Q.shape", "Q, K, V = Q.float(), K.float(), V.float()\n"
                           "    B, T, C = Q.shape"),
    "module": ("def attn_softmax(A):\n    " + SOFTMAX + "\n", MODULE),
    "decorator-without-names": ("def self_attention", UNNAMED + "def self_attention"),
    "gpu-outside-functions": ("def attn_scaled", CUDA + "def attn_scaled"),
    "experiment-below": (MIX + "\n", MIX + BELOW),
    "mask-of-minus-1e4": (FILL, "return A + (1 - mask) * -1e4"),
    "module-name-reused": (MIX + "\n", MIX + "\n\nmath = 3\n"),
}  # fmt: skip


@pytest.fixture(scope="module")
def grade(tmp_path_factory):
    """Grades one text as A2S2.py, on the mini transformer alone."""
    assignment = replace(load_assignment("uw-a2"), preload=())  # transformers is not asked for
    options = Options(tier=best_tier(), only=frozenset({"mini-transformer"}))

    @functools.cache
    def run(text: str):
        folder = tmp_path_factory.mktemp("uploads") / "one"
        folder.mkdir()
        (folder / "A2S2.py").write_text(text)
        return grade_submission(identify(folder, "uw-a2"), assignment, options)

    return run


def changed(*changes: tuple[str, str]) -> str:
    text = RIGHT
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def read(result) -> str:
    """All that the student reads of failing checks."""
    checks = [each for each in result.criteria[0].checks if each.fraction < 1]
    return "\n".join(f"{each.check.id}: {each.message} {each.hint}" for each in checks)


def test_the_right_file_keeps_all_points(grade):
    assert grade(RIGHT).score == 18, read(grade(RIGHT))


@pytest.mark.parametrize("case", MUTANTS, ids=lambda each: each.name)
def test_mistake_is_caught_and_named(grade, case):
    result = grade(changed(*case.changes))
    assert 18 - result.score == pytest.approx(case.lost), read(result)
    assert case.hint in read(result)


@pytest.mark.parametrize("change", HARMLESS.values(), ids=HARMLESS)
def test_what_is_no_mistake_costs_nothing(grade, change):
    result = grade(changed(change))
    assert result.score == 18, read(result)
