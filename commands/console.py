"""What every console script of Softmark does: known errors become one line and an exit code."""

import signal
import sys

import typer

from graders.errors import GraderFault, Misuse
from graders.workplace import settle
from reports import terminal


def run(app: typer.Typer, *, after_fault: str) -> None:
    """Run the commands: exit code 2 for misuse, 1 and this hint for a fault of ours."""
    # Told to end, it ends as when interrupted: processes and folders do not stay behind.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    terminal.bear_any_encoding()
    try:
        settle()
        app()
    except Misuse as error:
        terminal.show_misuse(str(error), error.hint)
        sys.exit(2)
    except GraderFault as error:
        terminal.show_misuse(str(error), after_fault)
        sys.exit(1)
