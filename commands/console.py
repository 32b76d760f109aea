"""Run a console script: known errors become one line and an exit code."""

import ast
import errno
import importlib
import io
import os
import signal
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup

from graders.errors import GraderFault, UsageError, UserError
from graders.execution.workplace import settle

APP = "app"  # the name of a module's group of commands


class LazyGroup(TyperGroup):
    """A group that imports the module of a command when it is called, not to list it.

    `homes` gives each command's module and function, `grading.run`, in the order of the help page.
    If the module has an `app`, that is the command. A listed command has only its help text, the
    function's docstring, which is read without importing the module.
    """

    homes: ClassVar[Mapping[str, str]] = {}

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        self._is_listing = False
        for name, home in self.homes.items():
            module, function = home.split(".")
            texts = _docstrings(Path(__file__).with_name(f"{module}.py"))
            self.commands[name] = TyperCommand(name, help=texts[function])

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help page, for which the commands' docstrings are enough."""
        self._is_listing = True
        super().format_help(ctx, formatter)
        self._is_listing = False

    def get_command(self, ctx: Any, name: str) -> Any:
        """Return a command; None if there is none of this name."""
        listed = super().get_command(ctx, name)
        return listed if listed is None or self._is_listing else self._loaded(name)

    def _loaded(self, name: str) -> Any:
        home, function = self.homes[name].split(".")
        try:
            module: Any = importlib.import_module(f"commands.{home}")
        except ModuleNotFoundError as error:
            raise UsageError(
                f"`{error.name}` is not installed for {sys.executable}", "run `make demo` again"
            ) from error
        app = getattr(module, APP, None)
        if app is None:
            app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
            app.command(name)(getattr(module, function))
        command = typer.main.get_command(app)
        command.name = name
        return command


@cache
def _docstrings(path: Path) -> dict[str, str]:
    """Return the docstring of each function of a module."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    functions = [node for node in body if isinstance(node, ast.FunctionDef)]
    return {node.name: ast.get_docstring(node) or "" for node in functions}


def run(app: typer.Typer, *, after_fault: str) -> None:
    """Run the commands: exit code 2 for a usage error, 1 and this hint for our own fault."""
    # SIGTERM ends it like Ctrl-C: no processes and folders are left behind.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    _bear_any_encoding()
    try:
        settle()
        app()
    except UserError as error:
        _show_error(str(error), error.hint)
        sys.exit(2)
    except GraderFault as error:
        _show_error(str(error), after_fault)
        sys.exit(1)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        _end_on_a_full_disk(error)


def show_version(wanted: bool) -> None:
    """Print the version of Softmark and exit, if wanted."""
    if wanted:
        from graders.grading.environment import version_of

        typer.echo(f"softmark {version_of('softmark')}")
        raise typer.Exit


def _show_error(problem: str, hint: str) -> None:
    from reports.terminal.results import show_misuse

    show_misuse(problem, hint)


def _bear_any_encoding() -> None:
    """Print a `?` for what a terminal or a pipe cannot encode, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _end_on_a_full_disk(error: OSError) -> None:
    os.dup2(
        os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno()
    )  # writing the rest would fail again
    place = f"{error.filename}: " if error.filename else ""
    _show_error(f"{place}no space is left", "make room, and run the same command again")
    sys.exit(1)
