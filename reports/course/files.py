"""Write every file of a generation from the store."""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from itertools import chain, count
from pathlib import Path

from graders.course.best_attempts import ResultsFolder
from graders.course.extensions import read_extensions
from graders.course.merges import replaced_attempts
from graders.course.release import CourseRules, end_of, rules_of, still_closed
from graders.model import Assignment, Criterion, Result
from graders.storage.store import Store
from reports.course.generations import Comparison, comparisons
from reports.course.page import write_course_page
from reports.course.twins import TwinSearch, deterministic_files, write_twins
from reports.course.view import Counted, CourseView
from reports.grades import FILE as GRADES
from reports.grades import grades_text, write_grades
from reports.submission_files import (
    has_page,
    have_files,
    remove_files,
    remove_own_files,
    write_submission_files,
)
from reports.terminal.results import ScoreTable, show_batch
from reports.terminal.store import show_sentences


def write_course(
    store: Store, *, task: Assignment, out: Path, named: Collection[str] | None = None
) -> bool:
    """Write missing or outdated files, print the named submissions; return whether all were graded.

    Files of attempts that do not count are removed: their pages would show another final grade.
    Each Result is read once and discarded: ten thousand of them together take gigabytes.
    """
    search, counted, scores = TwinSearch(deterministic_files(task)), Counted(), ScoreTable()
    generation, good, rules = store.published, True, rules_of(store, task, out)
    for result in store.results(generation):
        grade = rules.grade(result)
        _write_old(result, out, rules)
        search.add(result)
        counted.add(result, grade, rules.requests.get(result.submission.id, ()))
        if named is None or result.submission.id in named:
            scores.add(result, grade)
            good &= result.status not in ("incomplete", "rejected")
    remove_own_files(replaced_attempts(ResultsFolder(store, generation, task, out)), out)
    twins = search.twins()
    view = counted.view(twins, store.repeats(generation))
    keep_edited(store, out)
    store.keep_written(grades_text(view).encode())
    write_course_reports(view, out, comparisons(store))
    # Only a grading can find new equal files; other commands name no submissions.
    show_batch(scores, out, twins if named is None or named else ())
    show_sentences(
        f"{name}, {criterion}: the adjustment was made for an earlier upload and does not count"
        for name, criterion in store.outdated_adjustments(generation)
    )
    return good


def keep_edited(store: Store, out: Path) -> None:
    """Rename a `grades.csv` that Softmark did not write, so that it remains, and say so."""
    grades = out / GRADES
    if not grades.is_file() or store.wrote(grades.read_bytes()):
        return
    names = (f"grades-edited{number}.csv" for number in chain([""], count(2)))
    file = next(out / name for name in names if not (out / name).exists())
    grades.rename(file)
    show_sentences([f"{grades} was edited, or not written by Softmark; it is now {file}"])


def write_pages(store: Store, *, rules: CourseRules, out: Path) -> tuple[int, int]:
    """Write the students' pages that are missing or old; return their number and that of all.

    Pages in `out` of submissions that are not part of the last batch are updated, too.
    """
    written = pages = 0
    for member in store.members():
        if member.listed or has_page(member.submission, out):
            result = store.result(member.submission, member.cache_key.address)
            written += _write_old(result, out, rules)
            pages += 1
    return written, pages


def _write_old(result: Result, out: Path, rules: CourseRules) -> bool:
    """Write a submission's files if they are missing or old; return whether they were."""
    old = not have_files(result, out, rules)
    if old:
        write_submission_files(result, out, rules)
    return old


def show_draft(store: Store, *, task: Assignment, out: Path) -> None:
    """Write the published generation's course page again to show what a draft would change."""
    published = store.published
    search, counted = TwinSearch(deterministic_files(task)), Counted()
    rules = rules_of(store, task, out)
    for result in store.results(published):
        search.add(result)
        counted.add(result, rules.grade(result))
    view = counted.view(search.twins(), store.repeats(published))
    write_course_page(view, out, comparisons=comparisons(store))


def publish_course(store: Store, draft: int, *, task: Assignment, out: Path) -> bool:
    """Publish a draft and write its files; return whether everything in it was graded.

    Files that do not belong to the draft are deleted first, so that an interruption leaves no
    outdated file.
    """
    rules, results = rules_of(store, task, out), store.results(draft)
    keep_edited(store, out)
    remove_files([r.submission.id for r in results if not have_files(r, out, rules)], out)
    store.publish(draft)
    return write_course(store, task=task, out=out)


def release_criteria(
    store: Store, reviewer: str, *, task: Assignment, out: Path, released: bool
) -> list[str]:
    """Release the waiting criteria or withdraw the release; return what students see now."""
    end = end_of(task, read_extensions(out, task))
    store.keep_release(reviewer, released=released)
    rules = rules_of(store, task, out)
    written, pages = write_pages(store, rules=rules, out=out)
    names = [criterion.id for criterion in task.rubric if criterion.id in rules.opened]
    shown = " and ".join(["the visible criteria", *([", ".join(names)] if names else [])])
    return [
        f"{written} of {pages} pages updated; shown: {shown}",
        *(f"not shown yet: {text}" for text in not_shown_yet(task, rules.opened, end)),
    ]


def not_shown_yet(task: Assignment, opened: frozenset[str], end: datetime | None) -> Iterator[str]:
    """Yield each criterion that is not shown yet, and what it waits for."""
    for criterion in still_closed(task, opened):
        yield f"{criterion.id}, {_waits_for(criterion, end)}"


def _waits_for(criterion: Criterion, end: datetime | None) -> str:
    if criterion.visibility == "after_published" or end is None:
        return "until you release it"
    return f"until nobody can submit anymore ({end:%Y-%m-%d %H:%M %Z})"


def write_course_reports(
    course: CourseView, out: Path, comparisons: Sequence[Comparison] = ()
) -> tuple[Path, ...]:
    """Write `out/grades.csv`, `out/twins.json` and `out/index.html` of a course."""
    page = write_course_page(course, out, comparisons=comparisons)
    return write_grades(course, out), write_twins(course.twins, out), page
