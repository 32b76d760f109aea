"""Generate rewritten submissions: a correct one with one to three rewrites, or other files."""

import ast
import json
import random
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from pathlib import PurePosixPath

import libcst as cst

from graders.audit.changes.change import Base, Changed, Files, bytecode, diff_of, make_id
from graders.audit.changes.rewrites import REWRITES
from graders.audited import Change

MOST = 3  # rewrites of one submission
OWN_FILES = 0.2  # the share of submissions whose code moves into other files
TRIES = 50  # failed ones in a row before stopping


def generate_rewrites(
    bases: Sequence[Base], patterns: Sequence[str], seed: int
) -> Iterator[Changed]:
    """Yield different rewritten submissions, each with equal chance of the solution or another.

    `patterns` are the assignment's file names; notebooks are written if one accepts them.
    """
    rng = random.Random(seed)  # noqa: S311  a sample, not a secret
    examples, failed, seen = bases[1:] or bases, 0, set[str]()
    while failed < TRIES:
        base = rng.choice((bases[0], rng.choice(examples)))
        moved = rng.random() < OWN_FILES
        rewrite = _moved(base, patterns, rng) if moved else _rewritten(base, rng)
        if rewrite is None or rewrite.change.id in seen:
            failed += 1
            continue
        failed = 0
        seen.add(rewrite.change.id)
        yield rewrite


def _rewritten(base: Base, rng: random.Random) -> Changed | None:
    """Return the submission with some rewrites in every file; None if none applies."""
    files, applied = dict(base.files), []
    for rewrite in rng.sample(REWRITES, rng.randint(1, MOST)):
        before = dict(files)
        for name in base.code:
            text = files[name].decode("utf-8")
            elsewhere = "".join(_text(files[file]) for file in files if file != name)
            module = cst.parse_module(text)
            new = module.visit(rewrite.transformer(module, rng, elsewhere)).code
            if bytecode(new) is not None:
                files[name] = new.encode()
        if files != before:
            applied.append(rewrite.name)
    return _changed(base, files, " + ".join(applied)) if applied else None


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def _moved(base: Base, patterns: Sequence[str], rng: random.Random) -> Changed | None:
    """Return the submission with one file as a notebook or in a second module; None if none can."""
    free = [name for name in base.code if _is_alone(base, name)]
    if not free:
        return None
    name = rng.choice(free)
    path, files = PurePosixPath(name), dict(base.files)
    notebook = path.with_suffix(".ipynb")
    read = any(fnmatch(notebook.name, pattern) for pattern in patterns)
    if read and rng.random() < 0.5:
        files[str(notebook)] = _notebook(_text(files.pop(name)))
        return _changed(base, files, "notebook")
    text, stem = _text(files[name]), f"{path.stem}_parts"
    files[str(path.with_name(f"{stem}.py"))] = files[name]
    files[name] = f"from {stem} import {', '.join(_defined(text))}\n".encode()
    return _changed(base, files, "second module")


def _is_alone(base: Base, name: str) -> bool:
    """Return whether a file is not in a package, not a script, and imported by no other one."""
    path = PurePosixPath(name)
    package = str(path.with_name("__init__.py")) in base.files
    used = any(path.stem in _text(base.files[file]) for file in base.code if file != name)
    text = _text(base.files[name])
    return not package and not used and "__main__" not in text and bool(_defined(text))


def _defined(text: str) -> list[str]:
    """Return the functions, classes and variables at the top of a file."""
    names: list[str] = []
    for node in ast.parse(text).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.append(node.name)
        elif isinstance(node, ast.Assign):
            names += [target.id for target in node.targets if isinstance(target, ast.Name)]
    return list(dict.fromkeys(names))


def _notebook(text: str) -> bytes:
    """Return a notebook with one cell for each statement of a file."""
    module = cst.parse_module(text)
    header = "".join(module.code_for_node(line) for line in module.header)
    sources = [header, *(module.code_for_node(statement) for statement in module.body)]
    cells: list[dict[str, object]] = [
        {
            "cell_type": "code",
            "metadata": {},
            "outputs": [],
            "execution_count": None,
            "source": source,
        }
        for source in sources
        if source.strip()
    ]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook).encode()


def _changed(base: Base, files: Files, operator: str) -> Changed:
    names = sorted(
        name for name in {*files, *base.files} if files.get(name) != base.files.get(name)
    )
    diff = [
        line
        for name in names
        for line in (
            name,
            *diff_of(_text(base.files.get(name, b"")), _text(files.get(name, b""))),
        )
    ]
    id_ = make_id(", ".join(names), "", base.name, [line for line in diff if line])
    return Changed(Change(id_, operator, base.name, ", ".join(names), "", "\n".join(diff)), files)
