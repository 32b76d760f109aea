"""The model class of one file, and requests to it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from graders.boundary.student import Student
from graders.checks.inputs import Inputs
from graders.checks.score import Score

from ..files import in_each_file
from .pooling import ACCEPTED, Way, Ways, ways, ways_of
from .questions import (
    CLASS,
    FAMILIES,
    NARROW,
    Forward,
    Model,
    Question,
    draw_question,
    logits_of,
    width_of,
)
from .tuned import Tuned, tuned


@dataclass(frozen=True, slots=True)
class ModelClass:
    """The class in one of the student's files, its d, and the oracle."""

    student: Student
    sandbox: Student
    inputs: Inputs
    score: Score
    file: str = ""
    width: int = 0

    @property
    def families(self) -> Sequence[str]:
        """The backbones to test: wide ones are slow, so one of those is enough."""
        return FAMILIES if self.width == NARROW else FAMILIES[:1]

    def question(self, family: str, tuning: str, length: int | None = None) -> Question:
        """Return a question for a model of this family and type."""
        return draw_question(self.inputs, self.sandbox, Model(family, tuning, self.width, length))

    def questions(self, tuning: str) -> Iterator[Question]:
        """Yield a question for each family; all texts have the same length."""
        for family in self.families:
            yield self.question(family, tuning).unpadded()

    def forward(self, question: Question) -> Forward:
        """Return the student's logits."""
        return logits_of(self.student, question, self.file)

    def ways(self, question: Question) -> Ways:
        """Return the logits of all known ways."""
        return ways(self.sandbox, question)

    def matching_ways(self, question: Question, reply: Forward) -> list[Way]:
        """Return the ways that give the student's logits."""
        return list(ways_of(reply, self.ways(question)))

    def own_poolings(self, question: Question) -> frozenset[str]:
        """Return the accepted poolings, including the student's own in the full model.

        That one has already cost its points. Empty if the full model's pooling is unknown.
        """
        full = question.of_type("full")
        poolings = {way.pooled for way in self.matching_ways(full, self.forward(full))}
        if not poolings:
            return frozenset()
        return (
            frozenset(ACCEPTED)
            | poolings
            | {"first of the text"} & {f"{p} of the text" for p in poolings}
        )

    def tuned(self, question: Question) -> Tuned:
        """Return what a short run of the student's code changes."""
        return tuned(self.student, self.inputs, question, self.file)


def in_each_model(model: ModelClass, judge: Callable[[ModelClass], None]) -> None:
    """Grade the class of every file that counts."""

    def judge_file(file: str) -> None:
        judge(replace(model, file=file, width=width_of(model.student, file)))

    in_each_file(model.student, model.score, CLASS, judge_file)
