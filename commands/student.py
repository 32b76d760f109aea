"""The command line of a student's bundle: check one's own work, and nothing that staff do."""

import signal
import sys

import typer

from commands import own_work
from graders.errors import GraderFault, Misuse
from graders.workplace import settle
from reports import terminal

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Check your own work before you hand it in.",
)
app.command("check")(own_work.check)


@app.callback()
def _commands() -> None:
    """One command is still said by its name: `softmark check .`."""


def main() -> None:
    """Run it: known errors become one line, with exit code 2, or 1 where ours."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    terminal.bear_any_encoding()
    try:
        settle()
        app()
    except Misuse as error:
        terminal.show_misuse(str(error), error.hint)
        sys.exit(2)
    except GraderFault as error:
        terminal.show_misuse(str(error), "it is not your fault; run the command again")
        sys.exit(1)


if __name__ == "__main__":
    main()
