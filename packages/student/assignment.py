"""An assignment's folder as students get it: without folders named `hidden`.

unchanged      Python files of the assignment's packages, standins/, the files that `public` names
rewritten      assignment.toml with visible criteria, written.toml without answers
left out       hidden/, solution/, examples/, and every other file
"""

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from graders.boundary.side import packages_in
from graders.errors import UsageError
from graders.grading.cache_key import LEFT_OUT
from graders.model import Assignment
from graders.registry.check_files import Collected, collected, files_below
from graders.written.loading import FILE as QUESTIONS
from graders.written.loading import questions_in
from packages.student.modules import names_imported, needs_torch
from packages.student.rubric import assignment_toml, questions_toml

HIDDEN, STANDINS = "hidden", "standins"
ANEW = "rerun"  # the fixture of checks that train again, which `check` never runs
VALUES = {ast.Assign, ast.AnnAssign, ast.Expr, ast.Import, ast.ImportFrom}
OWN = {("assignment.toml",), (QUESTIONS,)}


@dataclass(frozen=True, slots=True)
class Stripped:
    """The files that students get, the modules that they import, and what students do not get.

    `staff_only` are the titles of visible criteria whose checks are hidden. `left_out` are files
    that are not packed, outside the folders that only staff have. `warnings` say which of them a
    packed file names, and which packed files contain nothing but values.
    """

    files: Mapping[str, bytes]
    imported: frozenset[str]
    staff_only: tuple[str, ...]
    left_out: tuple[str, ...]
    warnings: tuple[str, ...]


def strip(assignment: Assignment) -> Stripped:
    """Return the assignment for students.

    Raises UsageError if that needs or reveals hidden parts.
    """
    folder = assignment.folder
    if assignment.suite:
        raise UsageError(
            f"{folder}: a bundle for students cannot contain a unittest suite",
            "give it to them yourself, or rewrite its checks",
        )
    trees = {name: _parsed(folder / name) for name in _modules(folder)}
    criteria, staff_only = _criteria(assignment)
    _refuse_what_is_hidden(assignment, trees)
    strings = strings_in(trees.values())
    secret = bool(staff_only) or any(
        criterion.visibility != "visible" for criterion in assignment.rubric
    )
    settings = [setting for setting in assignment.settings if not secret or setting in strings]
    files = {name: (folder / name).read_bytes() for name in (*trees, *_public(assignment))}
    left_out = [name for name in _others(folder) if name not in files]
    files["assignment.toml"] = assignment_toml(assignment, criteria, settings).encode()
    files |= questions_toml(questions_in(folder), criteria)
    imported = frozenset(name for tree in trees.values() for name in names_imported(tree))
    warnings = (*_forgotten(trees, left_out), *_only_values(trees))
    return Stripped(files, imported, staff_only, tuple(left_out), warnings)


def _forgotten(trees: Mapping[str, ast.Module], left_out: Collection[str]) -> Iterator[str]:
    """Warn of each file that is not packed although a packed one names it."""
    for file in left_out:
        for name, tree in trees.items():
            if any(Path(file).name in text for text in strings_in([tree])):
                yield (
                    f"{name} names `{file}`, which is not packed: if these checks read answers, "
                    f"move both to a folder `{HIDDEN}`; if students may have the file, name it in "
                    "`files.public`"
                )


def _only_values(trees: Mapping[str, ast.Module]) -> Iterator[str]:
    """Warn of each module that is all data: it may contain answers."""
    for name, tree in trees.items():
        kinds = {type(node) for node in tree.body}
        if kinds & {ast.Assign, ast.AnnAssign} and kinds <= VALUES:
            yield (
                f"{name} contains only values, and students get it: move it to a folder "
                f"`{HIDDEN}` if they are answers"
            )


def _criteria(assignment: Assignment) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the criteria that students get, and the titles of the visible ones they don't get."""
    questions = {question.id for question in questions_in(assignment.folder)}
    shown = {
        criterion.id: criterion.title
        for criterion in assignment.rubric
        if criterion.visibility == "visible"
    }
    checks = [check for check in collected(assignment) if ANEW not in check.fixtures]
    packed, kept_back = set[str](), set[str]()
    for check in checks:
        id = check.check.criterion
        (kept_back if _is_hidden(check.path, assignment.folder) else packed).add(id)
        if id not in shown and id in packed - questions:
            raise UsageError(
                f"{check.path}: `{check.function}` judges `{id}`, which students do not see",
                f"move it to a file in a folder named `{HIDDEN}`",
            )
    if both := packed & kept_back:
        raise UsageError(
            f"{assignment.folder}: some checks of `{min(both)}` are in `{HIDDEN}`, some are not",
            "students would see other points; move all of them, or none",
        )
    _refuse_hidden_ground([check for check in checks if check.check.criterion in packed])
    return frozenset(packed & {*shown}), tuple(shown[id] for id in shown if id in kept_back)


def _refuse_hidden_ground(checks: Collection[Collected]) -> None:
    """Refuse a visible check that depends on a hidden one, because it reveals the hidden ID."""
    ids = {check.check.id for check in checks}
    for check in checks:
        if not ids.issuperset(check.check.depends_on):
            raise UsageError(
                f"{check.path}: the check `{check.check.id}`, which students see, depends on one "
                "that they do not",
                "let it depend on a visible one",
            )


def _is_hidden(path: Path, folder: Path) -> bool:
    return HIDDEN in path.relative_to(folder).parts


def _modules(folder: Path) -> Iterator[str]:
    """Yield the Python files of the packages that are not hidden, relative to the folder."""
    for package in packages_in(folder):
        for path in sorted(package.glob("*.py")):
            if not _is_hidden(path, folder):
                yield path.relative_to(folder).as_posix()


def _parsed(path: Path) -> ast.Module:
    try:
        return ast.parse(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, SyntaxError) as error:
        raise UsageError(f"{path}: {error}", "it must be Python in UTF-8") from error


def _refuse_what_is_hidden(assignment: Assignment, trees: Mapping[str, ast.Module]) -> None:
    """Raise UsageError if a file that students get imports or names something hidden."""
    unseen = {criterion.id for criterion in assignment.rubric if criterion.visibility != "visible"}
    for name, tree in trees.items():
        file = assignment.folder / name
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and HIDDEN in _parts(node):
                raise UsageError(
                    f"{file}, line {node.lineno}: it imports from `{HIDDEN}`, which students do "
                    "not get",
                    f"move what both need out of `{HIDDEN}`",
                )
        for module in names_imported(tree):
            if module.startswith("reference.") and needs_torch(module):
                raise UsageError(
                    f"{file}: it imports `{module}`, which is a solution",
                    f"move the file to a folder named `{HIDDEN}`",
                )
        if criteria := strings_in([tree]) & unseen:
            raise UsageError(
                f"{file}: it names `{min(criteria)}`, which students do not see",
                f"move that part to a folder named `{HIDDEN}`",
            )


def _parts(node: ast.ImportFrom) -> tuple[str, ...]:
    return (*(node.module or "").split("."), *(alias.name for alias in node.names))


def strings_in(trees: Collection[ast.AST]) -> frozenset[str]:
    """Return every string that they contain."""
    nodes = (node for tree in trees for node in ast.walk(tree))
    constants = (node.value for node in nodes if isinstance(node, ast.Constant))
    return frozenset(value for value in constants if isinstance(value, str))


def _public(assignment: Assignment) -> Iterator[str]:
    """Yield the other files that students get: stand-ins, and the files listed in `public`."""
    folder = assignment.folder
    for path in files_below(folder / STANDINS):  # the student's process has them anyway
        yield path.relative_to(folder).as_posix()
    for name in assignment.files.public:
        if not (folder / name).is_file() or _is_hidden(folder / name, folder):
            raise UsageError(
                f"{folder / 'assignment.toml'}: `files.public`: there is no file `{name}` that "
                "students may get",
                "give the path of a file in the assignment's folder",
            )
        yield name


def _others(folder: Path) -> Iterator[str]:
    """Yield the files that are neither code nor in a folder that is left out."""
    for path in files_below(folder):
        parts = path.relative_to(folder).parts
        if parts[0] not in LEFT_OUT and not _is_hidden(path, folder) and parts not in OWN:
            yield "/".join(parts)
