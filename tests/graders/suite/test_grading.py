"""A gradescope-utils suite as an assignment: scores and messages of submissions.

It is audited like any other assignment, which shows what the suite misses.
"""

import pytest

from graders.audit.graded import GradedCache, Grader
from graders.audit.parts import Plan, audit
from graders.execution.executors import SerialExecutor
from graders.grading.options import GradingRequest
from graders.registry.discovery import load_assignment
from graders.suite.model import LABEL, MARK
from tests.conftest import append
from tests.graders.suite.conftest import FULL, OPTIONS, RIGHT, checks, points

SUITE = """
import os
import unittest
from pathlib import Path

from gradescope_utils.autograder_utils.decorators import *
from gradescope_utils.autograder_utils.files import check_submitted_files


class TestKinds(unittest.TestCase):
    @weight(1)
    def test_skipped(self):
        self.skipTest("not today")

    @weight(1)
    def test_raises(self):
        raise KeyError("gone")

    @weight(1)
    def test_subtests(self):
        for n in range(3):
            with self.subTest(n=n):
                self.assertNotEqual(n, 1)

    @weight(1)
    @unittest.expectedFailure
    def test_expected(self):
        self.fail("as expected")

    @weight(1)
    @hide_errors("Look at the last lecture.")
    def test_hides(self):
        print("the answer is 42")
        self.assertEqual(1, 42)

    @partial_credit(2)
    def test_too_much(self, set_score=None):
        set_score(99)

    @partial_credit(2)
    def test_fails_with_a_score(self, set_score=None):
        set_score(1)
        self.fail("half of it")

    @partial_credit(2)
    def test_sets_nothing(self, set_score=None):
        pass

    @leaderboard("speed")
    def test_board(self, set_leaderboard_value=None):
        set_leaderboard_value(3.5)

    def test_without_weight(self):
        self.fail("advice")

    @weight(1)
    def test_files(self):
        self.assertEqual(check_submitted_files(["sums.py", "other.py"]), ["other.py"])
        self.assertTrue(Path("sums.py").is_file())
        Path("written.txt").write_text("the folder is its own")
"""


def test_a_right_submission_has_all_points_and_every_criterion_its_label(grade):
    result = grade(RIGHT)
    assert (points(result), result.score, result.max_score) == (FULL, 7, 7)
    assert all(graded.criterion.title.endswith(MARK) for graded in result.criteria)
    assert LABEL in result.environment["intake"]


def test_a_wrong_one_loses_what_is_wrong_and_is_told(grade):
    result = grade("def add(a, b):\n    return a * b\n")
    assert list(points(result).values()) == [0, 1, 0]
    results = checks(result)
    assert "Test Failed: 1 != 2" in results["sums-TestSums-adds"].message
    zero = results["sums-TestSums-zero"].message
    assert "looking at zero" in zero
    assert "zero counts" in zero
    assert results["sums-TestSums-pairs"].message == "The test awarded 1 of 4 points."


def test_each_kind_of_ending_keeps_its_points(grade):
    """gradescope-utils would leave four of these out, and the maximum with them."""
    result = grade(RIGHT, SUITE)
    endings = {
        name.removeprefix("sums-TestKinds-"): (check.status, check.fraction)
        for name, check in checks(result).items()
    }
    assert endings == {
        "skipped": ("skipped", 0.0),
        "raises": ("failed", 0.0),
        "subtests": ("failed", 0.0),
        "expected": ("passed", 1.0),
        "hides": ("failed", 0.0),
        "too-much": ("passed", 1.0),
        "fails-with-a-score": ("partial", 0.5),
        "sets-nothing": ("passed", 1.0),
        "board": ("passed", 1.0),
        "without-weight": ("failed", 0.0),
        "files": ("passed", 1.0),
    }
    assert (result.score, result.max_score, result.status) == (7, 12, "graded")
    _says_what_it_should(checks(result))


def _says_what_it_should(results):
    texts = {name.removeprefix("sums-TestKinds-"): check.message for name, check in results.items()}
    assert texts["hides"] == "Look at the last lecture."
    assert "not today" in texts["skipped"]
    assert "KeyError" in texts["raises"]
    assert texts["board"] == "speed: 3.5"


PRINTING = """
import sys
import unittest

from gradescope_utils.autograder_utils.decorators import *

import sums


class TestPrints(unittest.TestCase):
    @weight(1)
    def test_says(self):
        sums.say()
        self.assertEqual(sys.stdout.getvalue(), "hello\\n")
"""


def test_a_test_reads_what_its_code_prints(grade):
    """As in gradescope-utils: nothing of the import, nothing of stderr."""
    source = "import sys\nprint('imported')\ndef say():\n    print('hello')\n"
    result = grade(f"{source}    print('a warning', file=sys.stderr)\n", PRINTING)
    assert result.score == 1
    message = checks(result)["sums-TestPrints-says"].message
    assert message.split() == ["imported", "hello", "a", "warning"]


LONG = """
import unittest

from gradescope_utils.autograder_utils.decorators import *

from sums import OddError


class TestLong(unittest.TestCase):
    @partial_credit(2)
    def test_fails(self, set_score=None):
        set_score(1)
        self.fail("y" * 20_000_000)

    @partial_credit(2)
    def test_raises(self, set_score=None):
        set_score(1)
        raise OddError

    @partial_credit(2)
    @unittest.skip(42)
    def test_skips(self, set_score=None):
        pass

    @leaderboard("speed")
    def test_board(self, set_leaderboard_value=None):
        set_leaderboard_value("9" * 20_000_000)
"""
ODD = "class OddError(Exception):\n    def __str__(self):\n        raise KeyError\n"


def test_no_words_lose_a_score_that_was_set(grade):
    results = checks(grade(ODD, LONG))
    endings = {name.rpartition("-")[2]: check.fraction for name, check in results.items()}
    assert endings == {"fails": 0.5, "raises": 0.5, "skips": 0, "board": 1}
    assert "OddError" in results["sums-TestLong-raises"].message
    assert "42" in results["sums-TestLong-skips"].message


STARTS = """
import os
import signal
import subprocess
import sys
import unittest

from gradescope_utils.autograder_utils.decorators import weight


class TestStarts(unittest.TestCase):
    @weight(1)
    def test_starts(self):
        command = ["python3", "sums.py"]
        done = subprocess.run(command, input="2", capture_output=True, text=True)
        self.assertEqual(done.stdout, "4.0\\n", done.stderr)

    @weight(1)
    def test_ends(self):
        with self.assertRaises(subprocess.TimeoutExpired):
            subprocess.run([sys.executable, "sums.py"], input="-1", text=True, timeout=1)

    @weight(1)
    def test_ends_a_group(self):
        command = [sys.executable, "-c", "while True: pass"]
        process = subprocess.Popen(command, start_new_session=True)
        os.killpg(process.pid, signal.SIGKILL)
        self.assertLess(process.wait(3), 0)
"""
ENDLESS = """
n = float(input())
while n < 0:
    pass
import numpy
print(numpy.square(n))
"""


def test_a_test_may_start_and_end_the_code_as_a_program(grade):
    assert grade(ENDLESS, STARTS).score == 3


def test_a_missing_module_costs_the_points_and_is_no_fault_of_ours(grade):
    result = grade("def subtract(a, b):\n    return a - b\n")
    assert (result.status, result.score, result.max_score) == ("graded", 0, 7)
    assert "cannot import name 'add'" in checks(result)["sums-TestSums-adds"].message


def test_a_suite_and_checks_stand_side_by_side(grade, folder):
    criterion = '\n[[criterion]]\nid = "own"\ntitle = "Own"\npoints = 3\nkind = "code"\n'
    append(folder / "assignment.toml", criterion)
    (folder / "student_side.py").write_text(
        "def add(a, b):\n    import sums\n    return sums.add(a, b)"
    )
    (folder / "checks_own.py").write_text(
        'import pytest\n\n@pytest.mark.criterion("own")\ndef test_own(student):\n'
        '    """Two and two is four."""\n    assert student.call("add", a=2, b=2) == 4\n'
    )
    assert points(grade(RIGHT)) == {"own": 3, **FULL}


SOLUTION = "def add(a, b):\n    if a < 0:\n        return b - -a\n    return a + b\n"


@pytest.mark.slow
def test_an_audit_shows_what_a_suite_misses(folder, tmp_path):
    (folder / "solution").mkdir()
    (folder / "solution" / "sums.py").write_text(SOLUTION)
    grader = Grader(SerialExecutor(), GradedCache(tmp_path / "out"))
    request = GradingRequest(load_assignment(str(folder)), OPTIONS)
    plan = Plan(mutants=5, rewrites=1, repeats=0)
    audited = audit(request, grader, plan, lambda items, _: iter(items))
    scores = {rate.name for rate in audited.mutations.by_criterion}
    assert {"sums-TestSums-adds", "sums-TestSums-pairs"} <= scores
    assert any("-        return b - -a" in survivor.change.diff for survivor in audited.unrecorded)
    assert not any("-    return a + b" in survivor.change.diff for survivor in audited.unrecorded)
    assert (audited.rewrites.graded, audited.rewrites.lost, audited.faults) == (1, (), ())
