"""The command line of Softmark: known errors become one line and an exit code.

Exit codes: 0 graded, 1 something could not be graded, 2 misuse, 3 from `ci --fail-below`.
"""

import typer

from commands import (
    bundled,
    ci,
    deciding,
    grading,
    own_work,
    packaging,
    pipelines,
    stored,
)
from commands.console import run

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Grade Transformer coursework: right, safe, clear, fast.",
)
for command in (
    *(grading.run, grading.batch, grading.retry, grading.regrade),
    *(stored.show, own_work.check, bundled.validate_examples),
    *(bundled.examples, bundled.new, bundled.demo),
    *(pipelines.pipeline, bundled.doctor, own_work.answers_template, deciding.review),
    deciding.decide,
    *(deciding.release, stored.export, ci.ci),
):
    app.command(command.__name__.removesuffix("_examples").replace("_", "-"))(command)
app.command("list")(bundled.list_assignments)
app.add_typer(packaging.package, name="package")


def main() -> None:
    """The console script."""
    run(app, after_fault="it is not the students' fault; run the command again")


if __name__ == "__main__":
    main()
