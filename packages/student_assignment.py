"""An assignment's folder as students get it: what its visible criteria need, and no more.

test_*.py   the functions of visible checks, and what of the other modules they use
adapters    the functions that these checks ask by name, and what those use; the oracle alike
TOML        visible criteria; questions without answers
left out    solution/, hidden criteria, checks that a solution of `reference` judges
"""

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from graders.address import LEFT_OUT
from graders.errors import Misuse
from graders.model import Assignment
from graders.written.loading import questions_in
from packages.student_checks import Functions, check_functions, functions_for
from packages.student_module import ModuleText, Statement, strings_in
from packages.student_modules import needs_torch
from packages.student_rubric import assignment_toml, questions_toml, readable
from packages.student_shaking import Shaken, shaken

ASKED = ("adapters", "oracle")  # what a process is asked; modules named after them are theirs
ELSEWHERE = (*LEFT_OUT, "standins")


@dataclass(frozen=True, slots=True)
class Stripped:
    """The files that students get, what these import, and the titles of visible criteria left."""

    files: Mapping[str, bytes]
    imported: frozenset[str]
    staff_only: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Sides:
    """The modules of the folder by who runs them."""

    functions: Functions
    checks: Mapping[str, ModuleText]
    children: Mapping[str, ModuleText]


def strip(assignment: Assignment) -> Stripped:
    """The assignment for students; Misuse where hidden and visible checks cannot be told apart."""
    if assignment.suite:
        raise Misuse(
            f"{assignment.folder}: a suite of unittest cannot be taken apart for students",
            "give it to them yourself, or write its checks anew",
        )
    sides = _sides(assignment)
    kept, staff_only = _criteria(assignment, sides)
    checks = _shaken_for(assignment, sides, kept)
    secret = any(each.visibility != "visible" for each in assignment.rubric)
    parts = [checks, _children(sides, checks)]
    files = dict(_sources(parts, anew=secret)) | _standins(assignment.folder)
    statements = [each for part in parts for each in part.statements()]
    files |= _beside(assignment.folder, statements)
    settings = assignment.settings if not secret else _named(assignment.settings, statements)
    files["assignment.toml"] = assignment_toml(assignment, kept, settings).encode()
    files |= questions_toml(questions_in(assignment.folder), kept)
    imported = frozenset[str]().union(*(part.imported() for part in parts))
    return Stripped(files, imported, staff_only)


def _criteria(assignment: Assignment, sides: _Sides) -> tuple[frozenset[str], tuple[str, ...]]:
    """The criteria that students can be given, and the titles of the visible ones they cannot."""
    kept, staff_only = set(), []
    for criterion in assignment.rubric:
        if criterion.visibility != "visible":
            continue
        needed = _shaken_for(assignment, sides, {criterion.id}).imported()
        if any(name.startswith("reference.") and needs_torch(name) for name in needed):
            staff_only.append(criterion.title)
        else:
            kept.add(criterion.id)
    return frozenset(kept), tuple(staff_only)


def _shaken_for(assignment: Assignment, sides: _Sides, kept: Collection[str]) -> Shaken:
    written = [each.id for each in assignment.rubric if each.kind == "written"]
    return shaken(sides.checks, functions_for(sides.functions, kept, written))


def _sides(assignment: Assignment) -> _Sides:
    folder = assignment.folder
    modules = {
        path.stem: ModuleText(path.read_text(encoding="utf-8")) for path in folder.glob("*.py")
    }
    apart = {name for name in modules if name.split("_")[0] in ASKED}
    checks = {name: modules[name] for name in modules if name not in apart}
    children = {name: modules[name] for name in apart}
    return _Sides(check_functions(assignment), checks, children)


def _children(sides: _Sides, checks: Shaken) -> Shaken:
    """Of adapters and oracle what kept checks ask for, by names that stand in them."""
    said = strings_in(statement.node for statement in checks.statements())
    roots = {side: sides.children[side].names for side in ASKED if side in sides.children}
    if not _asks_anything(checks):
        roots = {side: names & said for side, names in roots.items()}
    return shaken(sides.children, roots)


def _asks_anything(checks: Shaken) -> bool:
    """Whether a name that is called is made up while checking: then nobody can say which."""
    nodes = (node for each in checks.statements() for node in ast.walk(each.node))
    calls = (n for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute))
    asked = (call.args[0] for call in calls if _method(call) == "call" and call.args)
    return any(not isinstance(name, ast.Constant | ast.Name) for name in asked)


def _method(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _sources(parts: Iterable[Shaken], *, anew: bool) -> Iterator[tuple[str, bytes]]:
    for part in parts:
        for name, reached in part.reached.items():
            if reached:
                yield f"{name}.py", part.modules[name].written(reached, anew=anew).encode()


def _standins(folder: Path) -> dict[str, bytes]:
    """The stand-ins for what the course gives: a student's process has them anyway."""
    found = (path for path in sorted((folder / "standins").rglob("*")) if path.is_file())
    kept = (path for path in found if "__pycache__" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in kept}


def _beside(folder: Path, statements: Collection[Statement]) -> dict[str, bytes]:
    """Other files of the folder whose names stand in what is kept."""
    said = strings_in(each.node for each in statements)
    files = readable(folder)
    own = {name: files[name] for name in files if name.split("/")[0] not in ELSEWHERE}
    return {name: own[name] for name in own if {name, Path(name).name, Path(name).stem} & said}


def _named(settings: Collection[str], statements: Collection[Statement]) -> frozenset[str]:
    """The settings whose names stand in what is kept."""
    said = strings_in(each.node for each in statements)
    return frozenset(name for name in settings if name in said)
