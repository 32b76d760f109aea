"""The command line of a student's bundle: only commands for one's own work."""

import typer

from commands import own_work
from commands.console import run

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Check your own work before you submit it.",
)
app.command("check")(own_work.check)
app.command("answers-template")(own_work.answers_template)
app.command("appeal")(own_work.appeal)


def main() -> None:
    """Run the console script."""
    run(app, after_fault="it is not your fault; run the command again")


if __name__ == "__main__":
    main()
