"""Make a package: an autograder for Gradescope, a bundle for students."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from commands.options import Data, Inputs, Isolation, Name, Only
from graders.grading.choices import choose_criteria
from graders.grading.secret import SECRET
from graders.registry.discovery import load_assignment
from packages.gradescope import choices
from packages.gradescope.autograder import write_autograder
from packages.student.bundle import write_bundle

app = typer.Typer(add_completion=False, no_args_is_help=True)
Output = Annotated[Path, typer.Option("--output", "-o", help="The file to write.")]
Leaderboard = Annotated[bool, typer.Option("--leaderboard", help="Let students see accuracies.")]
Container = Annotated[
    str, typer.Option(metavar="CPUS", help="Gradescope's container: 0.5, 1, 2 or 4 CPUs.")
]
Minutes = Annotated[int, typer.Option(help="Gradescope's time limit in minutes.")]


@app.callback()
def package() -> None:
    """Build a package for Gradescope or for students."""


@app.command()
def gradescope(
    assignment: Name,
    output: Output = Path("autograder.zip"),
    data: Data = None,
    only: Only = "",
    leaderboard: Leaderboard = False,
    isolation: Isolation = "auto",
    inputs: Inputs = SECRET,
    container: Container = "0.5",
    minutes: Minutes = 10,
) -> None:
    """Build autograder.zip for Gradescope."""
    task = load_assignment(assignment)
    settings = choices.choose_settings(
        task,
        choose_criteria(task, only),
        container=choices.Container(container, minutes),
        isolation=isolation,
        inputs=inputs,
    )
    autograder = write_autograder(task, output, replace(settings, leaderboard=leaderboard), data)
    for warning in autograder.warnings:
        typer.echo(f"note: {warning}", err=True)
    typer.echo(f"{autograder.file}  {autograder.size / 1e6:.1f} MB")


@app.command()
def student(
    assignment: Name,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The file to write.", show_default="NAME-check.zip"),
    ] = None,
) -> None:
    """Build a bundle for students to check their own work (no hidden checks, no answers)."""
    task = load_assignment(assignment)
    bundle = write_bundle(task, output or Path(f"{task.name}-check.zip"))
    typer.echo(f"Packed from {task.folder}:")
    for name in bundle.packed:
        typer.echo(f"  {name}")
    for title in bundle.staff_only:
        typer.echo(f"note: not in the bundle because its checks are in `hidden`: {title}", err=True)
    for name in bundle.left_out:
        typer.echo(f"note: left out: {name}", err=True)
    for warning in bundle.warnings:
        typer.echo(f"warning: {warning}", err=True)
    typer.echo(f"{bundle.file}  {bundle.size / 1e6:.1f} MB")
