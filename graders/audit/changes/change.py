"""Represent changed submissions: files, diff, stable ID; compare bytecode."""

import ast
import difflib
import hashlib
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from itertools import zip_longest
from pathlib import Path
from types import CodeType
from typing import Any, TypeVar

from graders.audit.examples import SOLUTION, expectation, read_files, write_examples
from graders.audit.validate import build_solution
from graders.audited import Change
from graders.errors import UsageError
from graders.model import Assignment

T = TypeVar("T")
DOCUMENTED = (ast.Module, ast.FunctionDef, ast.ClassDef)
Files = Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Base:
    """A correct submission; `code` are its files to change, except those of an earlier base."""

    name: str
    files: Files
    code: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Changed:
    """A changed submission: the change and all files."""

    change: Change
    files: Files


def read_bases(assignment: Assignment, work: Path) -> list[Base]:
    """Return the solution and the planted examples `right-*` whose code is written differently."""
    folders = [build_solution(assignment, work / SOLUTION)]
    for folder in write_examples(assignment, work / "examples"):
        if folder.name.startswith("right-") and not expectation(folder, assignment).lost:
            folders.append(folder)
    meanings: set[object] = set()
    bases = []
    for folder in folders:
        files, code = read_files(folder), []
        for name in _own_code(files, assignment.files.code):
            meaning = bytecode(files[name].decode("utf-8", "replace"))
            if meaning is not None and meaning not in meanings:
                code.append(name)
            meanings.add(meaning)
        if code:
            bases.append(Base(folder.name, files, tuple(code)))
    if not bases or bases[0].name != SOLUTION:
        raise UsageError(
            f"{assignment.name}: the solution has no Python file", "audits change code"
        )
    return bases


def _own_code(files: Files, patterns: Sequence[str]) -> list[str]:
    """Return the wanted Python files, and what they import from a copy of `reference/`."""
    code = [name for name in files if name.endswith(".py")]
    outside = [name for name in code if "reference" not in name.split("/")[:-1]]
    named = [
        name for name in outside if any(fnmatch(Path(name).name, pattern) for pattern in patterns)
    ]
    chosen = named or outside
    tails = {
        f"{node.module.replace('.', '/')}.py"
        for name in chosen
        for node in ast.walk(_parsed(files[name].decode("utf-8", "replace")))
        if isinstance(node, ast.ImportFrom) and node.module
    }
    return chosen + [name for name in code if name not in outside and _is_among(name, tails)]


def _is_among(name: str, tails: set[str]) -> bool:
    return any(fnmatch(f"/{name}", f"*/{tail}") for tail in tails)


def _parsed(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return ast.Module([], [])


def bytecode(text: str) -> object:
    """Return what a file compiles to, without docstrings and line numbers; None if it does not."""
    with warnings.catch_warnings(action="ignore"):  # of Python about the student's code
        try:
            tree = ast.parse(text)
            for node in ast.walk(tree):
                if (
                    isinstance(node, DOCUMENTED)
                    and ast.get_docstring(node, clean=False) is not None
                ):
                    node.body = node.body[1:] or [ast.Pass()]
            return _meaning(compile(ast.fix_missing_locations(tree), "", "exec"))
        except (SyntaxError, ValueError):
            return None


def _meaning(value: Any) -> object:
    """Return a hashable form of a code object or a constant; 1, 1.0 and True differ."""
    if isinstance(value, CodeType):
        parts = (value.co_code, value.co_names, value.co_varnames, value.co_freevars)
        counts = (value.co_argcount, value.co_kwonlyargcount, value.co_flags)
        handlers = value.co_exceptiontable
        return (value.co_name, parts, counts, handlers, *map(_meaning, value.co_consts))
    return type(value).__name__, repr(value)


def diff_of(old: str, new: str) -> list[str]:
    """Return the lines of a diff, without the names of files."""
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=1)
    return list(lines)[2:]


def make_id(file: str, operator: str, definition: str, diff: list[str], nth: int = 0) -> str:
    """Return an id made from the changed lines, so that edits elsewhere do not alter it."""
    lines = [line[0] + line[1:].strip() for line in diff if line[0] in "-+"]
    text = "\n".join((file, operator, definition, *lines, str(nth)))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def alternate(first: Iterator[T], second: Iterator[T]) -> Iterator[T]:
    """Yield from the two in turn; when one ends, the rest of the other."""
    for pair in zip_longest(first, second):
        yield from (item for item in pair if item is not None)


def once(items: Iterator[T], key: Callable[[T], object]) -> Iterator[T]:
    """Yield the items whose key did not occur before."""
    seen: set[object] = set()
    for item in items:
        if key(item) not in seen:
            seen.add(key(item))
            yield item
