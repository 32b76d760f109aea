"""The questions of an assignment, and the input and the output of their verifiers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from numpy.random import Generator

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
        return sum(part.points for part in parts if part is not None)

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of the parts of an answer: the automatic ones, then the free text."""
        machine = self.machine.parts if self.machine is not None else ()
        review = (self.review.part,) if self.review is not None else ()
        return machine + tuple(part for part in review if part not in machine)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The fraction of the points that an answer earns, and what the student is shown."""

    fraction: float
    message: str = ""
    hint: str = ""
    expected: str = ""
    actual: str = ""
    counterexample: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


class Unreadable(Exception):
    """The answer cannot be read automatically, so a person decides; the message says why."""


class Misfit(Exception):
    """The answer was read, and it cannot be correct; the message says why."""


class Undecided(Exception):
    """The answer is graded elsewhere; the message says when, and which parts are missing."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One answer to grade: the raw text of its parts, and all other answers by question.

    A part that was not answered is absent. `others` is for questions that depend on an earlier
    answer of the same student.
    """

    machine: Machine
    parts: Mapping[str, str]
    others: Mapping[str, Mapping[str, str]]
    draw: "Generator"


# An answer can cause only Unreadable, Misfit or Undecided. The same draw gives the same
# judgement.
Verifier = Callable[[Asked], Judgement]
