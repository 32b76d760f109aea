"""The parameters that train() changed in a student's model, and those that it may change."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from graders.boundary.outcome import clean
from graders.boundary.student import Student
from graders.checks.compare import fail
from graders.checks.inputs import Inputs

from ..batches import Batch
from ..replies import mapping, sequence
from ..training.runs import Plan
from .questions import Question, draw_texts, outside_parts, vocabulary_of

PLAN = Plan(epochs=2, batch_size=3, lr=0.01)
ITEMS = 6


@dataclass(frozen=True, slots=True)
class Tuned:
    """The parameters by part, those that changed, and those of each optimizer."""

    head: frozenset[str]
    rest: frozenset[str]
    backbone: frozenset[str]
    changed: frozenset[str]
    optimized: Sequence[frozenset[str]]
    sizes: Mapping[str, int]
    error: str
    raises: str  # what the model itself raises in training mode, if nothing changed
    untied: bool  # whether its logits depend on no parameter then

    @property
    def trained(self) -> frozenset[str]:
        """The changed parameters; if none, those of the last optimizer that fits.

        Another check reports a loop that does not step; this is about the choice of parameters.
        """
        hopeless = self.raises or self.untied or self.error == "NotImplementedError"
        if self.changed or hopeless or not self.optimized:
            return self.changed
        narrow = [names for names in self.optimized if not names & self.backbone]
        return narrow[-1] if narrow else self.optimized[-1]

    def count(self, names: frozenset[str]) -> int:
        """Return the number of elements in these parameters."""
        return sum(self.sizes.get(name, 0) for name in names)


def tuned(student: Student, inputs: Inputs, question: Question, file: str) -> Tuned:
    """Train a model of this question's kind briefly."""
    return student.call(
        "tuned",
        spec=question.spec,
        batches={name: dict(_batch(inputs, question, name)) for name in ("train", "held_out")},
        plan=asdict(PLAN),
        file=file,
        read=_tuned,
    )


def _tuned(reply: Any) -> Tuned:
    mapping(reply, "error", "raises", "untied", "parts", "changed", "backbone", "made", "sizes")
    outside = outside_parts(reply["parts"])
    return Tuned(
        frozenset(name for name, (part, _) in outside.items() if part == "head"),
        frozenset(name for name, (part, _) in outside.items() if part == "rest"),
        frozenset(sequence(reply["backbone"], str)),
        frozenset(sequence(reply["changed"], str)),
        [frozenset(sequence(names, str)) for names in sequence(reply["made"], list)],
        {str(k): v for k, v in mapping(reply["sizes"]).items() if type(v) is int},
        str(reply["error"]),
        str(reply["raises"]),
        reply["untied"] is True,
    )


def require_trained(reply: Tuned) -> frozenset[str]:
    """Return the trained parameters; fail if there are none."""
    if reply.trained:
        return reply.trained
    if reply.raises:
        fail(
            "The model raises an error in training mode, so it cannot be trained.",
            hint="It works in evaluation mode. Call it once after model.train().",
            actual=clean(reply.raises),
        )
    if reply.untied:
        fail(
            "In training mode, the logits do not depend on the model's parameters, so it cannot be "
            "trained.",
            hint="Return what the classifier computes, also after model.train().",
        )
    if reply.error:
        fail(
            "Training doesn't change any parameter of the model.",
            hint="train() ends with this error before it changes the model. Fix it first.",
            actual=f"the run ended with {reply.error}"[:100],
        )
    fail(
        "Training doesn't change any parameter of the model.",
        hint="Pass the parameters that this method trains to the optimizer, and call step().",
    )


def _batch(inputs: Inputs, question: Question, purpose: str) -> Batch:
    """Draw texts of the question's family, with labels."""
    source = inputs.generator("tuning", purpose, question.family)
    vocabulary = vocabulary_of(question.weights["backbone"])
    parts = [draw_texts(source, question.family, vocabulary) for _ in range(2)]
    T = min(part["input_ids"].shape[1] for part in parts)
    joined = {name: np.concatenate([part[name][:, :T] for part in parts]) for name in parts[0]}
    return {**joined, "labels": source.permutation([0, 1] * (ITEMS // 2))}
