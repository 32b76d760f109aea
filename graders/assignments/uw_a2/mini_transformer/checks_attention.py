"""self_attention: its values, how it combines the functions, and properties of any attention."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from graders.boundary.student import Student
from graders.checks.compare import CheckFailed, fail, is_close
from graders.checks.inputs import Inputs
from graders.checks.mistakes import sentence
from graders.checks.score import Score
from graders.errors import StudentRaised

from .expected import Floats, Question
from .mistakes import MASK, NAN, SOFTMAX
from .questions import STEEP, Draws, items_of, steep
from .replies import (
    RANDOM,
    attend,
    first_difference,
    note_gradients,
    require_backward,
    same,
)
from .values import each_counts, require_composition, require_values

WRITTEN = ("self-attention-is-written",)
NOT_COUNTED = "other checks are skipped until then"
MIXED = "A view or reshape without the transpose also mixes tokens."
FAR = 1e4  # factor on later values, so that any trace of them is visible
SETTINGS = [(heads, causal) for heads in (False, True) for causal in (False, True)]


@dataclass(frozen=True, slots=True)
class Asker:
    """Calls self_attention of one submission."""

    student: Student
    score: Score
    inputs: Inputs

    def question(self, purpose: str, *, heads: bool, causal: bool) -> Question:
        """Return an ordinary question with several items and tokens."""
        draws = Draws(self.inputs, purpose)
        return draws.question(draws.attention_sizes(heads=heads)[0], causal=causal)

    def outputs(self, *questions: Question) -> list[Floats]:
        """Return the output for each question."""
        return [attended.output for attended in attend(self.student, self.score, questions)]

    def values(self, *, heads: bool, causal: bool) -> None:
        """Fail if its values are wrong."""
        questions = Draws(self.inputs, "values").questions(heads=heads, causal=causal)
        require_values(self.student, self.score, questions)

    def for_heads(self, judgement: Callable[["Asker", bool], None]) -> None:
        """Score one head and several heads separately."""
        each_counts(self.score, [partial(judgement, self, heads) for heads in (False, True)])


@pytest.fixture
def asker(student: Student, score: Score, inputs: Inputs) -> Asker:
    return Asker(student, score, inputs)


@pytest.mark.criterion("mini-transformer", weight=0)
def test_self_attention_is_written(asker: Asker) -> None:
    """Prerequisite: self_attention uses the queries, the keys and the values of other tokens."""
    problems: list[CheckFailed | StudentRaised] = []
    for heads, causal in SETTINGS:
        try:
            question = asker.question("written", heads=heads, causal=causal)
            _require_attention(asker, question)
            return note_gradients(asker.student, asker.score, question)
        except (CheckFailed, StudentRaised) as problem:
            problems.append(problem)
    raise problems[0]


def _require_attention(asker: Asker, question: Question) -> None:
    """Fail if the last token takes nothing from others, or the same for every input."""
    first = np.arange(question.q.shape[1]) < question.q.shape[1] - 1
    factors: tuple[float | np.floating[Any], ...] = (
        -1,
        -1,
        np.float32(-0.5),
    )  # with -1 for all, products of three would not change
    pairs = zip(factors, (question.q, question.k, question.v), strict=True)
    q, k, v = (np.where(first[:, None], factor * tensor, tensor) for factor, tensor in pairs)
    changed = {
        "other tokens": Question(q, k, v, n_heads=question.n_heads, causal=question.causal),
        "queries and keys": replace(question, q=question.q[::-1], k=-question.k),
    }
    before, *after = (output[:, -1] for output in asker.outputs(question, *changed.values()))
    if np.isnan(before).all():
        fail("The output of self_attention is nan, which says nothing.", hint=sentence(NAN))
    for name, output in zip(changed, after, strict=True):
        if same(output, before):
            fail(
                f"The output of self_attention for a token does not depend on the {name}.",
                hint=f"Have you implemented this yet? If not, {NOT_COUNTED}.",
            )


@pytest.mark.criterion("mini-transformer", weight=2, depends_on=WRITTEN)
def test_self_attention_composition(student: Student, score: Score, inputs: Inputs) -> None:
    """self_attention combines your functions correctly, even if some of them are wrong."""

    def judged(heads: bool, causal: bool) -> None:
        questions = Draws(inputs, "composition").questions(heads=heads, causal=causal)
        require_composition(student, score, questions)

    each_counts(score, [partial(judged, *setting) for setting in SETTINGS])


@pytest.mark.criterion("mini-transformer", weight=0.5)
def test_self_attention_one_head(asker: Asker) -> None:
    """With one head and no mask, self_attention returns softmax(QKᵀ / sqrt(n_embd)) V."""
    asker.values(heads=False, causal=False)


@pytest.mark.criterion("mini-transformer", weight=0.25)
def test_self_attention_one_head_causal(asker: Asker) -> None:
    """With one head and causal=True, each token attends only to itself and earlier tokens."""
    asker.values(heads=False, causal=True)


@pytest.mark.criterion("mini-transformer", weight=0.25)
def test_self_attention_defaults(asker: Asker) -> None:
    """By default, self_attention has one head and is causal."""
    first, *_, precise = Draws(asker.inputs, "defaults").questions(heads=False, causal=True)
    defaults = [replace(question, defaults=True) for question in (first, precise)]
    require_values(asker.student, asker.score, defaults)


@pytest.mark.criterion("mini-transformer", weight=0.75)
def test_self_attention_heads(asker: Asker) -> None:
    """With several heads, each head attends with its own features, scaled by the head size."""
    asker.values(heads=True, causal=False)


@pytest.mark.criterion("mini-transformer", weight=0.75)
def test_self_attention_heads_causal(asker: Asker) -> None:
    """With several heads and causal=True, no head attends to later tokens."""
    asker.values(heads=True, causal=True)


@pytest.mark.criterion("mini-transformer", weight=0.2, depends_on=WRITTEN)
def test_weights_sum_to_one(asker: Asker) -> None:
    """Each token's attention weights sum to one: if all values are 1, so are the outputs."""

    def judged(asker: Asker, heads: bool) -> None:
        for causal in (False, True):
            question = asker.question("ones", heads=heads, causal=causal)
            question = replace(question, v=np.ones_like(question.v))
            (output,) = asker.outputs(question)
            if not is_close(output, question.v, "attention"):
                fail(
                    "The attention weights of a token do not sum to one.",
                    hint=f"{sentence(SOFTMAX)} Apply the mask before the softmax.",
                    actual=first_difference(output, question.v),
                    counterexample={"input": f"{question}, all values 1"},
                )

    asker.for_heads(judged)


@pytest.mark.criterion("mini-transformer", weight=0.6, depends_on=WRITTEN)
def test_no_leak_from_the_future(asker: Asker) -> None:
    """With causal=True, changing later tokens leaves the outputs of earlier ones unchanged."""
    asker.for_heads(_require_no_leak)


def _require_no_leak(asker: Asker, heads: bool) -> None:
    question = asker.question("leak", heads=heads, causal=True)
    T, other = question.q.shape[1], Draws(asker.inputs, "later tokens")
    later = np.arange(T)[:, None] >= asker.inputs.random("leak", heads).randrange(1, T)
    new = [other.normal(name, question.q.shape) for name in "QKV"]
    changed = Question(
        np.where(later, 2 * new[0], question.q),
        np.where(later, 2 * new[1], question.k),
        np.where(later, FAR * np.float32(1) * new[2], question.v),
        n_heads=question.n_heads,
    )
    before, after = asker.outputs(question, changed)
    early = ~later[:, 0]
    if not same(after[:, early], before[:, early]):
        fail(
            "With causal=True, the outputs of earlier tokens change if later tokens change.",
            hint=_masked(question),
            counterexample={"input": str(question), "changed tokens": f"from {early.sum()} on"},
        )


def _masked(question: Question) -> str:
    """Return the hint on the mask, and on the split into heads if there are several."""
    return f"{sentence(MASK)} {MIXED}" if question.n_heads > 1 else sentence(MASK)


@pytest.mark.criterion("mini-transformer", weight=0.2, depends_on=WRITTEN)
def test_first_token(asker: Asker) -> None:
    """With causal=True, the first token attends only to itself, so its output is its own value."""

    def judged(asker: Asker, heads: bool) -> None:
        questions = Draws(asker.inputs, "first token").questions(heads=heads, causal=True)
        for question, output in zip(questions, asker.outputs(*questions), strict=True):
            if not is_close(output[:, 0], question.v[:, 0], "attention"):
                fail(
                    "The output of the first token is not its own value.",
                    hint=_masked(question),
                    actual=first_difference(output[:, 0], question.v[:, 0]),
                    counterexample={"asked": str(question)},
                )

    asker.for_heads(judged)


@pytest.mark.criterion("mini-transformer", weight=0.2, depends_on=WRITTEN)
def test_items_are_independent(asker: Asker) -> None:
    """The output for an item does not depend on the other items of the batch."""

    def judged(asker: Asker, heads: bool) -> None:
        question = asker.question("batch", heads=heads, causal=False)
        both, *alone = asker.outputs(question, *items_of(question))
        if not same(both, np.concatenate(alone)):
            fail(
                "The output for an item in a batch differs from the output for the item alone.",
                hint="Don't sum, normalize or mix anything over the first axis, the batch.",
                counterexample={"asked": str(question)},
            )

    asker.for_heads(judged)


@pytest.mark.criterion("mini-transformer", weight=0.4, depends_on=WRITTEN)
def test_same_answer_again(asker: Asker) -> None:
    """The same input gives the same output again, even after inputs of other sizes."""

    def judged(asker: Asker, heads: bool) -> None:
        draws = Draws(asker.inputs, "again")
        first, *rest = draws.questions(heads=heads, causal=True)
        questions = [first, first, *rest, *[first] * 6]
        attended = attend(asker.student, asker.score, questions, free=True)
        if not all(same(call.output, attended[0].output) for call in (attended[1], *attended[-6:])):
            fail(
                "self_attention gives two different outputs for the same input.",
                hint=f"{RANDOM} Or is a mask from an earlier call reused?",
                counterexample={"asked": str(first)},
            )

    asker.for_heads(judged)


@pytest.mark.criterion("mini-transformer", weight=0.5, depends_on=WRITTEN)
def test_inputs_are_kept(asker: Asker) -> None:
    """self_attention does not modify Q, K and V or lose precision, and gradients reach them."""

    def judged(asker: Asker, heads: bool) -> None:
        questions = [asker.question("kept", heads=heads, causal=causal) for causal in (False, True)]
        for attended in attend(asker.student, asker.score, questions):
            if not attended.inputs_kept:
                fail(
                    "self_attention modifies its inputs.",
                    hint="Q /= s, Q.mul_(s), Q[...] = and the like write into the caller's tensor.",
                    counterexample={"asked": str(attended.question)},
                )
            if attended.half:
                fail(
                    "self_attention returns float16, although Q, K and V are float32.",
                    hint="Remove .half(): the model's next layer raises for another dtype.",
                    counterexample={"asked": str(attended.question)},
                )
        for question in questions:
            require_backward(asker.student, question)

    asker.for_heads(judged)


@pytest.mark.criterion("mini-transformer", weight=0.2, depends_on=WRITTEN)
def test_finite_on_large_scores(asker: Asker) -> None:
    """Scores 200 times larger than usual still give finite outputs."""
    asker.for_heads(_require_finite)


def _require_finite(asker: Asker, heads: bool) -> None:
    for causal in (False, True):
        question = asker.question("large", heads=heads, causal=causal)
        plain, output = asker.outputs(question, large := steep(question))
        example = {"input": f"{question}, Q multiplied by {STEEP:g}"}
        if not np.isfinite(output).all():
            hint = (
                "Use torch.softmax, which subtracts each row's maximum; exp alone overflows. "
                "A completely masked row gives nan."
            )
            fail(
                "With large scores, outputs are not finite (inf or nan).",
                hint=hint,
                counterexample=example,
            )
        # A mask that is too weak already at usual scores loses points in other checks.
        hidden = causal and is_close(plain[:, 0], question.v[:, 0], "exact")
        if hidden and not is_close(output[:, 0], large.v[:, 0], "attention"):
            hint = f"{sentence(MASK)} A number like -100 can be above an unmasked score."
            fail(
                "With large scores, the first token attends to later tokens.",
                hint=hint,
                counterexample=example,
            )


@pytest.mark.criterion("mini-transformer", weight=0.2, depends_on=WRITTEN)
def test_order_does_not_matter(asker: Asker) -> None:
    """Without a mask, permuting the tokens permutes the outputs in the same way."""

    def judged(asker: Asker, heads: bool) -> None:
        question = asker.question("order", heads=heads, causal=False)
        order = asker.inputs.generator("order", heads).permutation(question.q.shape[1])
        order = order if (np.diff(order) != 1).any() else order[::-1]
        q, k, v = (tensor[:, order] for tensor in (question.q, question.k, question.v))
        before, after = asker.outputs(question, replace(question, q=q, k=k, v=v))
        if not same(after, before[:, order]):
            fail(
                "With causal=False, permuting the tokens changes more than the outputs' order.",
                hint="Each token's weights depend only on its scores; reshape must not mix tokens.",
                counterexample={"asked": str(question)},
            )

    asker.for_heads(judged)
