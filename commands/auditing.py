"""The command that audits an assignment's checks."""

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from commands.options import JOBS, Data, ExecutorName, Isolation, Jobs, Name
from graders.audit.attacks import attack_all, verdict_row
from graders.audit.attacks_uploads import known_attacks
from graders.audited import AttackRow
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
    rewrites: Annotated[int, typer.Option(min=0, help="Rewrites with the same meaning.")] = 60,
    repeats: Annotated[int, typer.Option(min=0, help="Secrets for each submission.")] = 5,
    null_share: Annotated[
        float, typer.Option(min=0, max=1, help="Share of a criterion that empty work may earn.")
    ] = 0.1,
    attacks: Annotated[bool, typer.Option("--attacks", help="Grade hostile submissions.")] = False,
    isolation: Isolation = "auto",
    jobs: Jobs = JOBS,
    executor: ExecutorName = "processes",
) -> None:
    """Audit an assignment's checks: find mistakes they miss and correct code they punish.

    Exit code 1: a new survivor, a rewrite that lost points, a null submission or a flip; else 0.
    """
    if find_spec("libcst") is None:
        raise UsageError("`audit` needs the package `libcst`", "pip install 'softmark[audit]'")
    # It imports libcst, which is optional.
    from graders.audit.graded import Grader, Kept
    from graders.audit.parts import Plan
    from graders.audit.parts import audit as run_audit

    task = load_assignment(assignment)
    options = choose_options(task, data=data, isolation=isolation)
    folder = out or Path("out") / "audit" / task.name
    plan = Plan(minutes, seed, mutants, rewrites, repeats, null_share)
    with make_executor(executor, jobs) as pool:
        grader = Grader(pool, 2 * jobs, Kept(folder))
        found = run_audit(GradingRequest(task, options), grader, plan, progress_of)
        if attacks:
            chosen = known_attacks()
            met = attack_all(task, options, pool, chosen=chosen, ahead=2 * jobs)
            rows = map(verdict_row, progress_of(met, 1 + len(chosen)))
            found = replace(found, attacks=tuple(AttackRow(*each) for each in rows))
    terminal_audit.show_audit(found)
    typer.echo(f"report: {write_audit(found, folder)}")
    raise typer.Exit(int(not found.clean))
