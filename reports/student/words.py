"""Parse a check's texts for the student's page: hints, decisions, a command."""

import re
import shlex
from dataclasses import dataclass

from graders.model import MACHINE, REVIEW, CheckResult, CriterionResult, Result

MATHEMATICS = re.compile(r"[=^√≤≥⁇□→·×]|θ| becomes |equation|handout")
GOES_ON = re.compile(r"([=:,;+*·-]|\b(becomes|is|are|to|of|by|and|with))$")  # `x =` or `it becomes`
# Matches `2 of 3 points, graded by a person.`; results of earlier versions say `decided`.
DECIDED = re.compile(r"^(.+ of .+ points?), (?:graded|decided) by a person\.$")
# Matches `Given: Names the mask (+1)` or `Not given: States why`.
ITEM = re.compile(r"^(Given|Not given): (.*?)(?: \(([+-][0-9.]+)\))?$")
OPEN = ("failed", "partial")


@dataclass(frozen=True, slots=True)
class Hint:
    """A named mistake in words, and the correct equation; one of the two may be empty."""

    words: str
    equation: str = ""


@dataclass(frozen=True, slots=True)
class JudgedItem:
    """A rubric item that a person selected or not, and its points if they are known."""

    text: str
    given: bool
    points: str = ""


@dataclass(frozen=True, slots=True)
class Judged:
    """A person's decision on a written answer; `comment` contains the remaining lines."""

    points: str
    items: tuple[JudgedItem, ...]
    comment: str


@dataclass(frozen=True, slots=True)
class Command:
    """The command with which a student sees a criterion fail on their own machine."""

    text: str
    same_inputs: bool
    needs_data: bool
    is_written: bool


def split_hint(hint: str) -> Hint:
    """Split a hint `words (equation).` into words and equation; without an equation, only words.

    A hint of several lines, one for each part of an answer, is not split.
    """
    if not hint.endswith(").") or "\n" in hint:
        return Hint(hint)
    depth = 0
    for at in range(len(hint) - 2, 0, -1):
        depth += {")": 1, "(": -1}.get(hint[at], 0)
        if depth == 0:
            equation = hint[at + 1 : -2]
            words = hint[:at].rstrip()
            # "(a, b) becomes (b, a)" is a single formula, and its end is meaningless without the
            # rest.
            is_equation = words and not GOES_ON.search(words) and MATHEMATICS.search(equation)
            return Hint(f"{words}.", equation) if is_equation else Hint(hint)
    return Hint(hint)


def judged(check: CheckResult) -> Judged | None:
    """Return the decision in a check's message, or None if no person decided."""
    first, *lines = check.message.split("\n")
    written = check.id.endswith((REVIEW, MACHINE))
    points = DECIDED.match(first) if written else None
    if points is None:
        return None
    matches = [(line, ITEM.match(line)) for line in lines]
    items = (JudgedItem(m[2], m[1] == "Given", m[3] or "") for _, m in matches if m)
    comment = "\n".join(line for line, match in matches if not match)
    return Judged(points[1], tuple(items), comment)


def command(graded: CriterionResult, result: Result) -> Command | None:
    """Return the command that checks only this criterion, or None if nothing automatic failed.

    Criteria that are not visible have none, because `check` knows only visible ones.
    """
    if graded.criterion.visibility != "visible":
        return None
    checked = [check for check in graded.checks if not check.id.endswith(REVIEW)]
    if not any(check.status in OPEN and judged(check) is None for check in checked):
        return None
    names = (result.assignment, graded.criterion.id)
    assignment, criterion = (shlex.quote(name) for name in names)
    return Command(
        f"softmark check . --assignment {assignment} --only {criterion}",
        same_inputs=result.environment.get("inputs") == "public",
        needs_data=graded.criterion.kind == "metric",
        is_written=graded.criterion.kind == "written",
    )
