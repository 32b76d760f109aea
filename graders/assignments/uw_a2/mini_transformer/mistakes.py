"""The known mistakes of the mini transformer: each changes one parameter of expected.py."""

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from functools import partial
from typing import Any

import numpy as np

from graders.checks.mistakes import Mistake

from .expected import (
    Attention,
    Floats,
    Merge,
    Scale,
    Scores,
    Split,
    by_head_size,
    merge,
    past,
    similarities,
    softmax,
    split,
    unchanged,
)

SCALE = "scores are divided by sqrt(n_embd / n_heads), the square root of the head size"
SOFTMAX = "each query's weights over the keys, the last axis, sum to one"
MASK = "a token sees itself and earlier tokens; later scores are -inf before the softmax"
NAN = (
    "Everything is nan: 0 · -inf is nan, and so is the softmax of a row in which every score is "
    "-inf; apply masks with masked_fill or torch.where"
)
HEADS = "head h has the features h·c to (h+1)·c of each token, c = n_embd / n_heads"
MERGE = "token t gets the c features of head 0, then those of head 1, and so on"
ROLES = "each head computes softmax(Q Kᵀ / sqrt(n_embd / n_heads)) V"

SCALES: Mapping[Mistake, Scale] = {
    Mistake("no-scale", "The scores are not divided by anything", SCALE): lambda n, h: 1.0,
    Mistake("scale-no-root", "The scores are divided by n_embd / n_heads, without the root", SCALE):
        lambda n, h: n / h,
    Mistake("scale-full", "The scores are divided by sqrt(n_embd), whatever n_heads is", SCALE):
        lambda n, h: float(np.sqrt(n)),
    Mistake("scale-full-no-root", "The scores are divided by n_embd", SCALE):
        lambda n, h: float(n),
    Mistake("scale-times", "The scores are multiplied by the root instead of divided", SCALE):
        lambda n, h: 1 / by_head_size(n, h),
    Mistake("scale-head-count", "The scores are divided by sqrt(n_heads)", SCALE):
        lambda n, h: float(np.sqrt(h)),
    Mistake("scale-product", "The scores are divided by sqrt(n_embd * n_heads)", SCALE):
        lambda n, h: float(np.sqrt(n * h)),
    Mistake("scale-root-of-embd", "The scores are divided by sqrt(n_embd) / n_heads", SCALE):
        lambda n, h: float(np.sqrt(n) / h),
    Mistake("scale-rounded", "The divisor is rounded down to an integer (`//` or int)", SCALE):
        lambda n, h: float(np.floor(by_head_size(n, h))),
}  # fmt: skip


def _flat(scores: Floats) -> Floats:
    """Return a softmax over all pairs of tokens at once."""
    return softmax(scores.reshape(*scores.shape[:-2], -1)).reshape(scores.shape)


def _log(scores: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.log(softmax(scores))


def _over_batch(scores: Floats) -> Floats:
    """Return a softmax, divided by the sum over the items."""
    weights = softmax(scores)
    shares: Floats = weights / weights.sum(axis=0)
    return shares


def _summed(scores: Floats) -> Floats:
    """Return the scores divided by their sum instead of a softmax."""
    shares: Floats = scores / scores.sum(axis=-1, keepdims=True)
    return shares


def _sigmoid(scores: Floats) -> Floats:
    return 1 / (1 + np.exp(-scores))


SOFTMAXES: Mapping[Mistake, Scores] = {
    Mistake("softmax-over-queries", "The softmax runs over the queries (dim=-2)", SOFTMAX):
        partial(softmax, axis=-2),
    Mistake("softmax-over-heads", "The softmax runs over axis 1, the heads", SOFTMAX):
        partial(softmax, axis=1),
    Mistake("softmax-over-batch", "The softmax runs over the batch (dim=0)", SOFTMAX):
        partial(softmax, axis=0),
    Mistake("softmax-then-batch", "The weights are also normalized over the batch", SOFTMAX):
        _over_batch,
    Mistake("softmax-flat", "The softmax runs over all pairs of tokens at once", SOFTMAX): _flat,
    Mistake("softmax-missing", "There is no softmax", SOFTMAX): unchanged,
    Mistake("softmax-log", "The weights are logarithms (log_softmax)", SOFTMAX): _log,
    Mistake("softmax-sum", "The scores are divided by their sum, without exp", SOFTMAX): _summed,
    Mistake("softmax-sigmoid", "A sigmoid is used instead of a softmax", SOFTMAX): _sigmoid,
}  # fmt: skip


def _tri(scores: Floats, offset: int = 0) -> Floats:
    return np.tri(scores.shape[-1], k=offset)


def _future(scores: Floats) -> Floats:
    return np.where(_tri(scores, -1) == 0, scores, -np.inf)


MASKS: Mapping[Mistake, Scores] = {
    Mistake("no-mask", "Nothing is masked", MASK): unchanged,
    Mistake("mask-diagonal", "A token cannot see itself: the diagonal is masked", MASK):
        partial(past, offset=-1),
    Mistake("mask-off-by-one", "A token sees the next one: the mask is off by one", MASK):
        partial(past, offset=1),
    Mistake("mask-transposed", "The mask is transposed: the past is hidden instead", MASK): _future,
    Mistake("mask-inverted", "The mask is inverted: it hides the visible tokens", MASK):
        lambda s: np.where(_tri(s) == 0, s, -np.inf),
    Mistake("mask-zero", "Masked scores become 0, which is a valid score", MASK):
        lambda s: s * _tri(s),
    Mistake("mask-ten", "10 is subtracted from masked scores, which is not enough", MASK):
        lambda s: s - 10 * (1 - _tri(s)),
    Mistake("mask-ten-filled", "Masked scores become -10, which is not low enough", MASK):
        lambda s: np.where(_tri(s) == 0, -10.0, s),
    Mistake("mask-added", "The mask of zeros and ones is added to the scores", MASK):
        lambda s: s + _tri(s),
    Mistake("mask-added-future", "The mask of zeros and ones is added to the scores", MASK):
        lambda s: s + 1 - _tri(s),
}  # fmt: skip


def _view(x: Floats, n_heads: int) -> Floats:
    return x.reshape(x.shape[0], n_heads, x.shape[1], -1)


def _whole(x: Floats, _n_heads: int) -> Floats:
    return split(x, 1)


def _interleaved(x: Floats, n_heads: int) -> Floats:
    return x.reshape(*x.shape[:2], -1, n_heads).transpose(0, 3, 1, 2)


SPLITS: Mapping[Mistake, Split] = {
    Mistake(
        "split-view",
        "The features are only viewed as (B, n_heads, T, c), which mixes tokens: view as "
        "(B, T, n_heads, c), then transpose",
        HEADS,
    ): _view,
    Mistake(
        "split-interleaved",
        "The heads are interleaved: every n_heads-th feature goes to one head",
        HEADS,
    ): _interleaved,
}  # fmt: skip


def _side_by_side(y: Floats) -> Floats:
    """Return a view as (B, T, C) without a transpose."""
    return y.reshape(y.shape[0], y.shape[2], -1)


def _interleaved_again(y: Floats) -> Floats:
    return y.transpose(0, 2, 3, 1).reshape(y.shape[0], y.shape[2], -1)


def _shifted(y: Floats, by: int) -> Floats:
    return merge(np.roll(y, by, axis=1))


def _features_shifted(y: Floats, by: int) -> Floats:
    return np.roll(merge(y), by, axis=-1)


MERGES: Mapping[Mistake, Merge] = {
    Mistake(
        "merge-view",
        "The heads are only viewed as (B, T, C), which mixes tokens: transpose to "
        "(B, T, n_heads, c) first",
        MERGE,
    ): _side_by_side,
    Mistake("merge-interleaved", "The features of the heads are interleaved", MERGE):
        _interleaved_again,
    Mistake("merge-shifted", "The heads are shifted by one: head 0 is last", MERGE):
        partial(_shifted, by=-1),
    Mistake("merge-shifted-up", "The heads are shifted by one: the last one is first", MERGE):
        partial(_shifted, by=1),
    Mistake("merge-rolled", "The features are shifted by one", MERGE):
        partial(_features_shifted, by=1),
    Mistake("merge-rolled-down", "The features are shifted by one", MERGE):
        partial(_features_shifted, by=-1),
    Mistake("merge-reversed", "The heads are in reverse order", MERGE):
        lambda y: merge(y[:, ::-1]),
}  # fmt: skip

PAIRS = "entry [.., i, j] is q_i · k_j"
SIMILARITIES: Mapping[Mistake, Callable[[Floats, Floats], Floats]] = {
    Mistake("pairs-transposed", "Queries and keys are swapped: this is K Qᵀ", PAIRS):
        lambda q, k: similarities(k, q),
    Mistake("pairs-queries", "These are products of the queries with themselves", PAIRS):
        lambda q, k: similarities(q, q),
    Mistake("pairs-keys", "These are products of the keys with themselves", PAIRS):
        lambda q, k: similarities(k, k),
    Mistake(
        "pairs-scaled", "The products are already scaled here; attn_scaled does that", PAIRS
    ): lambda q, k: similarities(q, k) / np.sqrt(q.shape[-1]),
    Mistake("pairs-cosine", "These are cosines: the vectors are normalized first", PAIRS):
        lambda q, k: similarities(_unit(q), _unit(k)),
}  # fmt: skip

OUTPUTS = "row i is the sum over j of A[.., i, j] V[.., j, :]"
MIXTURES: Mapping[Mistake, Callable[[Floats, Floats], Floats]] = {
    Mistake("outputs-transposed", "The weights are transposed: this is Aᵀ V", OUTPUTS):
        lambda a, v: similarities(a.swapaxes(-1, -2), v.swapaxes(-1, -2)),
    Mistake("outputs-softmax", "A second softmax is applied to A", OUTPUTS):
        lambda a, v: softmax(a) @ v,
    Mistake("outputs-mean", "The values are divided by their number", OUTPUTS):
        lambda a, v: a @ v / v.shape[-2],
}  # fmt: skip


def _unit(x: Floats) -> Floats:
    unit: Floats = x / np.linalg.norm(x, axis=-1, keepdims=True)
    return unit


ROLE_SAYS = {
    "QVK": "Keys and values are swapped",
    "VKQ": "Queries and values are swapped",
    "KQV": "Queries and keys are swapped",
    "QQV": "The keys are not used: the scores are products of queries",
    "KKV": "The queries are not used: the scores are products of keys",
    "QKQ": "The weighted sum is over queries, not values",
    "QKK": "The weighted sum is over keys, not values",
}


def _attentions() -> Iterator[tuple[Mistake, Attention]]:
    for roles, says in ROLE_SAYS.items():
        yield Mistake(f"roles-{roles}", says, ROLES), Attention(roles=roles)
    yield from ((mistake, Attention(scale=scale)) for mistake, scale in SCALES.items())
    yield from ((mistake, Attention(weigh=weigh)) for mistake, weigh in SOFTMAXES.items())
    yield from ((mistake, Attention(mask=mask)) for mistake, mask in MASKS.items())
    yield from ((mistake, Attention(merge=merges)) for mistake, merges in MERGES.items())
    yield from ((mistake, Attention(split=splits)) for mistake, splits in SPLITS.items())


ATTENTIONS: Mapping[Mistake, Attention] = {
    **dict(_attentions()),
    Mistake(
        "always-causal", "Future tokens are hidden even with causal=False", "mask only if causal"
    ): Attention(always_causal=True),
    Mistake("mask-after", "The mask is applied after the softmax, so rows do not sum to one", MASK):
        Attention(mask=unchanged, masked_weights=lambda w: w * _tri(w)),
    Mistake("heads-interleaved", "The heads are interleaved, both in split and in merge", HEADS):
        Attention(split=_interleaved, merge=_interleaved_again),
    Mistake("heads-ignored", "n_heads is ignored: only one head is computed", HEADS):
        Attention(split=_whole, scale=lambda n, h: float(np.sqrt(n))),
    Mistake("heads-ignored-but-scaled", "n_heads only changes the scale: one head is computed",
            HEADS): Attention(split=_whole),
    Mistake("heads-viewed", "The heads are viewed without a transpose, both in split and in merge",
            HEADS): Attention(split=_view, merge=_side_by_side),
}  # fmt: skip


def attention_pairs() -> Iterator[tuple[Mistake, Attention]]:
    """Yield pairs of mistakes made together, if they change different parameters."""
    for (one, a), (two, b) in itertools.combinations(ATTENTIONS.items(), 2):
        first, second = _turned(a), _turned(b)
        if not first.keys() & second.keys():
            says = f"There are two mistakes. {one.says}. Also: {two.says}"
            yield Mistake(f"{one.id}+{two.id}", says, ROLES), replace(a, **second)


def _turned(attention: Attention) -> dict[str, Any]:
    right = Attention()
    values = {field.name: getattr(attention, field.name) for field in fields(Attention)}
    return {name: value for name, value in values.items() if value != getattr(right, name)}
