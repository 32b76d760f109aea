"""Every file of a generation, written from the store: what each reader gets."""

from collections.abc import Collection
from pathlib import Path

from graders.model import Assignment
from graders.results import Store
from reports import write_course_reports, write_submission_files
from reports.course_view import Counted
from reports.submission_files import have_files, remove_files
from reports.terminal import ScoreTable, show_batch
from reports.twins import TwinSearch, deterministic_files


def write_course(
    store: Store,
    generation: int,
    *,
    task: Assignment,
    out: Path,
    named: Collection[str] | None = None,
) -> bool:
    """Write what is missing or old and print the submissions named; whether all were graded.

    Each Result is read once and let go: of ten thousand, all together take gigabytes.
    """
    search, counted, scores = TwinSearch(deterministic_files(task)), Counted(), ScoreTable()
    good = True
    for result in store.results(generation):
        if not have_files(result, out):
            write_submission_files(result, out)
        search.add(result)
        counted.add(result)
        if named is None or result.submission.id in named:
            scores.add(result)
            good &= result.status not in ("incomplete", "rejected")
    twins = search.found()
    write_course_reports(counted.view(twins), out)
    show_batch(scores, out, twins)
    return good


def publish_course(store: Store, draft: int, *, task: Assignment, out: Path) -> bool:
    """Make a draft the published generation, files and all; whether all of it was graded.

    Files that are not the draft's go first: a stop in between leaves none that is old.
    """
    old = [each.submission.id for each in store.results(draft) if not have_files(each, out)]
    remove_files(old, out)
    store.publish(draft)
    return write_course(store, draft, task=task, out=out)
