"""Find the modules of Softmark that a command needs: its imports, and their imports."""

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from graders.registry.check_files import files_below

ROOT = Path(__file__).parents[2]
ROOMS = ("commands", "graders", "reports", "submissions", "reference")
# Copied completely: the student's process is staged from these folders.
WHOLE = ("graders/boundary", "graders/adapting", "graders/checks")
DATA = (".ini", ".lark")


def needed_modules(roots: Iterable[str]) -> dict[str, bytes]:
    """Return the files of these modules and of all their imports, by path below Softmark's root."""
    whole = [path for name in WHOLE for path in files_below(ROOT / name)]
    pending = [
        *(path for path in whole if path.suffix == ".py"),
        *(path for name in roots for path in _paths_of(name)),
    ]
    paths: set[Path] = set()
    while pending:
        path = pending.pop()
        if path not in paths:
            paths.add(path)
            pending += [file for name in imported(path) for file in _paths_of(name)]
    files = {_name(path): path.read_bytes() for path in (*paths, *whole)}
    data = (path for name in {path.parent for path in paths} for path in name.iterdir())
    files |= {_name(path): path.read_bytes() for path in data if path.suffix in DATA}
    return files | _bare(paths)


@cache
def imported(path: Path) -> frozenset[str]:
    """Return every name that one of our own files imports, at its top or in a function."""
    return frozenset(names_imported(ast.parse(path.read_text(encoding="utf-8"))))


def names_imported(tree: ast.AST) -> Iterator[str]:
    """Yield the dotted names in import statements.

    Both `import a.b` and `from a import b` give `a.b`.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def needs_torch(name: str, seen: frozenset[str] = frozenset()) -> bool:
    """Return whether a module of `reference` imports torch; such a module solves an assignment."""
    path = _module(name) or _module(name.rpartition(".")[0])
    if path is None or name in seen:
        return False
    names = imported(path)
    return any(module.split(".")[0] in ("torch", "transformers") for module in names) or any(
        needs_torch(module, seen | {name}) for module in names if module.startswith("reference.")
    )


def _bare(paths: set[Path]) -> dict[str, bytes]:
    """Return an empty `__init__.py` for each package whose own re-exports are not needed."""
    folders = {folder for path in paths for folder in path.parents if ROOT in folder.parents}
    files = {folder / "__init__.py" for folder in folders} - paths
    return {_name(file): b"" for file in files if file.is_file()}


def _paths_of(name: str) -> Iterator[Path]:
    """Yield the file of one of our own modules, or of the module that defines a name."""
    if name.split(".")[0] in ROOMS:
        path = _module(name) or _module(name.rpartition(".")[0])
        yield from [] if path is None else [path]


def _module(name: str) -> Path | None:
    place = ROOT.joinpath(*name.split("."))
    files = (place.with_name(f"{place.name}.py"), place / "__init__.py")
    return next((file for file in files if file.is_file()), None)


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()
