"""Prefix tuning: trained vectors before the words' embeddings; they and the classifier learn."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hw6_asked import Asked, in_each_model
from hw6_prefixes import (
    CALLED,
    EMBEDDED,
    ORDERED,
    TYPE,
    is_called_rightly,
    is_mask_too_short,
    is_masked_rightly,
    known_mistake,
    prefix_question,
    require_prefix,
    varies,
)
from hw6_tuned import Tuned, require_trained
from hw6_tuning import PREFIX_LENGTH, Forward, Question

from graders.checks.compare import fail, is_close

NUMBERED = ("roberta",)  # given embeddings, it numbers the positions of padding, too
WRITTEN = ("prefix-model-gives-logits",)
COUNT = "130d + 2 numbers: 128 vectors of d, and the classifier's 2d + 2"


@pytest.mark.criterion("prefix-tuning", weight=0)
def test_prefix_model_gives_logits(student, inputs, sandbox):
    """The model of type prefix gives two logits for every text, in which the prefix shows."""

    def judge(asked: Asked) -> None:
        for question, came in _unpadded(asked):
            weights = {**question.weights, "prefix": -question.weights["prefix"]}
            other = asked.forward(replace(question, weights=weights))
            given = came.prefix == question.weights["prefix"].size
            if given and is_close(came.logits, other.logits, "attention"):
                fail(
                    "The logits are the same whatever the prefix is.",
                    hint=f"{CALLED}. Checks that hold of any such code are not counted.",
                    counterexample={"model": question.family},
                )

    in_each_model(Asked(student, sandbox, inputs), judge)


@pytest.mark.criterion("prefix-tuning", depends_on=WRITTEN)
def test_prefix_is_a_parameter(student, inputs, sandbox):
    """The prefix is one trainable parameter of prefix_length vectors, the same for every text."""

    def judge(asked: Asked) -> None:
        for question, came in _unpadded(asked):
            require_prefix(question, came)

    in_each_model(Asked(student, sandbox, inputs), judge)


@pytest.mark.criterion("prefix-tuning", weight=2, depends_on=WRITTEN)
def test_prefix_stands_before_the_words(student, inputs, sandbox):
    """The backbone gets the prefix, then the words' embeddings; the mean is classified."""

    def judge(asked: Asked) -> None:
        for question, came in _unpadded(asked):
            pooled, found = asked.own_poolings(question), asked.found(question, came)
            right = any(each.called == "right" and each.pooled in pooled for each in found)
            right = right or (not pooled and is_called_rightly(question, came))
            if right and not is_mask_too_short(question, came):
                continue
            fail(
                "The logits are not those of the prefix followed by the text.",
                hint=known_mistake(question, came, found),
                counterexample={
                    "model": question.family,
                    "prefix_length": str(question.length),
                    "texts": "all of one length",
                },
            )

    in_each_model(Asked(student, sandbox, inputs), judge)


@pytest.mark.criterion("prefix-tuning", depends_on=WRITTEN)
def test_mask_covers_the_prefix(student, inputs, sandbox):
    """The mask has a one for each vector of the prefix, and then the text's own mask."""

    def judge(asked: Asked) -> None:
        for family in set(asked.families) - set(NUMBERED):
            question = prefix_question(asked, family)
            came = asked.forward(question)
            found = asked.found(question, came)
            if any(each.called in ORDERED for each in found) or is_masked_rightly(question, came):
                continue
            fail(
                "The mask is not that of the prefix followed by the text.",
                hint=known_mistake(question, came, found),
                counterexample={"model": family, "prefix_length": str(question.length)},
            )

    in_each_model(Asked(student, sandbox, inputs), judge)


@pytest.mark.criterion("prefix-tuning", depends_on=WRITTEN)
def test_no_prefix_is_the_head_model(student, inputs, sandbox):
    """With a prefix of length 0 the logits are those of the model of type head."""

    def judge(asked: Asked) -> None:
        if not varies(asked):
            return
        for question, came in _unpadded(asked, length=0):
            head = asked.forward(question.of_type("head"))
            if not is_close(came.logits, head.logits, "attention"):
                fail(
                    "Without any prefix the logits are not those of the head model.",
                    hint=f"{EMBEDDED}; {CALLED}.",
                    counterexample={"model": question.family, "prefix_length": "0"},
                )

    in_each_model(Asked(student, sandbox, inputs), judge)


@pytest.mark.criterion("prefix-tuning", depends_on=WRITTEN)
def test_gradient_reaches_the_prefix(student, inputs, sandbox):
    """The loss has a gradient with respect to the prefix, so that it can learn."""

    def judge(asked: Asked) -> None:
        for question, came in _unpadded(asked):
            if not any(came.gradients.get(name, 0.0) > 0 for name in came.outside_of("rest")):
                fail(
                    "No gradient reaches the prefix.",
                    hint="It is an nn.Parameter; detach(), .data and no_grad() cut it off.",
                    counterexample={"model": question.family},
                )

    in_each_model(Asked(student, sandbox, inputs), judge)


@pytest.mark.criterion("prefix-tuning", weight=2, depends_on=WRITTEN)
def test_prefix_and_head_are_trained(student, inputs, sandbox):
    """Training changes the 130d + 2 numbers of prefix and classifier, and no others."""

    def judge(asked: Asked) -> None:
        came = asked.tuned(asked.question("roberta", TYPE, PREFIX_LENGTH))
        trained, wanted = require_trained(came), (PREFIX_LENGTH + 2) * asked.width + 2
        problem = _problem(came)
        if problem is None and came.count(trained) == wanted:
            return
        message, hint = problem or ("Prefix and classifier have not the size they should.", COUNT)
        fail(
            message,
            hint=f"{hint}.",
            expected=f"{COUNT}, so {wanted:,} for d = {asked.width}",
            actual=f"{came.count(trained):,} numbers change",
        )

    in_each_model(Asked(student, sandbox, inputs), judge)


def _unpadded(asked: Asked, *, length: int | None = None) -> Iterator[tuple[Question, Forward]]:
    """A question to a backbone of each family, and what came back."""
    for family in asked.families:
        question = prefix_question(asked, family, length).unpadded()
        yield question, asked.forward(question)


def _problem(came: Tuned) -> tuple[str, str] | None:
    """What is trained that should not be, or the other way round, with a hint."""
    if came.trained & came.backbone:
        hint = "Give the optimizer prefix and classifier alone, or freeze the backbone"
        return "Training changes the backbone, which is to stay as it is.", hint
    if not came.trained & came.rest:
        hint = "Is self.prefix an nn.Parameter, and is it among the optimizer's parameters?"
        return "Training leaves the prefix as it was.", hint.rstrip("?")
    if not came.head <= came.trained:
        hint = "The classifier learns, too: give its parameters to the optimizer"
        return "Training leaves the classifier as it was.", hint
    return None
