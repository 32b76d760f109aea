"""The command that audits an assignment's checks."""

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from commands.options import JOBS, Data, ExecutorName, Isolation, Jobs, Name
from graders.errors import UsageError
from graders.execution.executors import make_executor
from graders.grading.choices import choose_options
from graders.grading.pipeline import GradingRequest
from graders.registry.discovery import load_assignment
from reports.audit import write_audit
from reports.terminal import audit as terminal_audit
from reports.terminal.results import progress_of


def audit(
    assignment: Name,
    data: Data = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for the report and what was graded.", show_default="out/audit/ASSIGNMENT"
        ),
    ] = None,
    minutes: Annotated[float, typer.Option(min=0, help="Time for grading, without attacks.")] = 10,
    seed: Annotated[int, typer.Option(help="Another seed takes other mutants and inputs.")] = 0,
    mutants: Annotated[int, typer.Option(min=0, help="Small mistakes to plant.")] = 300,
    isolation: Isolation = "auto",
    jobs: Jobs = JOBS,
    executor: ExecutorName = "processes",
) -> None:
    """Audit an assignment's checks with mutants, rewrites and empty work; exit code 1 if any fails."""
    if find_spec("libcst") is None:
        raise UsageError("`audit` needs the package `libcst`", "pip install 'softmark[audit]'")
    # It imports libcst, which is optional.
    from graders.audit.graded import Grader, Kept
    from graders.audit.parts import Plan
    from graders.audit.parts import audit as run_audit

    task = load_assignment(assignment)
    options = choose_options(task, data=data, isolation=isolation)
    folder = out or Path("out") / "audit" / task.name
    plan = Plan(minutes, seed, mutants)
    with make_executor(executor, jobs) as pool:
        grader = Grader(pool, 2 * jobs, Kept(folder))
        found = run_audit(GradingRequest(task, options), grader, plan, progress_of)
    terminal_audit.show_audit(found)
    typer.echo(f"report: {write_audit(found, folder)}")
    raise typer.Exit(int(not found.clean))
