"""Lay out the files of a suite's process: the student's files, and the tests on top.

<folder>/            the student's code, as found in the upload
<folder>/tests/      the suite, which replaces anything that the upload had there

Each submission gets a new folder, so nothing remains of another one.
"""

import shutil
from collections.abc import Iterable
from pathlib import Path

from graders.model import Visibility
from graders.suite.model import SuiteTest
from submissions.escaping import listed

CACHES = ("__pycache__", "*.pyc")
LATER: tuple[Visibility, ...] = ("visible", "after_due_date", "after_published", "hidden")


def later_modules(tests: Iterable[SuiteTest], visibility: Visibility) -> frozenset[str]:
    """Return the test files whose tests are all shown later than this visibility.

    Code that runs with earlier tests must not read them: it could print what it reads, and the
    student would see it in the output of the earlier test.
    """
    earliest: dict[str, int] = {}
    for test in tests:
        when = LATER.index(test.visibility)
        earliest[test.module] = min(when, earliest.get(test.module, when))
    now = LATER.index(visibility)
    return frozenset(f"{module}.py" for module, when in earliest.items() if when > now)


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
