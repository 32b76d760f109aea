"""Run the tests of a suite in the same process as the student's code."""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from graders.boundary.side import Side
from graders.boundary.student import Budget, Student
from graders.boundary.tiers.sandbox import Tier
from graders.model import Assignment, Visibility
from graders.suite.model import LABEL, SuiteTest
from graders.suite.reading import suite_tests
from graders.suite.staging import later_modules, lay_out_suite

Read = TypeVar("Read")
SIDE = Side(Path(__file__).parent)


@dataclass(frozen=True, slots=True)
class Suite:
    """One submission with the tests, with one process for each visibility of the tests.

    `notes` say how it is graded and which files were ignored.
    """

    students: Mapping[Visibility, Student]
    folder: str
    notes: tuple[str, ...]

    def ask(self, test: SuiteTest, read: Callable[[Any], Read]) -> Read:
        """Run this test in a fresh process and return `read(reply)`.

        Raises a StudentFault if there is no reply.
        """
        student = self.students[test.visibility]
        student.renew()
        names = {"module": test.module, "case": test.case, "method": test.method}
        return student.call("run_test", folder=self.folder, **names, read=read)


@contextmanager
def open_suite(
    code: Path | None, assignment: Assignment, tier: Tier, seed: int, budget: Budget
) -> Iterator[Suite | None]:
    """Yield the assignment's suite with this code, or None if it has no suite."""
    if not assignment.suite:
        yield None
        return
    suite = assignment.folder / assignment.suite
    tests, students, notes = suite_tests(suite), {}, [LABEL]
    with ExitStack() as opened:
        work = tempfile.TemporaryDirectory(prefix="softmark-suite-", ignore_cleanup_errors=True)
        place = Path(opened.enter_context(work))
        for visibility in {test.visibility: None for test in tests}:
            left = later_modules(tests, visibility)
            said = lay_out_suite(code, suite, place / visibility, without=left)
            notes += [note for note in said if note not in notes]
            process = Student(
                place / visibility,
                SIDE,
                assignment.limits,
                seed=seed,
                tier=tier,
                budget=budget,
            )
            students[visibility] = opened.enter_context(process)
        yield Suite(students, suite.name, tuple(notes))
