"""Prefix tuning: trained vectors before the words' embeddings.

Only they and the classifier learn.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from graders.boundary.student import Student
from graders.checks.compare import fail, is_close
from graders.checks.inputs import Inputs
from graders.checks.score import Score

from ..tuning.model_class import ModelClass, in_each_model
from ..tuning.pooling import Way
from ..tuning.questions import PREFIX_LENGTH, RANDOM, Forward, Question
from ..tuning.tuned import Tuned, require_trained
from .expected import (
    BEFORE,
    CALLED,
    ONE,
    ORDERED,
    RENEWED,
    SHORT,
    TYPE,
    has_wrong_length,
    is_called_rightly,
    is_mask_too_short,
    is_masked_rightly,
    is_prefix_renewed,
    known_mistake,
    prefix_names,
    prefix_question,
    require_prefix,
)

NUMBERED = ("roberta",)  # with embeddings as input, it also numbers the positions of padding
WRITTEN = ("prefix-model-gives-logits",)
COUNT = "130d + 2 parameters (128 vectors of size d, and the classifier's 2d + 2)"


@pytest.mark.criterion("prefix-tuning", weight=0)
def test_prefix_model_gives_logits(
    student: Student, inputs: Inputs, sandbox: Student, score: Score
) -> None:
    """Prerequisite: type prefix returns two logits per text, which depend on the prefix."""

    def judge(model: ModelClass) -> None:
        for question, reply in _unpadded(model):
            weights = {**question.weights, "prefix": -question.weights["prefix"]}
            other = model.forward(replace(question, weights=weights))
            has_prefix = reply.prefix == question.weights["prefix"].size
            if has_prefix and is_close(reply.logits, other.logits, "attention"):
                fail(
                    "The logits don't depend on the prefix.",
                    hint=f"{CALLED}. Other checks are skipped until then.",
                    counterexample={"model": question.family},
                )

    in_each_model(ModelClass(student, sandbox, inputs, score), judge)


@pytest.mark.criterion("prefix-tuning", depends_on=WRITTEN)
def test_prefix_is_a_parameter(
    student: Student, inputs: Inputs, sandbox: Student, score: Score
) -> None:
    """The prefix is one trainable parameter of prefix_length vectors, shared by all texts."""

    def judge(model: ModelClass) -> None:
        for question, reply in _unpadded(model):
            require_prefix(model, question, reply)

    in_each_model(ModelClass(student, sandbox, inputs, score), judge)


@pytest.mark.criterion("prefix-tuning", weight=2, depends_on=WRITTEN)
def test_prefix_stands_before_the_words(
    student: Student, inputs: Inputs, sandbox: Student, score: Score
) -> None:
    """The backbone gets the prefix followed by the word embeddings; the mean is classified."""

    def judge(model: ModelClass) -> None:
        for question, reply in _unpadded(model):
            ways = model.matching_ways(question, reply)
            if _is_before(model, question, reply, ways):
                reply.require_same_in_training()
                if model.forward(question.of_type("full")).same_again:  # or else it lost points
                    reply.require_same_again()
                continue
            hint = RANDOM if reply.random else known_mistake(ways)
            fail(
                "The logits are not computed from the prefix followed by the text.",
                hint=RENEWED if is_prefix_renewed(question, reply) else hint,
                counterexample={
                    "model": question.family,
                    "prefix_length": str(question.length),
                    "texts": "all of equal length",
                },
            )

    in_each_model(ModelClass(student, sandbox, inputs, score), judge)


def _is_before(model: ModelClass, question: Question, reply: Forward, ways: Sequence[Way]) -> bool:
    """Return whether the backbone gets prefix and words, whatever the mask is.

    The pooling is the full model's, if it is known: that one has already cost its points.
    """
    pooled = model.own_poolings(question)
    if any(way.called in BEFORE and way.pooled in pooled for way in ways):
        return True
    masked = is_masked_rightly(question, reply) and not has_wrong_length(question, reply)
    unknown = not pooled or not (ways or masked)
    return unknown and is_called_rightly(question, reply)


@pytest.mark.criterion("prefix-tuning", weight=2, depends_on=WRITTEN)
def test_mask_covers_the_prefix(
    student: Student, inputs: Inputs, sandbox: Student, score: Score
) -> None:
    """The mask has a 1 for each prefix vector, followed by the mask of the text."""

    def judge(model: ModelClass) -> None:
        for question, reply in _unpadded(model):
            if has_wrong_length(question, reply):
                fail(
                    "The mask does not have a 1 for each prefix vector.",
                    hint=f"{SHORT if is_mask_too_short(reply) else CALLED}.",
                )
        for family in set(model.families) - set(NUMBERED):
            question = prefix_question(model, family)
            reply = model.forward(question)
            ways = model.matching_ways(question, reply)
            if any(way.called in ORDERED for way in ways) or is_masked_rightly(question, reply):
                continue
            fail(
                "The mask does not match the prefix followed by the text.",
                hint=known_mistake(ways),
                counterexample={"model": family, "prefix_length": str(question.length)},
            )

    in_each_model(ModelClass(student, sandbox, inputs, score), judge)


@pytest.mark.criterion("prefix-tuning", weight=1.5, depends_on=WRITTEN)
def test_gradient_reaches_the_prefix(
    student: Student, inputs: Inputs, sandbox: Student, score: Score
) -> None:
    """The loss has a gradient with respect to the prefix, so the prefix can be trained."""

    def judge(model: ModelClass) -> None:
        for question, reply in _unpadded(model):
            names = prefix_names(model, question, reply)
            if not any(reply.gradients.get(name, 0.0) > 0 for name in names):
                fail(
                    "No gradient reaches the prefix.",
                    hint="Don't use detach(), .data, no_grad() or requires_grad=False on it."
                    if names
                    else f"The prefix isn't a parameter of the model; make it {ONE}.",
                    counterexample={"model": question.family},
                )

    in_each_model(ModelClass(student, sandbox, inputs, score), judge)


@pytest.mark.criterion("prefix-tuning", weight=1.5, depends_on=WRITTEN)
def test_prefix_and_head_are_trained(
    student: Student, inputs: Inputs, sandbox: Student, score: Score
) -> None:
    """Training changes only the 130d + 2 parameters of the prefix and the classifier."""

    def judge(model: ModelClass) -> None:
        question = model.question("roberta", TYPE, PREFIX_LENGTH)
        tuned, seen = model.tuned(question), model.forward(question.unpadded())
        names = prefix_names(model, question, seen)
        learns = frozenset(name for name in names if seen.gradients.get(name, 0.0) > 0)
        problem = _problem(tuned, learns)
        if problem is None:
            return
        message, hint = problem
        fail(
            message,
            hint=f"{hint}.",
            expected=f"{COUNT}; {(PREFIX_LENGTH + 2) * model.width + 2:,} for d = {model.width}",
            actual=f"{tuned.count(require_trained(tuned)):,} parameters change",
        )

    in_each_model(ModelClass(student, sandbox, inputs, score), judge)


def _unpadded(model: ModelClass) -> Iterator[tuple[Question, Forward]]:
    """Yield a question for a backbone of each family, and the result."""
    for family in model.families:
        question = prefix_question(model, family).unpadded()
        yield question, model.forward(question)


def _problem(tuned: Tuned, prefix: frozenset[str]) -> tuple[str, str] | None:
    """Return which parameters are wrongly trained or not trained, with a hint.

    `prefix` are the parts of it that can learn: another check reports if no gradient reaches it.
    """
    trained = require_trained(tuned)
    if trained & tuned.backbone:
        hint = "Pass only prefix and classifier to the optimizer, or freeze the backbone"
        return "Training changes the backbone, which should stay frozen.", hint
    if prefix and not trained & prefix:
        hint = "Pass self.prefix to the optimizer as well, and don't freeze it"
        return "Training leaves the prefix unchanged.", hint
    if not tuned.head <= trained:
        hint = (
            "Train the classifier, too: pass its parameters to the optimizer, and don't freeze it"
        )
        return "Training leaves the classifier unchanged.", hint
    return None
