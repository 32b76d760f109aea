"""The command line of Softmark: known errors become one line and an exit code.

Exit codes: 0 done, 1 something could not be graded or did not validate, 2 usage error, 3 below
`ci --fail-below`, 130 Ctrl-C.
"""

import sys
from collections.abc import Mapping
from typing import Annotated, ClassVar

try:
    import typer

    from commands.console import LazyGroup, run, show_version
except ModuleNotFoundError as error:  # another Python than the one that Softmark is installed for
    sys.stderr.write(
        f"Error: `{error.name}` is not installed for {sys.executable or 'this Python'}\n"
        "hint: run `make demo` once, then `source .venv/bin/activate` in each new terminal\n"
    )
    raise SystemExit(2) from None


class Commands(LazyGroup):
    """The commands of Softmark, and their functions in `commands/`."""

    homes: ClassVar[Mapping[str, str]] = {
        "run": "grading.run",
        "batch": "grading.batch",
        "retry": "grading.retry",
        "regrade": "grading.regrade",
        "show": "stored.show",
        "check": "own_work.check",
        "validate": "assignments.validate_examples",
        "audit": "assignments.audit",
        "examples": "assignments.examples",
        "new": "assignments.new",
        "demo": "assignments.demo",
        "pipeline": "pipelines.pipeline",
        "doctor": "assignments.doctor",
        "appeal": "own_work.appeal",
        "answers-template": "own_work.answers_template",
        "serve": "deciding.serve",
        "review": "deciding.review",
        "decide": "deciding.decide",
        "adjust": "deciding.adjust",
        "comment": "deciding.comment",
        "extend": "course.extend",
        "late-days": "course.late_days",
        "merge": "course.merge",
        "drop": "course.drop",
        "name-mistake": "deciding.name_mistake",
        "plant": "deciding.plant",
        "requests": "deciding.requests",
        "release": "deciding.release",
        "forget": "stored.forget",
        "similarity": "course.similarity",
        "agreement": "course.agreement",
        "attempts": "course.attempts",
        "export": "stored.export",
        "ci": "ci.ci",
        "list": "assignments.list_assignments",
        "package": "packaging.package",
    }


app = typer.Typer(
    cls=Commands,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


@app.callback()
def softmark(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Show the version and exit.", callback=show_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Grade Transformer coursework: code, trained models and written answers."""


def main() -> None:
    """The console script."""
    run(app, after_fault="it is not the students' fault; run the command again")


if __name__ == "__main__":
    main()
