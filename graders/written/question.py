"""What an assignment asks in writing: a question's parts, points, checks and rubric."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["choice", "choices", "true_false", "number", "vector", "matrix", "formula", "table"]


@dataclass(frozen=True, slots=True)
class Mistake:
    """A wrong answer that is known: where it is given, what it earns, what is said of it."""

    part: str
    answer: str
    hint: str
    fraction: float


@dataclass(frozen=True, slots=True)
class Machine:
    """The parts of an answer that are judged without a person, and the verifier that does it."""

    points: float
    kind: Kind
    parts: tuple[str, ...]
    verify: str
    settings: Mapping[str, Any]
    mistakes: tuple[Mistake, ...]
    example: str
    expected: str


@dataclass(frozen=True, slots=True)
class RubricItem:
    """One line of a rubric; the phrases help the machine to propose it, and decide nothing."""

    points: float
    text: str
    phrases: tuple[str, ...]
    contradictions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Review:
    """The part of an answer that a person decides by a rubric."""

    points: float
    part: str
    items: tuple[RubricItem, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """One question; its id is also the id of its criterion."""

    id: str
    title: str
    prompt: str
    machine: Machine | None
    review: Review | None

    @property
    def points(self) -> float:
        """What the whole question is worth."""
        parts = (self.machine, self.review)
        return sum(each.points for each in parts if each is not None)

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of the values an answer has: the machine's, then the free text's."""
        machine = self.machine.parts if self.machine is not None else ()
        review = (self.review.part,) if self.review is not None else ()
        return machine + tuple(part for part in review if part not in machine)
