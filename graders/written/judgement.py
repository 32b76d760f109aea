"""The input and the output of a verifier."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from graders.written.question import Machine


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
    draw: np.random.Generator


# An answer can cause only Unreadable, Misfit or Undecided. The same draw gives the same
# judgement.
Verifier = Callable[[Asked], Judgement]
