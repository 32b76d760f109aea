"""Every file of a generation, written from the store: what each reader gets."""

from collections.abc import Collection
from pathlib import Path

from graders.model import Assignment
from graders.results import Store
from reports import terminal, write_reports, write_submission_files
from reports.submission_files import have_files, remove_files
from reports.twins import deterministic_files, find_twins


def write_course(
    store: Store,
    generation: int,
    *,
    task: Assignment,
    out: Path,
    named: Collection[str] | None = None,
) -> bool:
    """Write what is missing or old and print the submissions named; whether all were graded."""
    for result in store.results(generation):
        if not have_files(result, out):
            write_submission_files(result, out)
    twins = find_twins(store.results(generation), deterministic_files(task))
    write_reports(store.results(generation), out, twins)
    terminal.show_batch(store.results(generation, named), out, twins)
    return not any(
        each.status in ("incomplete", "rejected")
        for each in store.members(generation)
        if each.listed and (named is None or each.submission in named)
    )


def publish_course(store: Store, draft: int, *, task: Assignment, out: Path) -> bool:
    """Make a draft the published generation, files and all; whether all of it was graded.

    Files that are not the draft's go first: a stop in between leaves none that is old.
    """
    old = [each.submission.id for each in store.results(draft) if not have_files(each, out)]
    remove_files(old, out)
    store.publish(draft)
    return write_course(store, draft, task=task, out=out)
