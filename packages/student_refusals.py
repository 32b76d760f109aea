"""Shapes of an assignment that cannot be taken apart for students: each is refused."""

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

from graders.errors import Misuse
from graders.model import Assignment
from packages.student_module import strings_in
from packages.student_shaking import MARK, Shaken

MADE_UP = (ast.JoinedStr, ast.BinOp, ast.Call)  # no string of the source says what these are


def refuse_what_tells(assignment: Assignment, checks: Shaken) -> None:
    """Misuse where what is kept of the checks tells of criteria that students do not see."""
    unseen = {each.id for each in assignment.rubric if each.visibility != "visible"}
    for statement in checks.statements():
        told = strings_in([statement.node]) & unseen
        if MARK in statement.defines and told:
            raise Misuse(
                f"{assignment.folder}: a `{MARK}` beside visible checks names `{min(told)}`, which "
                "students do not see",
                "mark each function, or make two files of it",
            )
    if unseen and any(isinstance(each, MADE_UP) for each in asked(checks)):
        raise Misuse(
            f"{assignment.folder}: a visible check makes up the name that it asks `call` for, and "
            "adapters of hidden checks would be handed out with it",
            "write the names out",
        )


def refuse_what_is_lost(folder: Path, parts: Iterable[Shaken]) -> None:
    """Misuse where what is kept imports what would not be in the bundle."""
    packages = {path.parent.name for path in folder.glob("*/*.py")} - {"standins"}
    for part in parts:
        for name in sorted(part.imported()):
            source, _, taken = name.rpartition(".")
            if name.split(".")[0] in packages:
                raise Misuse(
                    f"{folder}: checks import `{name}`, and subfolders are not taken apart",
                    "put its modules beside the check files",
                )
            if taken == "*" and source in part.modules:
                raise Misuse(
                    f"{folder}: nobody can say what `from {source} import *` takes",
                    "import by name",
                )


def asked(checks: Shaken) -> Iterator[ast.expr]:
    """What stands where a check says which function of the other side it asks."""
    for statement in checks.statements():
        for node in ast.walk(statement.node):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                yield from node.args[:1] if node.func.attr == "call" else ()
