"""Which of the student's files define a name: each of them is judged, and the weakest counts."""

from collections.abc import Callable, Sequence

from hw6_once import ask_once

from graders.boundary.student import Student
from graders.checks.compare import CheckFailed, fail
from graders.errors import BadReply

FILES = "base_classification.py and classification.py, or a notebook"


def in_each_file(student: Student, name: str, judge: Callable[[str], None]) -> None:
    """Judge every file that defines the name; what fails says which file it is."""
    stems = files_with(student, name)
    if not stems:
        fail(
            f"No file defines `{name}`.",
            hint=f"It is looked for in every .py and .ipynb file; the homework has {FILES}.",
        )
    for stem in stems:
        try:
            judge(stem)
        except CheckFailed as problem:
            if len(stems) > 1:
                problem.message = f"In the file `{stem}`: {problem.message}"
            raise


def files_with(student: Student, name: str) -> Sequence[str]:
    """The files that define the name."""
    stems = ask_once(student, "files_with", name=name)
    if not isinstance(stems, list) or not all(isinstance(each, str) for each in stems):
        raise BadReply("The files of the submission could not be listed.")
    return [str(each) for each in stems[:4]]
