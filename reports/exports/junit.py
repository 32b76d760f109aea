"""Write results as JUnit XML: one test suite per criterion, one test case per check.

    testsuites
    └── testsuite   name `SUBMISSION: TITLE`, property `points` if they are decided
        └── testcase   classname `SUBMISSION.CRITERION`, name `CHECK: SENTENCE`, time
            └── failure | error | skipped   the text that a student reads

A failure is the student's; an error is our own, or an upload that could not be opened. What needs
manual grading is skipped, with a message. There is no total: readers of JUnit XML count tests.
"""

from collections.abc import Iterable

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from graders.model import CheckResult, CriterionResult, Result
from reports.exports.export import Course, Export
from reports.exports.findings import parts_of
from reports.text import line, number, prose
from reports.words import check_word

KINDS: dict[str, type[Failure | Error | Skipped]] = {
    "failed": Failure,
    "partial": Failure,
    "error": Error,
    "skipped": Skipped,
    "needs_review": Skipped,
}
NOT_XML = {0xFFFE: "\ufffd", 0xFFFF: "\ufffd"}  # in addition to what reports.text makes visible


def junit_export(course: Course) -> Export:
    """Return a course's Results as one JUnit XML file."""
    return Export(junit_text(course.results))


def junit_text(results: Iterable[Result]) -> str:
    """Return the Results as a JUnit XML document."""
    report = JUnitXml("softmark")
    for result in results:
        # Not add_testsuite, because it merges suites with the same name.
        suites = [_suite(result, graded) for graded in result.criteria]
        report.extend(suites)  # type: ignore[no-untyped-call]
    report.update_statistics()  # type: ignore[no-untyped-call]
    document: bytes = report.tostring()  # type: ignore[no-untyped-call]
    return f'<?xml version="1.0" encoding="utf-8"?>\n{document.decode()}\n'


def _suite(result: Result, graded: CriterionResult) -> TestSuite:
    criterion = graded.criterion
    suite = TestSuite(_line(f"{result.submission.id}: {criterion.title}"))
    suite.timestamp = result.started_at.replace(tzinfo=None).isoformat(timespec="seconds")
    if graded.points is not None:
        suite.add_property("points", number(graded.points))
    suite.add_property("max_points", number(criterion.points))
    place = _line(f"{result.submission.id}.{criterion.id}")
    cases = [_case(place, check, rejected=result.status == "rejected") for check in graded.checks]
    suite.add_testcases(cases or [_missing(place)])
    return suite


def _case(place: str, result: CheckResult, *, rejected: bool) -> TestCase:
    name = _line(f"{result.id}: {result.check.description}")
    case = TestCase(name, place, round(result.seconds, 3))
    # No check of a rejected upload ran; a list of harmless skips would be misleading.
    kind = Error if rejected else KINDS.get(result.status)
    if kind is not None:
        ending = kind(_line(result.message) or check_word(result), _line(check_word(result)))
        ending.text = _text(result)
        case.result = ending
    return case


def _missing(place: str) -> TestCase:
    """Return an error for a criterion without any check that ran, so that it never looks fine."""
    case = TestCase("no check of this criterion was run", place, 0.0)
    case.result = Error("Could not be graded", "Could not be graded")
    return case


def _text(result: CheckResult) -> str:
    parts = (f"{label}: {prose(text)}" for label, text in parts_of(result))
    return "\n".join((prose(result.message), *parts)).strip().translate(NOT_XML)


def _line(text: str) -> str:
    return line(text).translate(NOT_XML)
