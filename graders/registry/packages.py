"""Find the packages that an assignment needs in addition to Softmark's, and report missing ones.

An assignment names them in `preload`: the modules that a warm parent or a cold child imports.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec

from packaging.requirements import Requirement

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


@cache
def torch_wanted(packages: Sequence[str]) -> str:
    """Return the version of torch that one of the packages needs, if another is installed; or "".

    transformers, for one, can be imported with an older torch, but its models then cannot.
    """
    for name in packages:
        try:
            lines = requires(name) or ()
        except PackageNotFoundError:
            continue
        for each in map(Requirement, lines):
            applies = each.marker is None or each.marker.evaluate({"extra": "torch"})
            if each.name == "torch" and applies and version("torch") not in each.specifier:
                return f"torch{each.specifier}"
    return ""


def refuse_missing(assignment: Assignment, only: frozenset[str] | None) -> None:
    """Raise UsageError if code will be graded and a package that it needs is missing or too old.

    Otherwise a student's `import` of it would fail and cost points through no fault of theirs.
    """
    if not any(criterion.kind == "code" for criterion in wanted_criteria(assignment, only)):
        return
    if missing := missing_packages(assignment):
        raise UsageError(f"{assignment.name} needs {named(missing)}", install(missing))
    if wanted := torch_wanted(packages_of(assignment)):
        problem = f"{assignment.name} needs {wanted}, but torch {version('torch')} is installed"
        raise UsageError(problem, f"pip install '{wanted}'")


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
