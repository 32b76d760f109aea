"""Grade submissions into a results folder, and again what changed or could not be graded."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from commands.options import (
    JOBS,
    Attempts,
    Data,
    Device,
    ExecutorName,
    Force,
    Inputs,
    Isolation,
    Jobs,
    Json,
    Layout,
    Name,
    Only,
    Out,
    Rerun,
    RerunWall,
)
from graders.batch import grade_stored, plan_work
from graders.best_attempts import keep_best
from graders.choices import choose_options, executor_for, existing, with_rerun
from graders.difference import refuse_losses, regraded
from graders.discovery import load_assignment
from graders.gathering import gathered, in_words
from graders.isolation import choose_tier
from graders.model import Assignment, Result, Submission
from graders.pipeline import Options
from graders.regrade import grade_draft, plan_draft
from graders.release import opened_in
from graders.rerun import WALL_MINUTES
from graders.results import open_store, read_store
from graders.retry import unfinished
from graders.secret import SECRET, with_draw
from reports import store_terminal, terminal, terminal_json, write_submission_files
from reports.course.files import publish_course, show_draft, write_course
from reports.course.progress import ProgressPage
from reports.course.regrade import write_regrade_page
from reports.submission_files import remove_files
from submissions.receive import identify_all


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
    json: Json = False,
) -> None:
    """Grade submissions, each a folder or an archive."""
    task = load_assignment(assignment)
    options = choose_options(task, data=data, only=only, device=device, isolation=isolation)
    question = task, with_rerun(options, device, rerun_wall) if rerun else options
    uploads = identify_all([existing(path) for path in submission], task.name)
    place, slots = (out, inputs), ("serial", 1)
    raise typer.Exit(grade_into(uploads, question, place, slots, force=force, json=json))


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
    json: Json = False,
    layout: Layout = "auto",
    attempts: Attempts = "last",
) -> None:
    """Grade every folder and archive in FOLDER, or what another system exported."""
    task = load_assignment(assignment)
    options = choose_options(task, data=data, only=only, device=device, isolation=isolation)
    question = task, with_rerun(options, device, rerun_wall) if rerun else options
    found = gathered(folder, task, out, layout=layout, attempts=attempts)
    store_terminal.show_sentences(in_words(found))
    place, slots = (out, inputs), (executor, jobs)
    as_asked = {"force": force, "json": json, "best": attempts == "best"}
    raise typer.Exit(grade_into(found.submissions, question, place, slots, alone=True, **as_asked))


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
    codes = [
        grade_into(each.submissions, each.question, (out, ""), (executor, jobs)) for each in todo
    ]
    raise typer.Exit(max(codes, default=0) or int(any(each.gone for each in todo)))


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
        elif draft is not None:
            show_draft(store, task=task, out=out)
    raise typer.Exit(int(bool(report.lost)))


def grade_into(
    submissions: Sequence[Submission],
    question: tuple[Assignment, Options],
    place: tuple[Path, str],
    slots: tuple[str, int],
    *,
    force: bool = False,
    alone: bool = False,
    json: bool = False,
    best: bool = False,
) -> int:
    """Grade what the store lacks and write what each reader gets; the exit code."""
    (out, inputs), named = place, {each.id for each in submissions}
    if json:
        terminal_json.keep_stdout_for_results()
    with open_store(out) as store:
        question = with_draw(question, store, inputs)
        pages = out, opened_in(store, question[0], out)
        work = plan_work(store, submissions, question, force=force, alone=alone)
        store_terminal.show_stored(work.stored, len(submissions), work.elsewhere)
        remove_files([each.id for each in work.waiting], out)
        page = ProgressPage(out, question[0].title, total=len(work.waiting), stored=work.stored)
        with page:
            with executor_for(question, slots) as (pool, ahead):
                _write_each(grade_stored(store, work, question, pool, ahead=ahead), pages, page)
            if best:
                store_terminal.show_sentences(keep_best(store, work.generation, question[0], out))
            good = write_course(store, work.generation, task=question[0], out=out, named=named)
        if json:
            terminal_json.print_results(store.results(work.generation), named)
    return int(not good)


def _write_each(
    results: Iterable[Result], pages: tuple[Path, frozenset[str]], page: ProgressPage
) -> None:
    """Write each Result's files as it comes, and how far the run is: on a page, on a terminal."""
    for result in terminal.progress_of(results, page.total):
        write_submission_files(result, *pages)
        page.add(result)
