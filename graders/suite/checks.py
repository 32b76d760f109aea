"""The checks of a suite, one a test: pytest collects them beside an assignment's own files."""

import pytest

from graders.checks.compare import CheckFailed
from graders.checks.score import Score
from graders.errors import StudentFault
from graders.registry.discovery import load_assignment
from graders.suite.judging import judge
from graders.suite.model import SuiteTest
from graders.suite.process import Suite
from graders.suite.reading import suite_tests


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A check a test of the suite that the assignment in pytest's root folder names."""
    assignment = load_assignment(str(metafunc.config.rootpath))
    tests = suite_tests(assignment.folder / assignment.suite)
    metafunc.parametrize("suite_test", [_parameter(each) for each in tests])


def _parameter(test: SuiteTest) -> object:
    description = f"{test.title} ({test.module}.{test.case}.{test.method})"
    mark = pytest.mark.criterion(test.id, id=test.id, description=description)
    return pytest.param(test, id=test.id, marks=mark)


def test_suite(suite_test: SuiteTest, suite: Suite, score: Score) -> None:
    """The test says so, in a process that the student's code shares."""
    _judge(suite_test, suite, score)


def _judge(test: SuiteTest, suite: Suite, score: Score) -> None:
    """Judge what the process says; how it ended stays unsaid where the test hides its errors."""
    try:
        suite.ask(test, lambda reply: judge(test, reply, score))
    except StudentFault as fault:  # its words are the student's, and may hold what was asked
        if test.hidden_errors:
            raise CheckFailed(test.hidden_errors) from fault
        raise
