"""Find which of an assignment's files run in our process (the checks) and which in a child.

checks.py, checks_*.py    the checks; pytest collects them in our process
student_*.py              call the student's code, in the child that contains it
oracle.py, oracle_*.py    compute expected values with torch, in a child without student code

They may be in the assignment's folder and in every package below it.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path, PurePath
from typing import Literal, get_args

from graders.errors import GraderFault

Kind = Literal["student", "oracle"]
MAIN = ("student_side.py", "oracle.py")
OFFLINE = "offline"  # the package of graders/adapting that replaces what only a network has
PACKAGE = "graders.assignment"  # the folder's name in a child, whatever it is called here


@dataclass(frozen=True)
class Side:
    """The modules of a folder and of its packages that run in a child, named after `kind`.

    `student_*.py` run in the same child as the student's code. `oracle.py` and `oracle_*.py`
    compute expected values in a child without it; they may import the others, and `reference`.
    """

    folder: Path
    kind: Kind = "student"

    @cached_property
    def files(self) -> Mapping[str, Path]:
        """The files that the child gets, by dotted name within the folder."""
        kinds: tuple[Kind, ...] = ("student", "oracle") if self.kind == "oracle" else ("student",)
        return {
            ".".join(path.relative_to(self.folder).with_suffix("").parts): path
            for package in packages_in(self.folder)
            for kind in kinds
            for path in files_named(package, kind)
        }

    @cached_property
    def callable_files(self) -> Mapping[str, Path]:
        """The files whose functions can be called."""
        return {name: path for name, path in self.files.items() if _kind_of(path) == self.kind}

    def module_of(self, function: str) -> str:
        """Return the name of the module that defines a function; raises GraderFault if unclear.

        The main files, `student_side.py` and `oracle.py`, take precedence over the others.
        """
        modules = [name for name, defined in self._functions.items() if function in defined]
        main = [name for name in modules if self.callable_files[name].name in MAIN]
        modules = main or modules
        if len(modules) == 1:
            return modules[0]
        files = ", ".join(
            str(self.callable_files[name].relative_to(self.folder)) for name in modules
        )
        problem = (
            f"{files} all define"
            if modules
            else f"no {self.kind} file of {self.folder.name} defines"
        )
        raise GraderFault(f"{problem} a function `{function}`")

    def has(self, function: str) -> bool:
        """Return whether any module defines this function."""
        return any(function in defined for defined in self._functions.values())

    @cached_property
    def is_offline(self) -> bool:
        """Return whether any module replaces what only a network has."""
        return any(OFFLINE in path.read_text(encoding="utf-8") for path in self.files.values())

    @cached_property
    def _functions(self) -> Mapping[str, frozenset[str]]:
        return {
            name: _functions(path, path.stat().st_mtime_ns)
            for name, path in self.callable_files.items()
        }


def packages_in(folder: Path) -> Iterator[Path]:
    """Yield an assignment's folder and every package below it, by name."""
    yield folder
    for path in sorted(folder.iterdir() if folder.is_dir() else ()):
        if (path / "__init__.py").is_file():
            yield from packages_in(path)


def files_named(package: Path, role: str) -> Iterator[Path]:
    """Yield a package's files of one role: for `checks`, `checks.py` and all `checks_*.py`."""
    if (package / f"{role}.py").is_file():
        yield package / f"{role}.py"
    yield from sorted(package.glob(f"{role}_*.py"))


def check_paths(folder: Path) -> tuple[Path, ...]:
    """Return the files with an assignment's checks."""
    return tuple(file for package in packages_in(folder) for file in files_named(package, "checks"))


def is_in_a_side(path: PurePath) -> bool:
    """Return whether a file has the name of a module of a side."""
    return path.suffix == ".py" and _kind_of(path) in get_args(Kind)


def _kind_of(path: PurePath) -> str:
    return path.stem.partition("_")[0]


@cache
def _functions(path: Path, _changed: int) -> frozenset[str]:
    body = ast.parse(path.read_text(encoding="utf-8"), str(path)).body
    return frozenset(node.name for node in body if isinstance(node, ast.FunctionDef))
