"""What a writer of an export is given, and what it gives back."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from graders.course.extensions import Extensions
from graders.course.final_grades import FinalGrade, final_grade
from graders.model import Assignment, Result


@dataclass(frozen=True, slots=True)
class Course:
    """What there is to export: each Result is read when it is reached, and only once.

    `assignment` is as its folder says now; `roster` and `title` as the command was told;
    `extensions` say when everybody's work was due.
    """

    assignment: Assignment
    results: Iterable[Result]
    roster: Path | None = None
    title: str = ""
    extensions: Extensions = field(default_factory=Extensions)

    def grade(self, result: Result) -> FinalGrade:
        """The grade that counts."""
        due = self.extensions.due_of(result.submission)
        return final_grade(result, self.assignment.grading, due)


@dataclass(frozen=True, slots=True)
class Export:
    """A file's text, and sentences for staff: what they should know, and whom it leaves out."""

    text: str
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


Writer = Callable[[Course], Export]
