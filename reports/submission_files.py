"""A submission's files in DIR: write them, check whether they match the store, remove old ones."""

from collections.abc import Iterable
from pathlib import Path

from graders.course.release import PLAIN, CourseRules
from graders.model import Result
from graders.storage.files import remove_file
from graders.storage.result_json import result_text, submission_file, write_result
from reports.gradescope.results_json import gradescope_text, write_gradescope
from reports.student.opened import has_mark, mark_of
from reports.student.page import write_student_page

FOLDERS = (("results", ".json"), ("gradescope", ".json"), ("reports", ".html"))
COURSE_FILES = ("grades.csv", "twins.json", "index.html")


def write_submission_files(
    result: Result, out: Path, rules: CourseRules = PLAIN
) -> tuple[Path, ...]:
    """Write what needs one result: its JSON, its Gradescope file and its page, by these rules."""
    # The Result is removed first and written last: if it exists, the other files belong to it.
    remove_file(submission_file(out, "results", result.submission.id, ".json"))
    page, gradescope = write_student_page(result, out, rules), write_gradescope(result, out, rules)
    return write_result(result, out), gradescope, page


def have_files(result: Result, out: Path, rules: CourseRules = PLAIN) -> bool:
    """Return whether `out` has all files of this Result, as these rules would write them."""
    document, gradescope, page = _paths(result.submission.id, out)
    try:
        same = document.read_bytes() == result_text(result).encode()
        same = same and gradescope.read_bytes() == gradescope_text(result, rules).encode()
        return same and has_mark(page, mark_of(result, rules))
    except OSError:
        return False


def has_old_page(result: Result, out: Path, rules: CourseRules) -> bool:
    """Return whether `out` has a page of this student that differs from what these rules show."""
    page = _paths(result.submission.id, out)[-1]
    return page.is_file() and not has_mark(page, mark_of(result, rules))


def has_page(submission: str, out: Path) -> bool:
    """Return whether `out` contains a student's page, whatever grading it is from."""
    return _paths(submission, out)[-1].is_file()


def remove_files(submissions: Iterable[str], out: Path) -> None:
    """Remove files that could be mistaken for those of these submissions' next Results.

    If there are any, files made from all submissions are outdated, too.
    """
    names = list(submissions)
    remove_own_files(names, out)
    for name in COURSE_FILES if names else ():
        remove_file(out / name)


def remove_own_files(submissions: Iterable[str], out: Path) -> None:
    """Remove the files of these submissions, and none that is made from all of them."""
    for name in submissions:
        for path in _paths(name, out):
            remove_file(path)


def _paths(submission: str, out: Path) -> list[Path]:
    return [submission_file(out, folder, submission, suffix) for folder, suffix in FOLDERS]
