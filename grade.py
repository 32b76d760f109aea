"""The command line of Softmark: known errors become one line and an exit code.

Exit codes: 0 graded, 1 something could not be graded, 2 usage error, 3 from `ci --fail-below`,
130 interrupted.
"""

import sys
from typing import Annotated

try:
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
    from commands.console import run, show_version
except ModuleNotFoundError as error:  # another Python than the one that Softmark is installed for
    sys.stderr.write(
        f"Error: `{error.name}` is not installed for {sys.executable or 'this Python'}\n"
        "hint: run `make demo` once, then `source .venv/bin/activate` in each new terminal\n"
    )
    raise SystemExit(2) from None

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
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


@app.callback()
def softmark(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Show the version and exit.", callback=show_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Grade Transformer coursework: right, safe, clear, fast."""


def main() -> None:
    """The console script."""
    run(app, after_fault="it is not the students' fault; run the command again")


if __name__ == "__main__":
    main()
