"""The command line of Softmark: parses, calls one function, prints, exits.

Exit codes: 0 graded, 1 something could not be graded, 2 misuse.
"""

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from graders.attacks import attack_all, verdict_row
from graders.attacks_uploads import known_attacks
from graders.batch import grade_stored, plan_work
from graders.choices import (
    choose_criteria,
    choose_options,
    executor_for,
    existing,
    uploads_in,
    with_rerun,
)
from graders.difference import refuse_losses, regraded
from graders.discovery import assignment_names, load_assignment
from graders.doctor import examine
from graders.errors import GraderFault, Misuse
from graders.executors import make_executor
from graders.isolation import choose_tier
from graders.model import Assignment, Submission
from graders.pipeline import Options, grade_submission
from graders.precheck import precheck_options
from graders.regrade import grade_draft, plan_draft
from graders.rerun import WALL_MINUTES
from graders.results import open_store, read_store
from graders.retry import unfinished
from graders.secret import PUBLICLY, SECRET, with_draw
from graders.validate import example_folders, validate
from graders.workplace import settle
from reports import pipeline_progress, store_terminal, terminal, write_submission_files
from reports.course_files import publish_course, write_course
from reports.pipeline_page import write_pipeline_page
from reports.regrade_page import write_regrade_page
from reports.submission_files import remove_files
from submissions.receive import identify, identify_all

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Grade Transformer coursework: right, safe, clear, fast.",
)

Name = Annotated[str, typer.Argument(metavar="ASSIGNMENT", help="such as cs224n-a4")]
Out = Annotated[Path, typer.Option(help="Folder for results, reports and grades.")]
Data = Annotated[Path | None, typer.Option(help="The course's files; else the embedded world.")]
Only = Annotated[str, typer.Option(metavar="ID,ID", help="Criteria to grade; without it all.")]
Device = Annotated[str, typer.Option(help="auto, cpu or cuda; checks of code run on the CPU.")]
Isolation = Annotated[str, typer.Option(help="auto, bubblewrap, landlock or none.")]
Jobs = Annotated[int, typer.Option(help="How many are graded at once.", show_default="one a core")]
ExecutorName = Annotated[str, typer.Option("--executor", help="serial, processes or ray.")]
Inputs = Annotated[str, typer.Option(help="secret, public, or a file with a secret to share.")]
Force = Annotated[bool, typer.Option("--force", help="Grade what is in the store, too.")]
Rerun = Annotated[bool, typer.Option("--rerun", help="Also train anew with the student's run.py.")]
RerunWall = Annotated[float, typer.Option(metavar="MINUTES", help="The longest that it trains.")]

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
    inputs: Inputs = SECRET,
    force: Force = False,
) -> None:
    """Grade submissions, each a folder or an archive."""
    task = load_assignment(assignment)
    options = choose_options(task, data=data, only=only, device=device, isolation=isolation)
    question = task, with_rerun(options, device, rerun_wall) if rerun else options
    uploads = identify_all([existing(path) for path in submission], task.name)
    raise typer.Exit(_grade(uploads, question, (out, inputs), ("serial", 1), force=force))


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
    inputs: Inputs = SECRET,
    force: Force = False,
) -> None:
    """Grade every folder and archive in FOLDER."""
    task = load_assignment(assignment)
    options = choose_options(task, data=data, only=only, device=device, isolation=isolation)
    question = task, with_rerun(options, device, rerun_wall) if rerun else options
    uploads, slots = identify_all(uploads_in(folder), task.name), (executor, jobs)
    raise typer.Exit(_grade(uploads, question, (out, inputs), slots, force=force, alone=True))


@app.command()
def retry(
    out: Out = Path("out"),
    isolation: Isolation = "auto",
    jobs: Jobs = JOBS,
    executor: ExecutorName = "processes",
) -> None:
    """Grade again what could not be graded."""
    with read_store(out) as store:
        todo = list(unfinished(store, choose_tier(isolation)))
    store_terminal.show_retry(len(todo), [gone for each in todo for gone in each.gone])
    codes = [_grade(each.submissions, each.question, (out, ""), (executor, jobs)) for each in todo]
    raise typer.Exit(max(codes, default=0) or int(any(each.gone for each in todo)))


@app.command()
def regrade(
    assignment: Name,
    out: Out = Path("out"),
    publish: Annotated[bool, typer.Option("--publish", help="Make it the published one.")] = False,
    data: Annotated[Path | None, typer.Option(help="Other course files than before.")] = None,
    isolation: Isolation = "auto",
    jobs: Jobs = JOBS,
    executor: ExecutorName = "processes",
) -> None:
    """After a change of checks, grade again what it can touch, and show what differs."""
    task = load_assignment(assignment)
    options = choose_options(task, data=data, isolation=isolation)
    with open_store(out) as store:
        draft = plan_draft(store, task, options)
        if draft is not None:
            with executor_for(draft.question, (executor, jobs)) as (pool, ahead):
                graded = grade_draft(store, draft, pool, ahead=ahead)
                list(terminal.progress_of(graded, len(draft.waiting)))
        report = regraded(store, draft)
        write_regrade_page(report, out)
        store_terminal.show_regraded(report, out)
        if publish:
            refuse_losses(report)
            publish_course(store, report.after, task=task, out=out)
    raise typer.Exit(int(bool(report.lost)))


@app.command()
def show(
    submission: Annotated[str, typer.Argument(help="Its id; without it all are listed.")] = "",
    out: Out = Path("out"),
    generation: Annotated[int, typer.Option(help="Its number.", show_default="published")] = 0,
) -> None:
    """Show what the store holds: generations, their scores, one Result."""
    with read_store(out) as store:
        chosen = store.generation(generation)
        if submission:
            terminal.show_result(store.member_result(chosen.number, submission))
        else:
            store_terminal.show_generations(store.generations(), chosen.number)
            terminal.show_scores(store.results(chosen.number))


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
    upload = identify(existing(submission), task.name)
    plan = precheck_options(task, upload.path, tier, data=data, only=choose_criteria(task, only))
    result = grade_submission(upload, task, plan.options)
    terminal.show_result(result, plan.not_judged)
    raise typer.Exit(int(plan.failed_to_grade(result)))


@app.command("validate")
def validate_command(
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


@app.command()
def demo(out: Out = Path("out/demo"), isolation: Isolation = "auto", jobs: Jobs = JOBS) -> None:
    """Grade the bundled example submissions against the embedded world."""
    task = load_assignment("cs224n-a4")
    options = choose_options(task, isolation=isolation)
    uploads, slots = identify_all(example_folders(task), task.name), ("processes", jobs)
    raise typer.Exit(_grade(uploads, (task, options), (out, PUBLICLY), slots, alone=True))


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


def _grade(
    submissions: Sequence[Submission],
    question: tuple[Assignment, Options],
    place: tuple[Path, str],
    slots: tuple[str, int],
    *,
    force: bool = False,
    alone: bool = False,
) -> int:
    """Grade what the store lacks and write what each reader gets; the exit code."""
    (out, inputs), named = place, {each.id for each in submissions}
    with open_store(out) as store:
        question = with_draw(question, store, inputs)
        work = plan_work(store, submissions, question, force=force, alone=alone)
        store_terminal.show_stored(work.stored, len(submissions), work.elsewhere)
        remove_files([each.id for each in work.waiting], out)
        with executor_for(question, slots) as (pool, ahead):
            graded = grade_stored(store, work, question, pool, ahead=ahead)
            for result in terminal.progress_of(graded, len(work.waiting)):
                write_submission_files(result, out)
        good = write_course(store, work.generation, task=question[0], out=out, named=named)
    return int(not good)


def main() -> None:
    """The console script: known errors become one line, with exit code 2, or 1 where ours."""
    # Told to end, it ends as when interrupted: processes and folders do not stay behind.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        settle()
        app()
    except Misuse as error:
        terminal.show_misuse(str(error), error.hint)
        sys.exit(2)
    except GraderFault as error:
        terminal.show_misuse(str(error), "it is not the students' fault; run the command again")
        sys.exit(1)


if __name__ == "__main__":
    main()
