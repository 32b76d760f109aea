"""Find the packages that an assignment needs in addition to Softmark's, and report missing ones.

An assignment names them in `preload`: the modules that a warm parent or a cold child imports.
"""

from collections.abc import Iterable
from importlib.util import find_spec

from graders.errors import UsageError
from graders.model import Assignment
from graders.scoring import wanted_criteria

COURSES = ("accelerate", "datasets", "evaluate", "torchmetrics")  # pyproject's extra `courses`


def packages_of(assignment: Assignment) -> tuple[str, ...]:
    """Return the packages whose modules an assignment preloads."""
    return tuple(dict.fromkeys(module.split(".")[0] for module in assignment.preload))


def missing_packages(assignment: Assignment) -> tuple[str, ...]:
    """Return the packages that an assignment needs and that are not installed here."""
    return tuple(name for name in packages_of(assignment) if find_spec(name) is None)


def refuse_missing(assignment: Assignment, only: frozenset[str] | None) -> None:
    """Raise UsageError if code will be graded and a package that it needs is not installed.

    Otherwise a student's `import` of it would fail and cost points through no fault of theirs.
    """
    code = any(each.kind == "code" for each in wanted_criteria(assignment, only))
    if code and (missing := missing_packages(assignment)):
        raise UsageError(f"{assignment.name} needs {named(missing)}", install(missing))


def named(missing: Iterable[str]) -> str:
    """Return text that says which packages are not installed."""
    names = [f"`{each}`" for each in missing]
    if len(names) == 1:
        return f"the package {names[0]}, which is not installed"
    return f"the packages {', '.join(names[:-1])} and {names[-1]}, which are not installed"


def install(missing: Iterable[str]) -> str:
    """Return the command that installs them."""
    wanted = dict.fromkeys("'softmark[courses]'" if each in COURSES else each for each in missing)
    return f"pip install {' '.join(wanted)}"
