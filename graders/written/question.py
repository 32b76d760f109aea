"""The questions of an assignment: their parts, points, checks and rubrics."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["choice", "choices", "true_false", "number", "vector", "matrix", "formula", "table"]


@dataclass(frozen=True, slots=True)
class Mistake:
    """A known incorrect answer: its part, the points that it earns, and its hint."""

    part: str
    answer: str
    hint: str
    fraction: float


@dataclass(frozen=True, slots=True)
class Machine:
    """The parts of an answer that are graded automatically, and their verifier."""

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
    """One rubric item; its phrases help to suggest it automatically, but decide nothing."""

    points: float
    text: str
    phrases: tuple[str, ...]
    contradictions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Review:
    """The part of an answer that a person grades with a rubric."""

    points: float
    part: str
    items: tuple[RubricItem, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """One question; its ID is also that of its criterion."""

    id: str
    title: str
    prompt: str
    machine: Machine | None
    review: Review | None

    @property
    def points(self) -> float:
        parts = (self.machine, self.review)
        return sum(each.points for each in parts if each is not None)

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of the parts of an answer: the automatic ones, then the free text."""
        machine = self.machine.parts if self.machine is not None else ()
        review = (self.review.part,) if self.review is not None else ()
        return machine + tuple(part for part in review if part not in machine)
