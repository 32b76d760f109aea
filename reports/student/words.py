"""What a check says, taken apart for the student's page: hints, decisions, a command."""

import re
import shlex
from dataclasses import dataclass

from graders.model import CheckResult, CriterionResult, Result

MATHEMATICS = re.compile(r"[=^√≤≥⁇□→·×]|θ| becomes |equation|handout")
GOES_ON = re.compile(r"([=:,;+*·-]|\b(becomes|is|are|to|of|by|and|with))$")
DECIDED = re.compile(r"^(.+ of .+ points), decided by a person\.$")
ITEM = re.compile(r"^(Given|Not given): (.*?)(?: \(([+-][0-9.]+)\))?$")
REVIEW, MACHINE = "/review", "/machine"
OPEN = ("failed", "partial")


@dataclass(frozen=True, slots=True)
class Hint:
    """A named mistake in words, and the equation that is right; one of them may be empty."""

    words: str
    equation: str = ""


@dataclass(frozen=True, slots=True)
class JudgedItem:
    """A line of the rubric that a person gave or did not give, and its points if they are known."""

    text: str
    given: bool
    points: str = ""


@dataclass(frozen=True, slots=True)
class Judged:
    """What a person decided of a written answer; `comment` holds the other lines."""

    points: str
    items: tuple[JudgedItem, ...]
    comment: str


@dataclass(frozen=True, slots=True)
class Command:
    """How a student sees a criterion fail on their own machine."""

    text: str
    same_inputs: bool
    needs_data: bool
    is_written: bool


def split_hint(hint: str) -> Hint:
    """The words and the equation of a hint `words (equation).`; all words where there is none."""
    if not hint.endswith(")."):
        return Hint(hint)
    depth = 0
    for at in range(len(hint) - 2, 0, -1):
        depth += {")": 1, "(": -1}.get(hint[at], 0)
        if depth == 0:
            equation = hint[at + 1 : -2]
            words = hint[:at].rstrip()
            # "(a, b) becomes (b, a)" is one formula, and its end alone says nothing.
            found = words and not GOES_ON.search(words) and MATHEMATICS.search(equation)
            return Hint(f"{words}.", equation) if found else Hint(hint)
    return Hint(hint)


def judged(found: CheckResult) -> Judged | None:
    """The decision that a check's message holds; None where no person decided."""
    first, *lines = found.message.split("\n")
    written = found.check.id.endswith((REVIEW, MACHINE))
    points = DECIDED.match(first) if written else None
    if points is None:
        return None
    items = [(line, ITEM.match(line)) for line in lines]
    told = [JudgedItem(each[2], each[1] == "Given", each[3] or "") for _, each in items if each]
    comment = "\n".join(line for line, each in items if not each)
    return Judged(points[1], tuple(told), comment)


def command(graded: CriterionResult, result: Result) -> Command | None:
    """The command that checks this criterion alone; None where a machine found nothing wrong.

    Nor is there one for a criterion that was kept back: `check` knows visible ones.
    """
    if graded.criterion.visibility != "visible":
        return None
    found = [each for each in graded.checks if not each.check.id.endswith(REVIEW)]
    if not any(each.status in OPEN and judged(each) is None for each in found):
        return None
    names = (result.assignment, graded.criterion.id)
    assignment, criterion = (shlex.quote(name) for name in names)
    return Command(
        f"softmark check . --assignment {assignment} --only {criterion}",
        same_inputs=result.environment.get("inputs") == "public",
        needs_data=graded.criterion.kind == "metric",
        is_written=graded.criterion.kind == "written",
    )
