"""What students do themselves before they hand in."""

from pathlib import Path
from typing import Annotated

import typer

from commands.options import Data, Isolation, Name, Only
from graders.choices import choose_criteria, existing
from graders.discovery import first_with_code, load_assignment
from graders.isolation import choose_tier
from graders.pipeline import grade_submission
from graders.precheck import precheck_options
from graders.written.template import template_of
from reports import terminal
from submissions.receive import identify


def check(
    submission: Path,
    assignment: Annotated[str, typer.Option(help="Whose; without it the first with code.")] = "",
    data: Data = None,
    only: Only = "",
    isolation: Isolation = "auto",
) -> None:
    """Check your own work before you hand it in (visible criteria only)."""
    task = load_assignment(assignment) if assignment else first_with_code()
    tier = choose_tier(isolation, refuse_none=False)
    upload = identify(existing(submission), task.name)
    plan = precheck_options(task, upload.path, tier, data=data, only=choose_criteria(task, only))
    result = grade_submission(upload, task, plan.options)
    terminal.show_result(result, plan.not_judged)
    raise typer.Exit(int(plan.failed_to_grade(result)))


def answers_template(
    assignment: Name,
    form: Annotated[str, typer.Option("--format", help="md or yaml.", show_default="md")] = "",
    output: Annotated[Path | None, typer.Option(help="A new file; without it stdout.")] = None,
) -> None:
    """Write an empty answers file with every question of the written part."""
    text = template_of(load_assignment(assignment), form, output)
    if output is None:
        typer.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")
