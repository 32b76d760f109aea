"""Write Results as pages, tables and files for other systems."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from graders.course.release import PLAIN, CourseRules
from graders.model import Result
from graders.storage.result_json import submission_file, write_result
from reports.course.generations import Comparison
from reports.course.page import write_course_page
from reports.course.twins import Twins, deterministic_files, find_twins, write_twins
from reports.course.view import CourseView, course_view
from reports.grades import write_grades
from reports.gradescope.results_json import write_gradescope
from reports.pipelines.page import write_pipeline_page
from reports.student.page import write_student_page

__all__ = [
    "course_view",
    "deterministic_files",
    "find_twins",
    "write_course_page",
    "write_course_reports",
    "write_grades",
    "write_gradescope",
    "write_pipeline_page",
    "write_reports",
    "write_result",
    "write_student_page",
    "write_submission_files",
]


def write_reports(
    results: Iterable[Result], out: Path, twins: Sequence[Twins] = ()
) -> tuple[Path, ...]:
    """Write the files made from all results: `out/grades.csv`, `out/twins.json`, `out/index.html`.

    Each result is read only once and may be discarded afterwards.
    """
    return write_course_reports(course_view(results, twins), out)


def write_course_reports(
    course: CourseView, out: Path, comparisons: Sequence[Comparison] = ()
) -> tuple[Path, ...]:
    """Write `out/grades.csv`, `out/twins.json` and `out/index.html` of a course."""
    page = write_course_page(course, out, comparisons=comparisons)
    return write_grades(course, out), write_twins(course.twins, out), page


def write_submission_files(
    result: Result, out: Path, rules: CourseRules = PLAIN
) -> tuple[Path, ...]:
    """Write what needs one result: its JSON, its Gradescope file and its page, by these rules."""
    # The Result goes first and comes last: where it lies, the other files are of it.
    submission_file(out, "results", result.submission.id, ".json").unlink(missing_ok=True)
    page, gradescope = write_student_page(result, out, rules), write_gradescope(result, out, rules)
    return write_result(result, out), gradescope, page
