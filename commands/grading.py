"""Grade submissions into a results folder; retry those that failed; regrade after a change."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from commands.options import (
    JOBS,
    AllowMissing,
    Attempts,
    Data,
    Device,
    DryRun,
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
    Roster,
    existing,
)
from graders.boundary.tiers.sandbox import start_ahead
from graders.course.best_attempts import ResultsFolder, keep_best
from graders.course.gathering import gathered, in_words, refuse_course
from graders.course.merges import all_counting, apply_merges, read_merges
from graders.course.preview import (
    Preview,
    notes_on_missing,
    previews,
    refuse_losses_in,
    refuse_missing,
    stored_in,
    survey,
)
from graders.course.regrade import (
    Draft,
    begin_draft,
    grade_draft,
    refuse_losses,
    regraded,
    unfinished,
)
from graders.course.release import rules_of
from graders.course.roster import by_roster, keep_roster
from graders.errors import UsageError
from graders.execution.executors import refuse_executor
from graders.execution.isolation import choose_tier
from graders.grading.batch import grade_and_store, plan_work
from graders.grading.choices import choose_options, executor_for, with_rerun
from graders.grading.options import GradingRequest
from graders.grading.rerun import WALL_MINUTES
from graders.grading.secret import SECRET, read_inputs_seed, with_inputs_seed
from graders.model import Result, Submission
from graders.registry.discovery import load_assignment
from graders.storage.store import Store, open_store, read_store, reopen_store
from reports.course.files import keep_edited, publish_course, show_draft, write_course
from reports.course.progress import ProgressPage
from reports.course.regrade import write_regrade_page
from reports.submission_files import remove_files, write_submission_files
from reports.terminal import json_lines as terminal_json
from reports.terminal import results as terminal
from reports.terminal import store as store_terminal
from submissions.escaping import first_few
from submissions.receive import identify_all


def run(
    assignment: Name,
    submission: Annotated[list[Path], typer.Argument(help="Folders or archives.")],
    out: Out = Path("out"),
    data: Data = None,
    only: Only = "",
    device: Device = "auto",
    isolation: Isolation = "auto",
    jobs: Jobs = JOBS,
    rerun: Rerun = False,
    rerun_wall: RerunWall = WALL_MINUTES,
    inputs: Inputs = SECRET,
    roster: Roster = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Grade one or more submissions (folders or archives)."""
    task = load_assignment(assignment)
    options = choose_options(task, data=data, only=only, device=device, isolation=isolation)
    start_ahead(options.tier, task.preload)
    request = GradingRequest(task, with_rerun(options, device, rerun_wall) if rerun else options)
    uploads = identify_all([existing(path) for path in submission], task.name)
    for path in submission:
        refuse_course(path, task)
    seen = survey(previews(uploads, request), request)
    seen.refuse_other_data()
    enrolled = by_roster(uploads, roster, out)
    store_terminal.show_sentences((*enrolled.notes, *notes_on_missing(seen, request)))
    several = min(jobs, len(enrolled.submissions)) > 1
    target = RunTarget(out, inputs, "processes" if several else "serial", jobs, roster)
    raise typer.Exit(grade_into(enrolled.submissions, request, target, force=force, json=json))


def batch(
    assignment: Name,
    folder: Annotated[Path, typer.Argument(help="Folder of submissions, or a downloaded export.")],
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
    roster: Roster = None,
    allow_missing: AllowMissing = False,
    dry_run: DryRun = False,
) -> None:
    """Grade every submission in FOLDER, or another system's export."""
    task = load_assignment(assignment)
    options = choose_options(task, data=data, only=only, device=device, isolation=isolation)
    request = GradingRequest(task, with_rerun(options, device, rerun_wall) if rerun else options)
    if out.resolve().is_relative_to(folder.resolve()):
        problem = f"the results would be written into the folder of submissions: {out}"
        raise UsageError(problem, "choose an --out outside of it")
    with tempfile.TemporaryDirectory(prefix="softmark-") if dry_run else nullcontext(out) as place:
        course = gathered(folder, task, Path(place), layout=layout, attempts=attempts)
        enrolled = by_roster(course.submissions, roster, out, whole=True)
        several = all_counting(enrolled.submissions, read_merges(out)) if attempts == "last" else ()
        said = in_words(course, remedy=" (--from reads it otherwise)")
        store_terminal.show_sentences((*said, *enrolled.notes, *several))
        uploads: Iterable[Preview] = previews(enrolled.submissions, request)
        if dry_run:
            uploads = list(uploads)
            stored = frozenset[str]() if force else stored_in(out, enrolled.submissions, request)
            store_terminal.show_previews(uploads, stored)
        seen = survey(uploads, request, allow_missing=allow_missing)
    seen.refuse_other_data()
    refuse_missing(seen, request)
    if dry_run:
        refuse_losses_in(out, enrolled.submissions, request)
        return
    target = RunTarget(out, inputs, executor, jobs, roster)
    as_asked = {"force": force, "json": json, "best": attempts == "best"}
    raise typer.Exit(grade_into(enrolled.submissions, request, target, alone=True, **as_asked))


def retry(
    out: Out = Path("out"),
    isolation: Isolation = "auto",
    jobs: Jobs = JOBS,
    executor: ExecutorName = "processes",
) -> None:
    """Retry submissions that could not be graded."""
    with read_store(out) as store:
        batches = list(unfinished(store, choose_tier(isolation)))
    store_terminal.show_retry(len(batches), [gone for batch in batches for gone in batch.gone])
    target = RunTarget(out, "", executor, jobs)
    codes = [grade_into(batch.submissions, batch.request, target) for batch in batches]
    raise typer.Exit(max(codes, default=0) or int(any(batch.gone for batch in batches)))


def regrade(
    assignment: Name,
    out: Out = Path("out"),
    publish: Annotated[bool, typer.Option("--publish", help="Publish the new results.")] = False,
    data: Annotated[Path | None, typer.Option(help="Folder with different data files.")] = None,
    isolation: Isolation = "auto",
    jobs: Jobs = JOBS,
    executor: ExecutorName = "processes",
) -> None:
    """Regrade after a change of the checks, and show the differences.

    Only the affected criteria are graded. Students see no change without --publish.
    """
    task = load_assignment(assignment)
    options = choose_options(task, data=data, isolation=isolation)
    with reopen_store(out) as store:
        draft = begin_draft(store, task, options)
        if draft is not None:
            store_terminal.show_sentences(filter(None, [draft.note]))
            with executor_for(draft.request, executor, jobs) as pool:
                _grade(draft, grade_draft(store, draft, pool), out)
        report = regraded(store, draft)
        if draft is None:
            store_terminal.show_sentences(_left_incomplete(store))
        write_regrade_page(report, out)
        # Before anything is shown: `| head` ends this process when it has seen enough.
        if publish and not report.lost:
            publish_course(store, report.after, task=task, out=out)
        store_terminal.show_regraded(report, out)
        if publish:
            refuse_losses(report)
        elif draft is not None:
            show_draft(store, task=task, out=out)
    raise typer.Exit(int(bool(report.lost)))


def _left_incomplete(store: Store) -> Iterator[str]:
    members = store.members()
    names = [
        member.submission for member in members if member.listed and member.status == "incomplete"
    ]
    if names:
        yield f"could not be graded, which `retry` tries again: {first_few(names)}"


def _grade(draft: Draft, graded: Iterator[Result], out: Path) -> None:
    """Grade a draft and show a bar."""
    count, total = 0, len(draft.waiting)
    done = len(draft.submissions) - total
    with told_if_interrupted(lambda: (done + count, total - count), out):
        for count, _ in enumerate(terminal.progress_of(graded, total), 1):  # noqa: B007
            pass


@dataclass(frozen=True, slots=True)
class RunTarget:
    """The folder for Results, the inputs of the checks, where the jobs run, and a new roster."""

    out: Path
    inputs: str
    executor: str = "serial"
    jobs: int = 1
    roster: Path | None = None

    def refuse_wrong(self) -> None:
        """Raise UsageError for wrong options before anything is written into the folder."""
        refuse_executor(self.executor, self.jobs)
        read_inputs_seed(self.inputs)


def grade_into(
    submissions: Sequence[Submission],
    request: GradingRequest,
    target: RunTarget,
    *,
    force: bool = False,
    alone: bool = False,
    json: bool = False,
    best: bool = False,
) -> int:
    """Grade what the store lacks, write what each reader gets, and return the exit code."""
    out, task, named = target.out, request.assignment, {submission.id for submission in submissions}
    if json:
        terminal_json.keep_stdout_for_results()
    target.refuse_wrong()
    with open_store(out) as store:
        request = with_inputs_seed(request, store, target.inputs)
        work = plan_work(store, submissions, request, force=force, alone=alone)
        keep_roster(target.roster, out)
        rules = rules_of(store, task, out)
        store_terminal.show_sentences(filter(None, [work.note]))
        store_terminal.show_stored(work.stored, len(submissions), work.elsewhere)
        keep_edited(store, out)
        remove_files([submission.id for submission in work.waiting], out)
        page = ProgressPage(out, task.title, total=len(work.waiting), stored=work.stored)
        with told_if_interrupted(page.done_and_left, out, force=force), page:
            with executor_for(request, target.executor, target.jobs) as pool:
                graded = grade_and_store(store, work, request, pool)
                for result in terminal.progress_of(graded, page.total):
                    write_submission_files(result, out, rules)
                    page.add(result)
            folder = ResultsFolder(store, work.generation, task, out)
            if best:
                store_terminal.show_sentences(keep_best(folder))
            store_terminal.show_sentences(apply_merges(folder))
            good = write_course(store, task=task, out=out, named=named)
        if json:
            terminal_json.print_results(store.results(work.generation), named)
    return int(not good)


@contextmanager
def told_if_interrupted(
    done_and_left: Callable[[], tuple[int, int]], out: Path, *, force: bool = False
) -> Iterator[None]:
    """After Ctrl-C, say how many are graded, how many are left and how to resume."""
    try:
        yield
    except KeyboardInterrupt:
        store_terminal.show_interrupted(*done_and_left(), out, force=force)
        raise
