"""Run a console script: known errors become one line and an exit code."""

import errno
import os
import signal
import sys

import typer

from graders.errors import GraderFault, UserError
from graders.execution.workplace import settle
from graders.grading.environment import version_of
from reports.terminal import results as terminal


def run(app: typer.Typer, *, after_fault: str) -> None:
    """Run the commands: exit code 2 for misuse, 1 and this hint for our own fault."""
    # SIGTERM ends it like Ctrl-C: no processes and folders are left behind.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    terminal.bear_any_encoding()
    try:
        settle()
        app()
    except UserError as error:
        terminal.show_misuse(str(error), error.hint)
        sys.exit(2)
    except GraderFault as error:
        terminal.show_misuse(str(error), after_fault)
        sys.exit(1)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        _end_on_a_full_disk(error)


def show_version(wanted: bool) -> None:
    """Print the version of Softmark and exit, if wanted."""
    if wanted:
        typer.echo(f"softmark {version_of('softmark')}")
        raise typer.Exit


def _end_on_a_full_disk(error: OSError) -> None:
    os.dup2(
        os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno()
    )  # writing the rest would fail again
    place = f"{error.filename}: " if error.filename else ""
    terminal.show_misuse(f"{place}no space is left", "make room, and run the same command again")
    sys.exit(1)
