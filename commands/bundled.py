"""What comes with Softmark: its assignments and their examples."""

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from commands.grading import grade_into
from commands.options import JOBS, ExecutorName, Isolation, Jobs, Name, Out
from graders.attacks import attack_all, verdict_row
from graders.attacks_uploads import known_attacks
from graders.choices import choose_options
from graders.demo import vary_predictions
from graders.discovery import load_assignment
from graders.errors import Misuse
from graders.examples import example_names, expectation, write_examples
from graders.executors import make_executor
from graders.frozen import compare_frozen, freeze, read_frozen
from graders.secret import PUBLICLY
from graders.validate import examples_by_part, validate
from reports import terminal
from submissions.receive import identify_all


def validate_examples(
    assignment: Name,
    isolation: Isolation = "auto",
    jobs: Jobs = JOBS,
    executor: ExecutorName = "processes",
    attacks: Annotated[bool, typer.Option("--attacks", help="Grade hostile submissions.")] = False,
    freeze_to: Annotated[
        Path | None, typer.Option("--freeze", help="Write every check's verdict to this file.")
    ] = None,
    frozen: Annotated[
        Path | None, typer.Option("--frozen", help="Report verdicts that differ from this file.")
    ] = None,
) -> None:
    """Show that an assignment's checks do what its rubric says."""
    task = load_assignment(assignment)
    options = choose_options(task, isolation=isolation)
    before = read_frozen(frozen) if frozen is not None else None
    with make_executor(executor, jobs) as pool:
        if attacks:
            chosen = known_attacks()
            met = attack_all(task, options, pool, chosen=chosen, ahead=2 * jobs)
            verdicts = list(terminal.progress_of(met, 1 + len(chosen)))
            terminal.show_rows(map(verdict_row, verdicts))
            raise typer.Exit(int(any(each.problems for each in verdicts)))
        found = validate(task, options, pool, ahead=2 * jobs)
        findings = list(terminal.progress_of(found, 1 + len(example_names(task))))
    if before is not None:
        findings = compare_frozen(findings, before)
    if freeze_to is not None:
        freeze(findings, freeze_to)
    terminal.show_findings(findings)
    raise typer.Exit(int(any(finding.problems for finding in findings)))


def examples(
    assignment: Name,
    write: Annotated[
        Path | None, typer.Option("--write", help="Lay them out as folders in this empty one.")
    ] = None,
) -> None:
    """List the planted examples of an assignment, or lay them out as folders."""
    task = load_assignment(assignment)
    if write is None:
        with tempfile.TemporaryDirectory() as work:
            folders = write_examples(task, Path(work))
            known = [(folder.name, expectation(folder, task)) for folder in folders]
        terminal.show_rows((name, each.why, not each.lost) for name, each in known)
        return
    if write.exists() and (not write.is_dir() or any(write.iterdir())):
        raise Misuse(f"{write} is not empty", "name a folder that does not exist yet")
    typer.echo(f"{len(write_examples(task, write))} examples are in {write}")


def demo(out: Out = Path("out/demo"), isolation: Isolation = "auto", jobs: Jobs = JOBS) -> None:
    """Grade the bundled example submissions against the embedded world."""
    # The examples come without checkpoints, which a course would have a person confirm.
    task = load_assignment("cs224n-a4")
    task = replace(task, settings={**task.settings, "missing_checkpoints": "accept"})
    options = choose_options(task, isolation=isolation)
    folders = write_examples(task, out / "submissions")
    vary_predictions(folders, task.folder / "examples" / "plain")
    codes = []
    for part in examples_by_part(task, folders):
        question, place = (task, replace(options, only=part.only)), (out / part.name, PUBLICLY)
        uploads, slots = identify_all(part.folders, task.name), ("processes", jobs)
        codes.append(grade_into(uploads, question, place, slots, alone=True))
    raise typer.Exit(max(codes))
