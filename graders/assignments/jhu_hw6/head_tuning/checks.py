"""Head tuning: the model of full fine-tuning, with only the classifier trained."""

import pytest

from graders.boundary.student import Student
from graders.checks.compare import fail, is_close
from graders.checks.inputs import Inputs
from graders.checks.score import Score

from ..tuning.model_class import ModelClass, in_each_model
from ..tuning.pooling import ACCEPTED, POOLED
from ..tuning.questions import Question
from ..tuning.tuned import Tuned, require_trained

TYPE = "head"
COUNT = "2d + 2 parameters (two rows of weights and two biases)"
WRITTEN = ("head-model-gives-logits",)


@pytest.mark.criterion("head-tuning")
def test_head_model_gives_logits(
    student: Student, inputs: Inputs, sandbox: Student, score: Score
) -> None:
    """With the same weights, type head returns the same logits as type full."""

    def judge(model: ModelClass) -> None:
        for family in model.families:
            padded = model.question(family, TYPE)
            for question in (padded.unpadded(), padded):
                _require_logits_of_full(model, question)

    in_each_model(ModelClass(student, sandbox, inputs, score), judge)


def _require_logits_of_full(model: ModelClass, question: Question) -> None:
    """Fail if the logits are neither the handout's nor those of the student's full model."""
    reply = model.forward(question)
    ways = model.matching_ways(question, reply)
    if any(way.called == "right" and way.pooled in ACCEPTED for way in ways):
        return
    full = model.forward(question.of_type("full"))
    if is_close(reply.logits, full.logits, "attention"):
        return
    blind = is_close(reply.logits, model.forward(question.all_seen()).logits, "attention")
    fail(
        "With the same weights, types head and full return different logits.",
        hint="The backbone treats padding as text: pass it the attention mask."
        if blind and question.is_padded
        else f"They differ in what is trained, not in what they compute. {POOLED}.",
        counterexample={
            "model": question.family,
            "texts": "of different lengths" if question.is_padded else "all of equal length",
        },
    )


@pytest.mark.criterion("head-tuning", weight=3, depends_on=WRITTEN)
def test_only_the_head_is_trained(
    student: Student, inputs: Inputs, sandbox: Student, score: Score
) -> None:
    """With type head, training changes only the 2d + 2 parameters of the classifier."""

    def judge(model: ModelClass) -> None:
        _require_head_alone(model.tuned(model.question("bert", TYPE)), model.width)

    in_each_model(ModelClass(student, sandbox, inputs, score), judge)


def _require_head_alone(tuned: Tuned, width: int) -> None:
    """Fail if the backbone or the rest is trained, or a part of the head is not."""
    trained = require_trained(tuned)
    if trained & tuned.backbone:
        fail(
            "Training changes the backbone, which should stay frozen.",
            hint="Pass only the classifier's parameters to the optimizer, or freeze the others.",
            expected=f"{COUNT}; {2 * width + 2} for d = {width}",
            actual=f"{tuned.count(trained):,} parameters change (d = {width})",
        )
    if not tuned.head <= trained:
        fail(
            "Training leaves parts of the classifier unchanged.",
            hint="Pass all parameters of the classifier to the optimizer, and don't freeze any.",
            expected=f"{COUNT}; {2 * width + 2} for d = {width}",
            actual=f"{tuned.count(trained):,} change, in {', '.join(sorted(trained)[:4])}",
        )
