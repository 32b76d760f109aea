"""Write notes for the student about the files in their upload, as sentences."""

import ast
import copy
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from graders.adapting.lazy_module import Module
from graders.adapting.raised import text_of
from graders.adapting.reading.names import DEFINITION
from graders.adapting.reading.outline import Outline

MAX_NOTES = 20
MAX_TEXT = 300


def shortened(notes: Iterable[str]) -> list[str]:
    """Return each sentence once, up to a limit."""
    once = list(dict.fromkeys(note[:MAX_TEXT] for note in notes))
    rest = len(once) - MAX_NOTES
    return once if rest <= 0 else [*once[:MAX_NOTES], f"There are {rest} more notes like these."]


def copies(paths: Sequence[Path], names: Sequence[str]) -> list[str]:
    """Report files that are identical, byte for byte."""
    sizes = Counter(path.stat().st_size for path in paths)
    groups: dict[bytes, list[str]] = {}
    for path, name in zip(paths, names, strict=True):
        if sizes[path.stat().st_size] > 1 and (data := path.read_bytes()).strip():
            groups.setdefault(data, []).append(name)
    return [
        f"`{copy}` is the same file as `{first}`, byte for byte."
        for first, *rest in map(sorted, groups.values())
        for copy in rest
    ]


def spread(homes: Mapping[str, Outline]) -> list[str]:
    """Report which file each name was taken from, if there was more than one."""
    files: dict[str, list[str]] = {}
    for name, home in homes.items():
        files.setdefault(home.source.name, []).append(name)
    if len(files) < 2:
        return []
    return [f"Taken from `{file}`: {_listed(names)}." for file, names in files.items()]


def rivals(homes: Mapping[str, Outline], files: Sequence[Outline]) -> list[str]:
    """Report which other files define a name differently from the file it was taken from."""
    pairs: dict[tuple[str, str], list[str]] = {}
    for name, home in homes.items():
        for other in files:
            if other is home or other.definition(name) is None or not other.is_written(name):
                continue
            if not _imports(home, other, name) and not same_meaning(home, other, name):
                pairs.setdefault((other.source.name, home.source.name), []).append(name)
    return [
        f"`{other}` and `{home}` define {_listed(names)} differently; `{home}` was taken."
        for (other, home), names in pairs.items()
    ]


def _imports(home: Outline, other: Outline, name: str) -> bool:
    """Return whether a file only imports this name from the other one."""
    statement = home.borrowed(name)
    if (
        statement is None
        or home.definition(name) is not None
        or not isinstance(statement.node, ast.ImportFrom)
    ):
        return False
    return (statement.node.module or "").split(".")[-1] == other.source.path.stem


def failures(module: Module, names: Sequence[str], folder: Path) -> list[str]:
    """Report lines that the wanted names need and that failed."""
    sentences = []
    for name, error in module.failures.items():
        if name in names or name in module.namespace:
            continue
        statements = module.outline.binders.get(name)
        place = statements[-1].filename.removeprefix(f"{folder}/") if statements else ""
        line = f"`{place}`, line {statements[-1].node.lineno}: " if statements else ""
        reason = f"{type(error).__name__}: {text_of(error, 200)}"
        sentences.append(f"{line}`{name}` could not be made ({reason}).")
    return sentences


def same_meaning(one: Outline, other: Outline, name: str) -> bool:
    """Return whether two files define a name the same, apart from comments and line breaks."""
    return _meaning(one, name) == _meaning(other, name)


def _meaning(outline: Outline, name: str) -> str:
    statement = outline.definition(name)
    if statement is None:
        return ""
    try:
        return ast.dump(_without_docstring(statement.node))
    except RecursionError:
        return str(statement.index)


def _without_docstring(node: ast.stmt) -> ast.stmt:
    if not isinstance(node, DEFINITION) or ast.get_docstring(node) is None:
        return node
    bare = copy.copy(node)
    bare.body = node.body[1:]
    return bare


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
