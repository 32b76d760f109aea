"""The input and the output of an export writer."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from graders.course.final_grades import FinalGrade, final_grade
from graders.course.release import PLAIN, CourseRules
from graders.model import Assignment, Result
from graders.privacy.pseudonyms import Names


@dataclass(frozen=True, slots=True)
class Course:
    """The data to export; each Result is read when it is reached, and only once.

    `assignment` is read from its folder now. `roster` and `title` are the command's options.
    `rules` say what students see and when their work was due. `out` is the results folder. `names`
    are used by an export with pseudonyms.
    """

    assignment: Assignment
    results: Iterable[Result]
    roster: Path | None = None
    title: str = ""
    rules: CourseRules = PLAIN
    out: Path = Path()
    names: Names | None = None

    def grade(self, result: Result) -> FinalGrade:
        """The grade that counts."""
        dues, submission = self.rules.dues, result.submission
        due = dues.due_of(submission)
        return final_grade(result, self.assignment.grading, due, dues.free_days(submission))


@dataclass(frozen=True, slots=True)
class Export:
    """The text of a file, with notes for staff, and problems: students that were left out.

    `files` are more files by name, made when they are written; the text is the file `table` beside
    them.
    """

    text: str
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    files: Iterable[tuple[str, bytes]] | None = None
    table: str = ""


Writer = Callable[[Course], Export]
