"""What comes with Softmark: its assignments, its examples, its reference pipeline."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from commands.grading import grade_into
from commands.options import JOBS, Data, ExecutorName, Isolation, Jobs, Name, Out
from graders.attacks import attack_all, verdict_row
from graders.attacks_uploads import known_attacks
from graders.choices import choose_options
from graders.discovery import load_assignment
from graders.executors import make_executor
from graders.secret import PUBLICLY
from graders.validate import example_folders, examples_by_part, validate
from reports import pipeline_progress, terminal
from reports.pipeline_page import write_pipeline_page
from submissions.receive import identify_all


def validate_examples(
    assignment: Name,
    isolation: Isolation = "auto",
    jobs: Jobs = JOBS,
    executor: ExecutorName = "processes",
    attacks: Annotated[bool, typer.Option("--attacks", help="Grade hostile submissions.")] = False,
) -> None:
    """Show that an assignment's checks do what its rubric says."""
    task = load_assignment(assignment)
    options = choose_options(task, isolation=isolation)
    total = 1 + len(known_attacks() if attacks else example_folders(task))
    with make_executor(executor, jobs) as pool:
        if attacks:
            met = attack_all(task, options, pool, chosen=known_attacks(), ahead=2 * jobs)
            verdicts = list(terminal.progress_of(met, total))
            terminal.show_rows(map(verdict_row, verdicts))
            raise typer.Exit(int(any(each.problems for each in verdicts)))
        found = validate(task, options, pool, ahead=2 * jobs)
        findings = list(terminal.progress_of(found, total))
    terminal.show_findings(findings)
    raise typer.Exit(int(any(finding.problems for finding in findings)))


def demo(out: Out = Path("out/demo"), isolation: Isolation = "auto", jobs: Jobs = JOBS) -> None:
    """Grade the bundled example submissions against the embedded world."""
    task = load_assignment("cs224n-a4")
    options = choose_options(task, isolation=isolation)
    codes = []
    for part in examples_by_part(task):
        question, place = (task, replace(options, only=part.only)), (out / part.name, PUBLICLY)
        uploads, slots = identify_all(part.folders, task.name), ("processes", jobs)
        codes.append(grade_into(uploads, question, place, slots, alone=True))
    raise typer.Exit(max(codes))


def pipeline(
    out: Out = Path("out/pipeline"),
    data: Data = None,
    variants: Annotated[str, typer.Option(help="vanilla, rope or both.")] = "vanilla,rope",
    preset: Annotated[
        str, typer.Option(help="demo or cs224n-a4.", show_default="cs224n-a4 with --data")
    ] = "",
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    precision: Annotated[str, typer.Option(help="auto, bf16 or fp32.")] = "auto",
    seed: Annotated[int, typer.Option(help="Of weights and draws.")] = 0,
) -> None:
    """Pretrain, finetune and evaluate the reference models; the same command resumes."""
    # Training imports torch, which no other command waits for.
    from training.command import Wishes, train

    wishes = Wishes(out, data, variants, preset, device, precision, seed)
    with pipeline_progress.PipelineProgress() as progress:
        metrics = train(wishes, progress.update, lambda found: write_pipeline_page(found, out))
    pipeline_progress.show_pipeline(metrics, out)
