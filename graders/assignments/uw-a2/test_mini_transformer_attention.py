"""self_attention: its values, how it is put together, and what holds of any attention."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pytest
from a2_attention import Floats, Question
from a2_mini_mistakes import MASK, SOFTMAX
from a2_mini_questions import STEEP, Draws, items_of, steep
from a2_mini_replies import RANDOM, attend, first_difference, note_gradients, same, sentence
from a2_mini_values import each_counts, require_composition, require_values

from graders.boundary.student import Student
from graders.checks.compare import CheckFailed, fail, is_close
from graders.checks.inputs import Inputs
from graders.checks.score import Score
from graders.errors import StudentRaised

WRITTEN = ("self-attention-is-written",)
NOT_COUNTED = "what holds of code that does nothing is not counted"
MIXED = "A view or reshape without its transpose mixes tokens, too."
FAR = 1e4  # how large later values are made, so that a trace of them shows
SETTINGS = [(heads, causal) for heads in (False, True) for causal in (False, True)]


@dataclass(frozen=True, slots=True)
class Asker:
    """Asks self_attention of one submission."""

    student: Student
    score: Score
    inputs: Inputs

    def question(self, purpose: str, *, heads: bool, causal: bool) -> Question:
        """An ordinary one, of several items and tokens."""
        draws = Draws(self.inputs, purpose)
        return draws.question(draws.attention_sizes(heads=heads)[0], causal=causal)

    def outputs(self, *questions: Question) -> list[Floats]:
        """The output for each question."""
        return [each.output for each in attend(self.student, self.score, questions)]

    def values(self, *, heads: bool, causal: bool) -> None:
        """Fail where its values are wrong."""
        questions = Draws(self.inputs, "values").questions(heads=heads, causal=causal)
        require_values(self.student, self.score, questions)

    def for_heads(self, judgement: Callable[["Asker", bool], None]) -> None:
        """One head and several heads count by themselves."""
        each_counts(self.score, [partial(judgement, self, heads) for heads in (False, True)])


@pytest.fixture
def asker(student, score, inputs):
    return Asker(student, score, inputs)


@pytest.mark.criterion("mini-transformer", weight=0)
def test_self_attention_is_written(asker):
    """self_attention lets the queries, the keys and the values of other tokens take part."""
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
    """Fail where the last token takes nothing from others, or the same whatever is asked."""
    first = np.arange(question.q.shape[1]) < question.q.shape[1] - 1
    factors = (-1, -1, np.float32(-0.5))  # all by -1, products of three would change nothing
    given = zip(factors, (question.q, question.k, question.v), strict=True)
    others = [np.where(first[:, None], factor * each, each) for factor, each in given]
    changed = {
        "other tokens": Question(*others, n_heads=question.n_heads, causal=question.causal),
        "queries and keys": replace(question, q=question.q[::-1], k=-question.k),
    }
    before, *after = (each[:, -1] for each in asker.outputs(question, *changed.values()))
    for name, output in zip(changed, after, strict=True):
        if is_close(output, before, "attention"):
            fail(
                f"What self_attention gives for a token is the same whatever the {name} are.",
                hint=f"Is it still to be written? If so, {NOT_COUNTED}.",
            )


@pytest.mark.criterion("mini-transformer", weight=2, depends_on=WRITTEN)
def test_self_attention_composition(student, score, inputs):
    """self_attention puts the functions together rightly, be they right themselves or not."""

    def judged(heads: bool, causal: bool) -> None:
        questions = Draws(inputs, "composition").questions(heads=heads, causal=causal)
        require_composition(student, score, questions)

    each_counts(score, [partial(judged, *setting) for setting in SETTINGS])


@pytest.mark.criterion("mini-transformer", weight=0.5)
def test_self_attention_one_head(asker):
    """With one head and no mask, self_attention gives softmax(QKᵀ / sqrt(n_embd)) V."""
    asker.values(heads=False, causal=False)


@pytest.mark.criterion("mini-transformer", weight=0.25)
def test_self_attention_one_head_causal(asker):
    """With one head and causal=True, each token takes from itself and earlier ones alone."""
    asker.values(heads=False, causal=True)


@pytest.mark.criterion("mini-transformer", weight=0.25)
def test_self_attention_defaults(asker):
    """Without further arguments self_attention has one head and is causal."""
    question = asker.question("defaults", heads=False, causal=True)
    require_values(asker.student, asker.score, [replace(question, defaults=True)])


@pytest.mark.criterion("mini-transformer", weight=0.75)
def test_self_attention_heads(asker):
    """With several heads, each one attends with its own features, scaled by its own size."""
    asker.values(heads=True, causal=False)


@pytest.mark.criterion("mini-transformer", weight=0.75)
def test_self_attention_heads_causal(asker):
    """With several heads and causal=True, no head looks at later tokens."""
    asker.values(heads=True, causal=True)


@pytest.mark.criterion("mini-transformer", weight=0.2, depends_on=WRITTEN)
def test_weights_sum_to_one(asker):
    """Each token's weights sum to one: where all values are one, so are the outputs."""

    def judged(asker: Asker, heads: bool) -> None:
        for causal in (False, True):
            question = asker.question("ones", heads=heads, causal=causal)
            question = replace(question, v=np.ones_like(question.v))
            (output,) = asker.outputs(question)
            if not is_close(output, question.v, "attention"):
                fail(
                    "The weights of a token do not sum to one.",
                    hint=f"{sentence(SOFTMAX)} A mask belongs before the softmax.",
                    actual=first_difference(output, question.v),
                    counterexample={"asked": f"{question}, all values 1"},
                )

    asker.for_heads(judged)


@pytest.mark.criterion("mini-transformer", weight=0.6, depends_on=WRITTEN)
def test_no_leak_from_the_future(asker):
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
    kept = ~later[:, 0]
    if not same(after[:, kept], before[:, kept]):
        fail(
            "Earlier tokens change with later ones, although causal=True.",
            hint=f"{sentence(MASK)} {MIXED}",
            counterexample={"asked": str(question), "tokens changed": f"from {kept.sum()} on"},
        )


@pytest.mark.criterion("mini-transformer", weight=0.2, depends_on=WRITTEN)
def test_first_token(asker):
    """With causal=True the first token sees itself alone, so its output is its own value."""

    def judged(asker: Asker, heads: bool) -> None:
        asked = Draws(asker.inputs, "first token").questions(heads=heads, causal=True)
        for question, output in zip(asked, asker.outputs(*asked), strict=True):
            if not is_close(output[:, 0], question.v[:, 0], "attention"):
                fail(
                    "The output of the first token is not its own value.",
                    hint=f"{sentence(MASK)} {MIXED}",
                    actual=first_difference(output[:, 0], question.v[:, 0]),
                    counterexample={"asked": str(question)},
                )

    asker.for_heads(judged)


@pytest.mark.criterion("mini-transformer", weight=0.2, depends_on=WRITTEN)
def test_items_are_independent(asker):
    """What an item of the batch gives does not depend on the other items."""

    def judged(asker: Asker, heads: bool) -> None:
        question = asker.question("batch", heads=heads, causal=False)
        both, *alone = asker.outputs(question, *items_of(question))
        if not same(both, np.concatenate(alone)):
            fail(
                "An item gives another output alone than in a batch.",
                hint="Nothing is summed, normalised or mixed over the first axis, the batch.",
                counterexample={"asked": str(question)},
            )

    asker.for_heads(judged)


@pytest.mark.criterion("mini-transformer", weight=0.4, depends_on=WRITTEN)
def test_same_answer_again(asker):
    """Asked the same again, also after other sizes, self_attention answers the same."""

    def judged(asker: Asker, heads: bool) -> None:
        draws = Draws(asker.inputs, "again")
        first, *others = draws.questions(heads=heads, causal=True)
        asked = [first, first, *others, *[first] * 6]
        came = attend(asker.student, asker.score, asked, free=True)
        if not all(same(each.output, came[0].output) for each in (came[1], *came[-6:])):
            fail(
                "self_attention gives two answers to one question.",
                hint=f"{RANDOM} Or is a mask kept from an earlier call?",
                counterexample={"asked": str(first)},
            )

    asker.for_heads(judged)


@pytest.mark.criterion("mini-transformer", weight=0.5, depends_on=WRITTEN)
def test_inputs_are_kept(asker):
    """self_attention leaves Q, K and V as they are."""

    def judged(asker: Asker, heads: bool) -> None:
        asked = [asker.question("kept", heads=heads, causal=each) for each in (False, True)]
        for attended in attend(asker.student, asker.score, asked):
            if not attended.inputs_kept:
                fail(
                    "self_attention changes its inputs.",
                    hint="Q /= s, Q.mul_(s), Q[...] = and the like write into the caller's tensor.",
                    counterexample={"asked": str(attended.question)},
                )

    asker.for_heads(judged)


@pytest.mark.criterion("mini-transformer", weight=0.2, depends_on=WRITTEN)
def test_finite_on_large_scores(asker):
    """Scores 200 times as large as usual still give finite outputs."""
    asker.for_heads(_require_finite)


def _require_finite(asker: Asker, heads: bool) -> None:
    for causal in (False, True):
        question = asker.question("large", heads=heads, causal=causal)
        plain, output = asker.outputs(question, large := steep(question))
        said = {"counterexample": {"asked": f"{question}, Q multiplied by {STEEP:g}"}}
        if not np.isfinite(output).all():
            hint = (
                "torch.softmax subtracts each row's maximum first; exp alone overflows. "
                "A row that is masked as a whole gives nan."
            )
            fail("Large scores give outputs that are not finite (inf or nan).", hint=hint, **said)
        hidden = causal and is_close(plain[:, 0], question.v[:, 0], "attention")
        if hidden and not is_close(output[:, 0], large.v[:, 0], "attention"):
            hint = f"{sentence(MASK)} A number like -100 can be above a score that counts."
            fail("Where scores are large, the first token sees later ones.", hint=hint, **said)


@pytest.mark.criterion("mini-transformer", weight=0.2, depends_on=WRITTEN)
def test_order_does_not_matter(asker):
    """Without a mask, tokens in another order give the same outputs in that order."""

    def judged(asker: Asker, heads: bool) -> None:
        question = asker.question("order", heads=heads, causal=False)
        order = asker.inputs.generator("order", heads).permutation(question.q.shape[1])
        order = order if (np.diff(order) != 1).any() else order[::-1]
        q, k, v = (each[:, order] for each in (question.q, question.k, question.v))
        before, after = asker.outputs(question, replace(question, q=q, k=k, v=v))
        if not same(after, before[:, order]):
            fail(
                "With causal=False the order of the tokens changes more than the order of outputs.",
                hint="Each token's weights come of its scores alone; reshape must not mix tokens.",
                counterexample={"asked": str(question)},
            )

    asker.for_heads(judged)
