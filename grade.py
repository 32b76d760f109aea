"""The command line of Softmark: known errors become one line and an exit code.

Exit codes: 0 graded, 1 something could not be graded, 2 misuse, 3 from `ci --fail-below`.
"""

import signal
import sys

import typer

from commands import (
    bundled,
    ci,
    exporting,
    grading,
    looking,
    own_work,
    packaging,
    pipelines,
    reviewing,
)
from graders.errors import GraderFault, Misuse
from graders.workplace import settle
from reports import terminal

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Grade Transformer coursework: right, safe, clear, fast.",
)
for command in (
    *(grading.run, grading.batch, grading.retry, grading.regrade),
    *(looking.show, own_work.check, bundled.validate_examples, bundled.demo),
    *(pipelines.pipeline, looking.doctor, own_work.answers_template, reviewing.review),
    *(exporting.export, ci.ci),
):
    app.command(command.__name__.removesuffix("_examples").replace("_", "-"))(command)
app.add_typer(packaging.package, name="package")


def main() -> None:
    """The console script: known errors become one line, with exit code 2, or 1 where ours."""
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
        terminal.show_misuse(str(error), "it is not the students' fault; run the command again")
        sys.exit(1)


if __name__ == "__main__":
    main()
