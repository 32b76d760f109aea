"""Represent one test of a suite, as read from its source."""

import re
from dataclasses import dataclass

from graders.model import Criterion, Visibility

MARK = "[suite]"  # after the title of every criterion that comes from a suite
LABEL = (
    f"Criteria marked {MARK} come from a unittest suite and are less trusted: student code "
    "shares a process with these tests and could alter their verdict."
)


@dataclass(frozen=True, slots=True)
class SuiteTest:
    """A test method of a class; `hidden_errors` replaces the output of a failing test."""

    module: str
    case: str
    method: str
    title: str
    weight: float = 0.0
    number: str = ""
    visibility: Visibility = "visible"
    hidden_errors: str = ""
    leaderboard: str = ""

    @property
    def id(self) -> str:
        """The check's ID: `evaluator-TestSums-adds` for test_evaluator.TestSums.test_adds."""
        parts = (self.module, self.case, self.method)
        words = "-".join(part.removeprefix("test_") for part in parts).replace("_", "-")
        return re.sub(r"[^A-Za-z0-9.\-]", "", words).strip("-")

    @property
    def criterion(self) -> Criterion:
        """Its rubric entry: the points come from the source, whatever runs."""
        title = " ".join(filter(None, (self.number, self.title, MARK)))
        return Criterion(self.id, title, self.weight, self.visibility, "code")
