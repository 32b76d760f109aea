"""What a verifier is asked, and what it says."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from graders.written.question import Machine


@dataclass(frozen=True, slots=True)
class Judgement:
    """The share of the points that an answer earns, and what the student is shown."""

    fraction: float
    message: str = ""
    hint: str = ""
    expected: str = ""
    actual: str = ""
    counterexample: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


class Unreadable(Exception):
    """The machine cannot read the answer, so a person decides; the message says why."""


class Misfit(Exception):
    """The machine read the answer, and it cannot be correct; the message says why."""


class Undecided(Exception):
    """The answer is judged elsewhere; the message says when, and which parts are missing."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One answer to judge: the raw text of its parts, and of all other answers by question.

    A part that was not answered is absent. `others` is there for questions that build on
    an earlier answer of the same student.
    """

    machine: Machine
    parts: Mapping[str, str]
    others: Mapping[str, Mapping[str, str]]
    draw: np.random.Generator


# Raises Unreadable, Misfit or Undecided, and nothing else that an answer could cause. The same draw
# gives the same judgement.
Verifier = Callable[[Asked], Judgement]
