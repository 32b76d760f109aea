"""The checks of a suite, one per test: pytest collects them with an assignment's own files."""

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
    """Create one check per test of the suite of the assignment in pytest's root folder."""
    assignment = load_assignment(str(metafunc.config.rootpath))
    tests = suite_tests(assignment.folder / assignment.suite)
    metafunc.parametrize("suite_test", [_parameter(test) for test in tests])


def _parameter(test: SuiteTest) -> object:
    description = f"{test.title} ({test.module}.{test.case}.{test.method})"
    mark = pytest.mark.criterion(test.id, id=test.id, description=description)
    return pytest.param(test, id=test.id, marks=mark)


def test_suite(suite_test: SuiteTest, suite: Suite, score: Score) -> None:
    """The test passes in a process that it shares with the student's code."""
    try:
        suite.ask(suite_test, lambda reply: judge(suite_test, reply, score))
    except StudentFault as fault:  # its message is the student's, and may reveal the inputs
        if suite_test.hidden_errors:
            raise CheckFailed(suite_test.hidden_errors) from fault
        raise
