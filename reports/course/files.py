"""Write every file of a generation from the store."""

from collections.abc import Collection
from pathlib import Path

from graders.course.extensions import read_extensions
from graders.course.final_grades import FinalGrade, final_grade
from graders.course.release import opened_in
from graders.model import Assignment, Result
from graders.storage.results import Store
from reports import write_course_page, write_course_reports, write_submission_files
from reports.course.generations import comparisons
from reports.course.twins import TwinSearch, deterministic_files
from reports.course.view import Counted
from reports.submission_files import has_page, have_files, remove_files
from reports.terminal.results import ScoreTable, show_batch


def write_course(
    store: Store,
    generation: int,
    *,
    task: Assignment,
    out: Path,
    named: Collection[str] | None = None,
) -> bool:
    """Write missing or outdated files, print the named submissions; return whether all were graded.

    Each Result is read once and discarded: ten thousand of them together take gigabytes.
    """
    search, counted, scores = TwinSearch(deterministic_files(task)), Counted(), ScoreTable()
    good, finals, dues = True, dict[str, FinalGrade](), read_extensions(out, task)
    opened = opened_in(store, task, out)
    for result in store.results(generation):
        _write_old(result, out, opened)
        search.add(result)
        counted.add(result)
        if task.grading.declared:
            given = result.submission
            finals[given.id] = final_grade(result, task.grading, dues.due_of(given))
        if named is None or result.submission.id in named:
            scores.add(result)
            good &= result.status not in ("incomplete", "rejected")
    twins = search.found()
    view = counted.view(twins, store.repeats(generation))
    write_course_reports(view, out, finals, comparisons(store, generation))
    show_batch(scores, out, twins)
    return good


def write_pages(
    store: Store, generation: int, *, opened: frozenset[str], out: Path
) -> tuple[int, int]:
    """Write the students' pages that are missing or outdated; return their number, and of how many.

    Pages in `out` of submissions that are not part of the last batch are updated, too.
    """
    written = pages = 0
    for member in store.members(generation):
        if member.listed or has_page(member.submission, out):
            result = store.result(member.submission, member.made.address)
            written += _write_old(result, out, opened)
            pages += 1
    return written, pages


def _write_old(result: Result, out: Path, opened: frozenset[str]) -> bool:
    """Write a submission's files if they are missing or outdated; return whether they were."""
    old = not have_files(result, out, opened)
    if old:
        write_submission_files(result, out, opened)
    return old


def show_draft(store: Store, *, task: Assignment, out: Path) -> None:
    """Write the published generation's course page again to show what a draft would change."""
    published = store.generation().number
    search, counted = TwinSearch(deterministic_files(task)), Counted()
    for result in store.results(published):
        search.add(result)
        counted.add(result)
    view = counted.view(search.found(), store.repeats(published))
    write_course_page(view, out, comparisons=comparisons(store, published))


def publish_course(store: Store, draft: int, *, task: Assignment, out: Path) -> bool:
    """Publish a draft and write its files; return whether everything in it was graded.

    Files that do not belong to the draft are deleted first, so that an interruption leaves no
    outdated file.
    """
    opened, results = opened_in(store, task, out), store.results(draft)
    remove_files([r.submission.id for r in results if not have_files(r, out, opened)], out)
    store.publish(draft)
    return write_course(store, draft, task=task, out=out)
