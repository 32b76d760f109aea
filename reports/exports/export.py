"""The input and the output of an export writer."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from graders.course.extensions import Extensions
from graders.model import Assignment, Result


@dataclass(frozen=True, slots=True)
class Course:
    """The data to export; each Result is read when it is reached, and only once.

    `assignment` is in its present state; `roster` and `title` are the command's options;
    `extensions` contain everyone's due dates.
    """

    assignment: Assignment
    results: Iterable[Result]
    roster: Path | None = None
    title: str = ""
    extensions: Extensions = field(default_factory=Extensions)


@dataclass(frozen=True, slots=True)
class Export:
    """A file's text, and notes for staff, including who is left out of it."""

    text: str
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


Writer = Callable[[Course], Export]
