"""The files of a suite's process: the student's, and the tests over them.

<folder>/            the student's code, as it was taken from the upload
<folder>/tests/      the suite, whatever the upload had there

Made anew for every submission, so nothing is left of another one.
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
    """Test files whose tests are all shown later: code beside earlier ones may not read them.

    What it reads, it could print, and a student would see it in what the earlier test says.
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
    """Fill `target` and return notes for the student: which of their files tests stand in for."""
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
    return (f"left {listed(replaced)}: the course's tests have the same name",)
