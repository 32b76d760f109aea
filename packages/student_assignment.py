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
from graders.check_files import files_below
from graders.errors import Misuse
from graders.model import Assignment
from graders.taken import QUESTIONS
from graders.written.loading import questions_in
from packages.student_checks import Functions, check_functions, functions_for
from packages.student_module import ModuleText, Statement, strings_in
from packages.student_modules import needs_torch
from packages.student_refusals import asked, refuse_what_is_lost, refuse_what_tells
from packages.student_rubric import assignment_toml, questions_toml, readable
from packages.student_shaking import Shaken, shaken

ASKED = ("adapters", "oracle")  # what a process is asked; modules named after them are theirs
ELSEWHERE = (*LEFT_OUT, "standins")
PLAIN = (ast.Constant, ast.Name)  # names that are called as they stand in the checks


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
    secret = _keeps_secrets(assignment)
    refuse_what_tells(assignment, checks)
    parts = [checks, _children(assignment, sides, checks)]
    refuse_what_is_lost(assignment.folder, parts)
    files = dict(_sources(parts, anew=secret)) | _standins(assignment.folder)
    statements = [each for part in parts for each in part.statements()]
    files |= _beside(assignment.folder, statements, sides)
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
    questions = [each.id for each in questions_in(assignment.folder)]
    return shaken(sides.checks, functions_for(sides.functions, kept, questions))


def _sides(assignment: Assignment) -> _Sides:
    folder = assignment.folder
    modules = {path.stem: ModuleText(_text(path)) for path in folder.glob("*.py")}
    apart = {name for name in modules if name.split("_")[0] in ASKED}
    checks = {name: modules[name] for name in modules if name not in apart}
    children = {name: modules[name] for name in apart}
    return _Sides(check_functions(assignment), checks, children)


def _keeps_secrets(assignment: Assignment) -> bool:
    return any(each.visibility != "visible" for each in assignment.rubric)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise Misuse(f"{path}: {error}", "save it in UTF-8") from error


def _children(assignment: Assignment, sides: _Sides, checks: Shaken) -> Shaken:
    """Of adapters and oracle what kept checks ask for, by names that stand in them."""
    said = {*strings_in(statement.node for statement in checks.statements()), *QUESTIONS}
    said |= {str(assignment.settings[name]) for name in said & {*assignment.settings}}
    roots = {side: sides.children[side].names for side in ASKED if side in sides.children}
    # A name that is made up while checking can be any, where no other has to be kept back.
    if _keeps_secrets(assignment) or all(isinstance(each, PLAIN) for each in asked(checks)):
        roots = {side: names & said for side, names in roots.items()}
    return shaken(sides.children, roots)


def _sources(parts: Iterable[Shaken], *, anew: bool) -> Iterator[tuple[str, bytes]]:
    for part in parts:
        for name, reached in part.reached.items():
            if reached:
                yield f"{name}.py", part.modules[name].written(reached, anew=anew).encode()


def _standins(folder: Path) -> dict[str, bytes]:
    """The stand-ins for what the course gives: a student's process has them anyway."""
    found = files_below(folder / "standins")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def _beside(folder: Path, statements: Collection[Statement], sides: _Sides) -> dict[str, bytes]:
    """Other files of the folder whose names stand in what is kept.

    A name without its suffix counts as long as nothing that is left out says the whole of it.
    """
    said, taken = strings_in(each.node for each in statements), {*statements}
    modules = (*sides.checks.values(), *sides.children.values())
    rest = (each.node for module in modules for each in module.statements if each not in taken)
    theirs = strings_in(rest)
    files = readable(folder)
    own = {name: files[name] for name in files if name.split("/")[0] not in ELSEWHERE}
    return {name: own[name] for name in own if _is_said(Path(name), said, theirs)}


def _is_said(path: Path, said: Collection[str], theirs: Collection[str]) -> bool:
    whole = {path.as_posix(), path.name}
    return not whole.isdisjoint(said) or (path.stem in said and whole.isdisjoint(theirs))


def _named(settings: Collection[str], statements: Collection[Statement]) -> frozenset[str]:
    """The settings whose names stand in what is kept."""
    said = strings_in(each.node for each in statements)
    return frozenset(name for name in settings if name in said)
