"""What student code can and cannot access in the process of the tests."""

import pytest

from graders.execution.executors import SerialExecutor
from graders.grading.batch import grade_and_store, plan_work
from graders.grading.options import GradingRequest
from graders.grading.pipeline import grade_submission
from graders.registry.discovery import load_assignment
from graders.storage.store import open_store
from submissions.receive import identify
from tests.graders.suite.conftest import FULL, OPTIONS, RIGHT, SUMS, checks, points

WRONG = "def add(a, b):\n    return 0\n"
FORGES = WRONG + "import unittest\nunittest.TestCase.assertEqual = lambda *_, **__: None\n"
LEAVES = """
import pathlib
here = pathlib.Path(__file__).parent
(here / "tests" / "numbers_to_add.py").write_text("PAIRS = [(0, 0)]")
for file in here.rglob("test_sums.py"):
    file.write_text("x = 1")
def add(a, b):
    return 0
"""
# Replies that no test gives: too many points, a fault of ours, a score that is no number.
LIES = """
import sys
ours = sys.modules["graders.assignment.student_side"]
ours._GradescopeResult.outcome = lambda self: {outcome!r}
ours.float = lambda _: {score}
def add(a, b):
    return a + b
"""


def test_a_crash_costs_the_tests_that_meet_it(grade):
    results = checks(grade("import os\ndef add(a, b):\n    return a + b if b else os._exit(0)\n"))
    assert results["sums-TestSums-adds"].status == "passed"
    assert results["sums-TestSums-zero"].outcome == "exited"


@pytest.mark.long
def test_whoever_hangs_is_stopped_test_by_test(grade):
    source = "def add(a, b):\n    while b == 0: pass\n    return a + b\n"
    results = checks(grade(source))
    assert results["sums-TestSums-adds"].status == "passed"
    assert results["sums-TestSums-zero"].outcome == "timed_out"


def test_a_verdict_can_be_forged_within_its_points(grade):
    """That is what `less trusted` means: docs/gradescope-suite.md says so."""
    result = grade(FORGES)
    assert points(result) == FULL | {"sums-TestSums-pairs": 1}
    assert result.max_score == 7


def test_a_forger_alters_no_other_submission(folder, hand_in, tmp_path):
    uploads = [hand_in("eve", sums_py=LEAVES), hand_in("mal", sums_py=FORGES)]
    submissions = [identify(upload, "sums") for upload in (*uploads, hand_in("zoe", sums_py=WRONG))]
    request = GradingRequest(load_assignment(str(folder)), OPTIONS)
    with open_store(tmp_path / "out") as store:
        work = plan_work(store, submissions, request)
        graded = list(grade_and_store(store, work, request, SerialExecutor()))
    assert {result.submission.id: result.score for result in graded} == {
        "eve": 1,
        "mal": 4,
        "zoe": 1,
    }
    assert {result.max_score for result in graded} == {7}


@pytest.mark.parametrize(
    ("outcome", "score", "expected"),
    [
        pytest.param("passed", "10 ** 9", 4, id="more points than there are"),
        pytest.param("sandbox_failed", "4.0", 0, id="a fault of ours"),
    ],
)
def test_a_reply_is_held_to_the_weight(grade, outcome, score, expected):
    result = grade(LIES.format(outcome=outcome, score=score))
    assert points(result)["sums-TestSums-pairs"] == expected
    assert (result.status, result.max_score) == ("graded", 7)


def test_an_upload_does_not_replace_a_test(folder, hand_in):
    """Neither beside the code, nor as a module that the tests import, nor in a folder of tests."""
    pairs = "PAIRS = [(0, 0)]\n"
    upload = hand_in("ada", sums_py=WRONG, numbers_to_add_py=pairs, test_sums_py="x = 1\n")
    (upload / "tests").mkdir()
    (upload / "tests" / "numbers_to_add.py").write_text(pairs)
    (upload / "tests" / "__init__.py").write_text("")
    submission = identify(upload, "sums")
    result = grade_submission(submission, load_assignment(str(folder)), OPTIONS)
    assert points(result)["sums-TestSums-pairs"] == 1
    assert any("`numbers_to_add.py`" in note for note in result.environment["intake"])


READS = """
import pathlib
def add(a, b):
    tests = pathlib.Path(__file__).parent / "tests"
    print(sorted(path.name for path in tests.glob("test_*.py")))
    return 0
"""


def test_code_beside_visible_tests_cannot_read_hidden_ones(grade, folder):
    """In what a visible test says, it could show them to the student."""
    later = SUMS.replace("TestSums", "TestLater").replace("test_zero", "test_other")
    later = later.replace("    @weight(2)", '    @visibility("hidden")\n    @weight(2)')
    later = later.replace("    @partial", '    @visibility("hidden")\n    @partial')
    (folder / "tests" / "test_later.py").write_text(later)
    results = checks(grade(READS))
    assert "['test_sums.py']" in results["sums-TestSums-adds"].message
    assert "['test_later.py', 'test_sums.py']" in results["later-TestLater-adds"].message


def test_a_score_does_not_outlive_its_test(grade, folder):
    """In one process, gradescope-utils would give the second test the first one's score."""
    suite = """
import unittest
from gradescope_utils.autograder_utils.decorators import partial_credit

class Base(unittest.TestCase):
    times = 2

    @partial_credit(4)
    def test_sets(self, set_score=None):
        if self.times == 2:
            set_score(1)

class TestOther(Base):
    times = 3
"""
    assert points(grade(RIGHT, suite)) == {"sums-Base-sets": 1, "sums-TestOther-sets": 4}
