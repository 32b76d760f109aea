"""Which files of an assignment hold a criterion's checks, and which those read.

pytest collects the checks, so marks, parameters and fixtures are what grading sees; the imports
are read from the text. Criteria whose checks build on each other are one: each has the files of
both.
"""

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from graders.checks.collected import check_of, refuse_unknown_grounds
from graders.checks.run import run_checks
from graders.model import Assignment, Check
from graders.written.loading import FILE as QUESTIONS

SUITE = Path(__file__).parents[1] / "suite" / "checks.py"
ASKING = "graders.written.checks"  # the module whose import makes a file ask the questions


@dataclass(frozen=True, slots=True)
class CheckFile:
    """A check file: whose checks it holds, the fixtures they ask for, the files it needs."""

    criteria: frozenset[str]
    fixtures: frozenset[str]
    reads: frozenset[str]


@dataclass(frozen=True, slots=True)
class Collected:
    """A check as pytest collects it: its file, the function's name, the fixtures it asks for."""

    path: Path
    function: str
    check: Check
    fixtures: frozenset[str]


class _Collector:
    """Keeps what was collected and lets none of it run."""

    def __init__(self, assignment: Assignment) -> None:
        self._assignment = assignment
        self.found: list[Collected] = []

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            name = item.nodeid.split("::")[1].split("[")[0]
            fixtures = frozenset(getattr(item, "fixturenames", ()))
            check = check_of(item, self._assignment)
            self.found.append(Collected(Path(item.path), name, check, fixtures))
        items.clear()


def collected(assignment: Assignment) -> tuple[Collected, ...]:
    """Every check of an assignment, its suite's too; GraderFault where a file does not import."""
    collector = _Collector(assignment)
    run_checks(assignment.folder, collector, also=also(assignment), collect_only=True)
    refuse_unknown_grounds([each.check for each in collector.found])
    return tuple(collector.found)


def check_files(assignment: Assignment) -> tuple[CheckFile, ...]:
    """Every check file with checks in it; GraderFault where one does not import."""
    found = collected(assignment)
    linked = _linked([each.check for each in found])
    files: dict[Path, CheckFile] = {}
    for each in found:
        suite = each.path == SUITE
        read = _suite(assignment) if suite else _reads(each.path, assignment.folder)
        file = files.get(each.path) or CheckFile(frozenset(), frozenset(), read)
        files[each.path] = replace(
            file,
            criteria=file.criteria | linked[each.check.criterion],
            fixtures=file.fixtures | each.fixtures,
        )
    return tuple(files.values())


def also(assignment: Assignment) -> tuple[Path, ...]:
    """Check files that are not in the assignment's folder: ours for its suite, where it has one."""
    return (SUITE,) if assignment.suite else ()


def _suite(assignment: Assignment) -> frozenset[str]:
    files = files_below(assignment.folder / assignment.suite)
    return frozenset(path.relative_to(assignment.folder).as_posix() for path in files)


def _linked(checks: Iterable[Check]) -> dict[str, frozenset[str]]:
    """For each criterion those that it builds on or that build on it, and itself."""
    checks = list(checks)
    home = {check.id: check.criterion for check in checks}
    groups = {check.criterion: frozenset({check.criterion}) for check in checks}
    for check in checks:
        for name in check.depends_on:
            both = groups[check.criterion] | groups[home.get(name, check.criterion)]
            groups |= dict.fromkeys(both, both)
    return groups


def _reads(path: Path, folder: Path) -> frozenset[str]:
    """The file and all that it imports from its folder, and so on, as paths there."""
    found: set[Path] = set()
    pending = [path]
    while pending:
        file = pending.pop()
        if file not in found:
            found.add(file)
            pending += _read_by(file, folder) if file.suffix == ".py" else ()
    return frozenset(file.relative_to(folder).as_posix() for file in found)


def _read_by(file: Path, folder: Path) -> Iterator[Path]:
    """What a module of the folder needs there: its imports, and the questions if it asks them."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _files_of(folder, alias.name.split("."))
        elif isinstance(node, ast.ImportFrom):
            module = node.module.split(".") if node.module else []
            start = file.parents[node.level - 1] if node.level else folder
            for alias in node.names:
                yield from _files_of(start, [*module, alias.name])
            if node.module == ASKING and (folder / QUESTIONS).is_file():
                yield folder / QUESTIONS


def _files_of(folder: Path, names: Sequence[str]) -> Iterator[Path]:
    """The module or package that a dotted name leads to, or that defines its last part."""
    place = folder
    for name in names:
        place = place / name
        if place.with_name(f"{name}.py").is_file():
            yield place.with_name(f"{name}.py")
            return
        if not place.is_dir():
            break
    else:
        yield from files_below(place) if place != folder else ()
        return
    if place.parent != folder:
        yield from files_below(place.parent)


def files_below(folder: Path) -> Iterator[Path]:
    """Every file of a folder and of those in it, in order, but for what Python compiled."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return (path for path in files if "__pycache__" not in path.relative_to(folder).parts)
