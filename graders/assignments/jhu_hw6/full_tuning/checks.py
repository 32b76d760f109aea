"""Full fine-tuning: classify the mean of the last hidden states; everything is trained."""

from collections.abc import Sequence

import numpy as np
import pytest

from graders.boundary.student import Student
from graders.checks.compare import fail, is_close, largest_difference
from graders.checks.inputs import Inputs
from graders.checks.score import Score

from ..replies import Floats, floats
from ..tuning.model_class import ModelClass, in_each_model
from ..tuning.pooling import ACCEPTED, POOLED, POOLINGS, SHRUNK
from ..tuning.questions import AGAIN, RANDOM, Forward, Question
from ..tuning.tuned import require_trained

TYPE = "full"
WRITTEN = ("full-model-gives-logits",)
SHIFTED = (
    "The logits are off by the same numbers for every text: does your classifier have a bias? "
)
OTHER_MASK = "The backbone gets a different mask from the batch's, such as its inverse"
MOST = 0.8  # of the backbone's parameters; an unused pooler does not change


@pytest.mark.criterion("full-tuning", weight=0)
def test_full_model_gives_logits(
    student: Student, inputs: Inputs, sandbox: Student, score: Score
) -> None:
    """Prerequisite: type full returns two logits per text, from one linear layer."""

    def judge(model: ModelClass) -> None:
        for question in model.questions(TYPE):
            reply = model.forward(question)
            if reply.output != "dict":
                score.note(
                    'Accepted: forward returns its logits in a form other than {"logits": …}.'
                )
            if not reply.outside_of("head"):
                fail(
                    "The model has no linear layer with two outputs.",
                    hint="Define self.classifier = nn.Linear(d, num_labels).",
                )

    in_each_model(ModelClass(student, sandbox, inputs, score), judge)


@pytest.mark.criterion("full-tuning", weight=2, depends_on=WRITTEN)
def test_mean_is_classified(
    student: Student, inputs: Inputs, sandbox: Student, score: Score
) -> None:
    """The classifier gets the mean of the last hidden states over all tokens."""

    def judge(model: ModelClass) -> None:
        for question in model.questions(TYPE):
            reply = model.forward(question)
            ways = model.matching_ways(question, reply)
            if any(way.pooled in ACCEPTED for way in ways):
                reply.require_same_in_training()
                reply.require_same_again()
                _require_same_alone(model, question, reply.logits)
                continue
            named = {POOLINGS[way.pooled] for way in ways if "of the text" not in way.pooled}
            mistake = f"{named.pop()}. " if len(named) == 1 else ""
            expected = model.ways(question)["right"]["mean"]
            mistake = mistake or _why_not_pooled(question, reply, reply.logits - expected)
            hint = f"{mistake}{POOLED}." if mistake or reply.same_again else AGAIN
            fail(
                "The logits are not computed from the mean of the last hidden states.",
                hint=RANDOM if reply.random else hint,
                actual=largest_difference(reply.logits, expected),
                counterexample={"model": question.family, "texts": "all of equal length"},
            )

    in_each_model(ModelClass(student, sandbox, inputs, score), judge)


@pytest.mark.criterion("full-tuning", depends_on=WRITTEN)
def test_padding_is_masked(
    student: Student, inputs: Inputs, sandbox: Student, score: Score
) -> None:
    """The backbone gets the attention mask, so it ignores padding."""

    def judge(model: ModelClass) -> None:
        for family in model.families:
            question = model.question(family, TYPE)
            reply = model.forward(question)
            ways = model.matching_ways(question, reply)
            right = {way.pooled for way in ways if way.called == "right"}
            if right == {SHRUNK}:
                fail(
                    f"{POOLINGS[SHRUNK]}, so logits shrink with padding.",
                    hint="Divide by the number of tokens of the text: attention_mask.sum(1).",
                    counterexample={"model": family},
                )
            if right:
                # Without padding, a difference costs the points of the mean.
                if model.forward(question.unpadded()).same_in_training:
                    reply.require_same_in_training()
                continue
            if _got_other_mask(question, reply):
                fail(
                    f"{OTHER_MASK}.",
                    hint="Pass the batch's attention_mask as it is: 1 for text, 0 for padding.",
                    counterexample={"model": family},
                )
            blind = is_close(reply.logits, model.forward(question.all_seen()).logits, "attention")
            if ways or (blind and not _got_mask(question, reply)):
                fail(
                    "The backbone treats padding as text.",
                    hint="Pass attention_mask=attention_mask to the backbone.",
                    counterexample={"model": family},
                )

    in_each_model(ModelClass(student, sandbox, inputs, score), judge)


@pytest.mark.criterion("full-tuning", depends_on=WRITTEN)
def test_all_of_the_model_is_trained(
    student: Student, inputs: Inputs, sandbox: Student, score: Score
) -> None:
    """With type full, training changes the pretrained backbone and the classifier."""

    def judge(model: ModelClass) -> None:
        if not model.forward(model.question("bert", TYPE)).pretrained:
            fail(
                "The backbone has random weights, not the pretrained ones.",
                hint="from_config makes a model without weights; use from_pretrained.",
            )
        tuned = model.tuned(model.question("bert", TYPE))  # its pooler has no gradients
        trained = require_trained(tuned)
        backbone = frozenset(name for name in tuned.backbone if "pooler" not in name)
        still = sorted((backbone | tuned.head) - trained)
        if len(backbone & trained) < MOST * len(backbone) or not tuned.head <= trained:
            fail(
                "With type full, training leaves some parameters unchanged.",
                hint="Pass all parameters of the model to the optimizer, and don't freeze any or "
                "detach the hidden states.",
                actual=f"unchanged: {', '.join(still[:3])} and {max(len(still) - 3, 0)} more",
            )

    in_each_model(ModelClass(student, sandbox, inputs, score), judge)


def _why_not_pooled(question: Question, reply: Forward, apart: Floats) -> str:
    """Return why logits that are this far from the expected ones match no pooling."""
    if _got_other_mask(question, reply):
        return f"{OTHER_MASK}. "
    is_shifted = is_close(apart, np.broadcast_to(apart[:1], apart.shape), "attention")
    return SHIFTED if is_shifted else ""


def _got_mask(question: Question, reply: Forward) -> bool:
    """Return whether the backbone got the mask; a layer before the attention doesn't show it."""
    expected = question.batch["attention_mask"]
    return any(is_close(mask, expected, "exact") for mask in _masks(question, reply))


def _got_other_mask(question: Question, reply: Forward) -> bool:
    """Return whether the backbone got masks, none of which is the batch's, that hide tokens."""
    masks = _masks(question, reply)
    return any((mask == 0).any() for mask in masks) and not _got_mask(question, reply)


def _masks(question: Question, reply: Forward) -> Sequence[Floats]:
    """Return the masks with the shape of the batch's that the backbone got."""
    masks = [floats(call.get("attention_mask")) for call in reply.calls]
    shape = question.batch["attention_mask"].shape
    return [mask for mask in masks if mask is not None and mask.shape == shape]


def _require_same_alone(model: ModelClass, question: Question, logits: Floats) -> None:
    """Fail if the first text alone, as a last batch may be, has other logits."""
    alone = model.forward(question.first()).logits
    if not is_close(alone, logits[:1], "attention"):
        fail(
            "A text alone in its batch has other logits than among others.",
            hint="Don't compute anything over the first axis, the batch.",
            actual=largest_difference(alone, logits[:1]),
            counterexample={"model": question.family},
        )
