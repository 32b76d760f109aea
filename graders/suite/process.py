"""Run the tests of a suite in the same process as the student's code.

<folder>/            the student's code, as found in the upload
<folder>/tests/      the suite, which replaces anything that the upload had there

Each submission gets a new folder, so nothing remains of another one.
"""

import shutil
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
from graders.suite.reading import later_modules, suite_tests
from submissions.escaping import listed

Read = TypeVar("Read")
SIDE = Side(Path(__file__).parent)
CACHES = ("__pycache__", "*.pyc")


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
            left = frozenset(f"{name}.py" for name in later_modules(tests, visibility))
            layout_notes = lay_out_suite(code, suite, place / visibility, without=left)
            notes += [note for note in layout_notes if note not in notes]
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


def lay_out_suite(
    code: Path | None, suite: Path, target: Path, *, without: frozenset[str] = frozenset()
) -> tuple[str, ...]:
    """Fill `target` and return notes for the student: which of their files the tests replace."""
    taken = {suite.name.casefold(), *(path.name.casefold() for path in suite.glob("*.py"))}
    target.mkdir(parents=True)
    replaced = []
    for path in sorted(code.iterdir()) if code is not None else ():
        if path.name.casefold() in taken:
            replaced.append(path.name)
        elif path.is_dir():
            shutil.copytree(path, target / path.name, ignore=shutil.ignore_patterns(*CACHES))
        else:
            shutil.copyfile(path, target / path.name)
    ignored = shutil.ignore_patterns(*CACHES, *without)
    shutil.copytree(suite, target / suite.name, ignore=ignored)
    if not replaced:
        return ()
    return (f"Ignored {listed(replaced)}: the course's tests have the same name",)
