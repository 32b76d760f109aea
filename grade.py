"""The command line of Softmark: parses, calls one function, prints, exits.

Exit codes: 0 graded, 1 something could not be graded, 2 misuse.
"""

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from graders.batch import grade_all
from graders.discovery import assignment_names, load_assignment
from graders.doctor import examine
from graders.errors import Misuse
from graders.executors import make_executor
from graders.isolation import choose_tier
from graders.model import Assignment
from graders.pipeline import Options, grade_submission
from graders.precheck import precheck_options
from graders.rerun import WALL_MINUTES, jobs_for, plan_rerun
from graders.validate import example_folders, validate
from reports import (
    deterministic_files,
    find_twins,
    pipeline_progress,
    terminal,
    write_pipeline_page,
    write_reports,
    write_submission_files,
)
from submissions.receive import collect, identify, identify_all

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Grade Transformer coursework: right, safe, clear, fast.",
)

Name = Annotated[str, typer.Argument(metavar="ASSIGNMENT", help="such as cs224n-a4")]
Out = Annotated[Path, typer.Option(help="Folder for results, reports and grades.")]
Data = Annotated[
    Path | None, typer.Option(help="The course's files; without it the embedded world.")
]
Only = Annotated[str, typer.Option(metavar="ID,ID", help="Criteria to grade; without it all.")]
Device = Annotated[str, typer.Option(help="auto, cpu or cuda; checks of code run on the CPU.")]
Isolation = Annotated[str, typer.Option(help="auto, bubblewrap, landlock or none.")]
Jobs = Annotated[
    int, typer.Option(help="Submissions graded at the same time.", show_default="one a core")
]
ExecutorName = Annotated[str, typer.Option("--executor", help="serial or processes.")]

Rerun = Annotated[
    bool, typer.Option("--rerun", help="Also train anew with the student's own run.py.")
]
RerunWall = Annotated[
    float, typer.Option(metavar="MINUTES", help="The longest that --rerun trains a submission.")
]

JOBS = os.cpu_count() or 1


@app.command()
def run(
    assignment: Name,
    submission: Annotated[list[Path], typer.Argument(help="Folders or archives.")],
    out: Out = Path("out"),
    data: Data = None,
    only: Only = "",
    device: Device = "auto",
    isolation: Isolation = "auto",
    rerun: Rerun = False,
    rerun_wall: RerunWall = WALL_MINUTES,
) -> None:
    """Grade submissions, each a folder or an archive."""
    task = load_assignment(assignment)
    options = _options(task, data, only, device, isolation)
    if rerun:
        plan = plan_rerun(data=options.data, device=device, minutes=rerun_wall)
        options = replace(options, rerun=plan)
    _grade([_existing(path) for path in submission], task, options, out, ("serial", 1))


@app.command()
def batch(
    assignment: Name,
    folder: Path,
    out: Out = Path("out"),
    data: Data = None,
    only: Only = "",
    device: Device = "auto",
    isolation: Isolation = "auto",
    jobs: Jobs = JOBS,
    executor: ExecutorName = "processes",
    rerun: Rerun = False,
    rerun_wall: RerunWall = WALL_MINUTES,
) -> None:
    """Grade every folder and archive in FOLDER."""
    task = load_assignment(assignment)
    options = _options(task, data, only, device, isolation)
    if rerun:
        plan = plan_rerun(data=options.data, device=device, minutes=rerun_wall)
        options, jobs = replace(options, rerun=plan), jobs_for(plan, jobs)
    uploads = collect(_folder(folder))
    if not uploads:
        raise Misuse(f"{folder} holds no submissions", "put a folder or an archive a student there")
    _grade(uploads, task, options, out, (executor, jobs))


@app.command()
def check(
    submission: Path,
    assignment: Annotated[str, typer.Option(help="Whose rubric; without it the first one.")] = "",
    data: Data = None,
    only: Only = "",
    isolation: Isolation = "auto",
) -> None:
    """Check your own work before you hand it in (visible criteria only)."""
    task = load_assignment(assignment or assignment_names()[0])
    tier = choose_tier(isolation, refuse_none=False)
    upload = identify(_existing(submission), task.name)
    plan = precheck_options(task, upload.path, tier, data=data, only=_criteria(task, only))
    result = grade_submission(upload, task, plan.options)
    terminal.show_result(result, plan.not_judged)
    raise typer.Exit(int(plan.failed_to_grade(result)))


@app.command("validate")
def validate_command(
    assignment: Name,
    isolation: Isolation = "auto",
    jobs: Jobs = JOBS,
    executor: ExecutorName = "processes",
) -> None:
    """Show that an assignment's checks do what its rubric says."""
    task = load_assignment(assignment)
    options = _options(task, None, "", "auto", isolation)
    total = 1 + len(example_folders(task))
    with make_executor(executor, jobs) as pool:
        found = validate(task, options, pool, ahead=2 * jobs)
        findings = list(terminal.progress_of(found, total))
    terminal.show_findings(findings)
    raise typer.Exit(int(any(finding.problems for finding in findings)))


@app.command()
def demo(out: Out = Path("out/demo"), isolation: Isolation = "auto", jobs: Jobs = JOBS) -> None:
    """Grade the bundled example submissions against the embedded world."""
    task = load_assignment("cs224n-a4")
    options = _options(task, None, "", "auto", isolation)
    _grade(example_folders(task), task, options, out, ("processes", jobs))


@app.command()
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


@app.command()
def doctor(data: Data = None) -> None:
    """Show what this machine offers: sandbox, torch, device, data."""
    symptoms = examine(data)
    terminal.show_rows((each.name, each.found, each.good) for each in symptoms)
    ready = next(each.good for each in symptoms if each.name == "isolation")
    raise typer.Exit(0 if ready else 1)


def _options(
    task: Assignment, data: Path | None, only: str, device: str, isolation: str
) -> Options:
    if device not in ("auto", "cpu", "cuda"):
        raise Misuse(f"there is no device `{device}`", "there is `auto`, `cpu` and `cuda`")
    tier = choose_tier(isolation)
    return Options(tier, None if data is None else _folder(data), _criteria(task, only))


def _criteria(task: Assignment, only: str) -> frozenset[str] | None:
    wanted = frozenset(part.strip() for part in only.split(",") if part.strip())
    known = [criterion.id for criterion in task.rubric]
    for name in sorted(wanted - set(known)):
        names = ", ".join(f"`{each}`" for each in known)
        raise Misuse(f"--only: there is no criterion `{name}`", f"{task.name} has {names}")
    return wanted or None


def _existing(path: Path) -> Path:
    if not path.exists():
        raise Misuse(f"{path} does not exist", "give a folder or an archive")
    return path


def _folder(path: Path) -> Path:
    if not path.is_dir():
        raise Misuse(f"{path} is not a folder", "give the folder that holds the files")
    return path


def _grade(
    uploads: list[Path], task: Assignment, options: Options, out: Path, slots: tuple[str, int]
) -> None:
    """Grade, write what each reader gets, print the table, exit with what it means."""
    name, jobs = slots
    submissions = identify_all(uploads, task.name)
    with make_executor(name, jobs) as pool:
        results = []
        ahead = 1 if name == "serial" else 2 * jobs
        graded = grade_all(submissions, task, options, pool, ahead=ahead)
        for result in terminal.progress_of(graded, len(submissions)):
            write_submission_files(result, out)
            results.append(result)
    results.sort(key=lambda result: result.submission.id)
    twins = find_twins(results, deterministic_files(task))
    write_reports(results, out, twins)
    terminal.show_batch(results, out, twins)
    raise typer.Exit(int(any(result.status in ("incomplete", "rejected") for result in results)))


def main() -> None:
    """The console script: known errors become one line and exit code 2."""
    try:
        app()
    except Misuse as error:
        terminal.show_misuse(str(error), error.hint)
        sys.exit(2)


if __name__ == "__main__":
    main()
