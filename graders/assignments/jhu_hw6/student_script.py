"""Find what a student's script passes to its train(), such as models that it freezes.

    the script, statement by statement -> pre_process (the student's) -> train (ours): recorded

A statement that raises is skipped: what scripts print, plot and save is not graded.
"""

import argparse
import ast
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from torch import nn

from graders.adapting.reading.source import read_source

from .student_side import FILES, code_of, gathered, globals_of, settings

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
ENOUGH = 6  # models: three kinds of tuning, twice
LOOP = "train"


class Enough(BaseException):
    """Enough is known; stop."""


def handed_over(class_name: str, file: str, **flags: Any) -> list[nn.Module]:
    """Return the models in the order of the scripts in the file of the class and its users.

    `flags` are the command line's options, above all its `type`.
    """
    models: list[nn.Module] = []

    def train(*values: Any, **named: Any) -> None:
        arguments = (*values, *named.values())
        models.extend(one for one in arguments if isinstance(one, nn.Module))
        if len(models) >= ENOUGH:
            raise Enough

    standins, home = {LOOP: train}, globals_of(code_of(file)[class_name])
    run_script(home, standins, **flags)
    for names in gathered(*FILES).importing(class_name, Path(home["__file__"])):
        with _as_before(home):
            home.update(standins if LOOP in home else {})
            run_script(names, standins, **flags)
    return models


def run_script(names: dict[str, Any], standins: Mapping[str, Any], **flags: Any) -> None:
    """Run the script in the file with these globals, with stand-ins for its functions.

    A file that defines one of these functions twice is not run: a call may mean either.
    """
    path = Path(names["__file__"])
    script = read_source(path, path.name, None)
    defined = [getattr(place.node, "name", "") for place in script.places]
    if any(defined.count(name) > 1 for name in standins):
        return
    with _command_line(flags), _as_before(names):
        assigned: dict[str, Any] = {}  # what the script assigns; to define other names may undo it
        for place in script.places:
            if isinstance(place.node, DEFINITIONS) or _is_star(place.node):
                continue  # made when a statement uses them
            try:
                _make(names, place.node)
                names.update({**assigned, **standins})
                _run(names, place.node, place.filename)
                assigned.update(_assigned(names, place.node))
            except Enough:
                break
            except (Exception, SystemExit):  # noqa: BLE001, S112
                continue


def _is_star(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.names[0].name == "*"


def _make(names: dict[str, Any], node: ast.stmt) -> None:
    """Define the names that a statement uses and the file has not defined yet."""
    looked_up = {child.id for child in ast.walk(node) if isinstance(child, ast.Name)}
    for name in looked_up - set(names):
        try:
            names["__make__"](name)
        except (Exception, SystemExit):  # noqa: BLE001, S112  missed where it is used
            continue


def _assigned(names: dict[str, Any], node: ast.stmt) -> dict[str, Any]:
    """Return the values of the names that a statement assigns."""
    stored = (name for name in ast.walk(node) if isinstance(name, ast.Name))
    return {
        name.id: names[name.id]
        for name in stored
        if isinstance(name.ctx, ast.Store) and name.id in names
    }


@contextmanager
def _as_before(names: dict[str, Any]) -> Iterator[None]:
    """Undo what the script does to names that the file's functions share."""
    before = dict(names)
    try:
        yield
    finally:
        names.update(before)


def _run(names: dict[str, Any], node: ast.stmt, filename: str) -> None:
    exec(compile(ast.Module([node], []), filename, "exec"), names)  # noqa: S102  in the sandbox


@contextmanager
def _command_line(flags: dict[str, Any]) -> Iterator[None]:
    """Make argparse return these options, whichever of them the script declares."""
    values = vars(settings(**flags))

    def parse(parser: argparse.ArgumentParser, *_: Any, **__: Any) -> argparse.Namespace:
        options = [action for action in parser._actions if action.dest != "help"]
        chosen = {
            option.dest: flags["type"]
            for option in options
            if flags["type"] in (option.choices or ()) and option.dest not in values
        }
        declared = {option.dest: values.get(option.dest, option.default) for option in options}
        return argparse.Namespace(**{**declared, **chosen})

    with mock.patch.object(argparse.ArgumentParser, "parse_args", parse):
        yield
