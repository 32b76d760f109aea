"""Find the files that contain a criterion's checks, and the files that those import.

pytest collects the checks, so marks, parameters and fixtures are those of grading; the imports
are read from the source. Criteria whose checks depend on each other share all their files.
"""

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

import pytest

from graders.checks.check_functions import check_of, refuse_wrong_ids
from graders.checks.run import run_checks
from graders.model import Assignment, Check
from graders.written.loading import FILE as QUESTIONS

SUITE = Path(__file__).parents[1] / "suite" / "checks.py"
ASKING = "graders.written.checks"  # a file that imports this also reads the questions


@dataclass(frozen=True, slots=True)
class CheckFile:
    """A check file: the criteria of its checks, the fixtures they use, the files it reads."""

    criteria: frozenset[str]
    fixtures: frozenset[str]
    reads: frozenset[str]


@dataclass(frozen=True, slots=True)
class Collected:
    """A check as pytest collects it: its file, function name and fixtures."""

    path: Path
    function: str
    check: Check
    fixtures: frozenset[str]


class _Collector:
    """Keep what pytest collects, and run none of it."""

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
    """Return all checks, including a suite's; raises GraderFault if a file does not import."""
    collector = _Collector(assignment)
    run_checks(assignment.folder, collector, also=outside_checks(assignment), collect_only=True)
    refuse_wrong_ids([each.check for each in collector.found])
    return tuple(collector.found)


def check_files(assignment: Assignment) -> tuple[CheckFile, ...]:
    """Return all files that contain checks; raises GraderFault if one does not import."""
    found = collected(assignment)
    needs = cache(partial(_needs, assignment.folder))  # for this call: files change between calls
    linked = _linked([entry.check for entry in found])
    files: dict[Path, CheckFile] = {}
    for entry in found:
        suite = entry.path == SUITE
        read = _suite(assignment) if suite else _reads(entry.path, assignment.folder, needs)
        file = files.get(entry.path) or CheckFile(frozenset(), frozenset(), read)
        files[entry.path] = replace(
            file,
            criteria=file.criteria | linked[entry.check.criterion],
            fixtures=file.fixtures | entry.fixtures,
        )
    return tuple(files.values())


def outside_checks(assignment: Assignment) -> tuple[Path, ...]:
    """Return check files outside the assignment's folder: ours for its suite, if it has one."""
    return (SUITE,) if assignment.suite else ()


def _suite(assignment: Assignment) -> frozenset[str]:
    files = files_below(assignment.folder / assignment.suite)
    return frozenset(path.relative_to(assignment.folder).as_posix() for path in files)


def _linked(checks: Iterable[Check]) -> dict[str, frozenset[str]]:
    """Return for each criterion itself and all criteria linked to it by dependencies."""
    checks = list(checks)
    home = {check.id: check.criterion for check in checks}
    groups = {check.criterion: frozenset({check.criterion}) for check in checks}
    for check in checks:
        for name in check.depends_on:
            both = groups[check.criterion] | groups[home.get(name, check.criterion)]
            groups |= dict.fromkeys(both, both)
    return groups


def _reads(path: Path, folder: Path, needs: Callable[[Path], Sequence[Path]]) -> frozenset[str]:
    """Return the file and everything it imports from the folder, recursively, as relative paths."""
    found: set[Path] = set()
    pending = [path]
    while pending:
        file = pending.pop()
        if file not in found:
            found.add(file)
            pending += needs(file)
    return frozenset(file.relative_to(folder).as_posix() for file in found)


def _needs(folder: Path, file: Path) -> tuple[Path, ...]:
    """Return the files in the folder that a file needs; only a module needs any."""
    return tuple(dict.fromkeys(_imported(file, folder))) if file.suffix == ".py" else ()


def _imported(file: Path, folder: Path) -> Iterator[Path]:
    """Yield the files that a module imports from the folder, and the questions if it uses them."""
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
    """Yield the files of the module or package that a dotted name refers to."""
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
    """Return every file below a folder, in order, except Python's caches."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return (path for path in files if "__pycache__" not in path.relative_to(folder).parts)
