"""Two tiny suites of unittest tests, and submissions for them."""

import pytest

from graders.boundary.tiers.sandbox import best_tier
from graders.grading.options import Options
from graders.grading.pipeline import grade_submission
from graders.registry.discovery import load_assignment
from submissions.receive import identify
from tests.conftest import LIMITS, write_files

OPTIONS = Options(best_tier())
TOML = f"""
name = "sums"
title = "Sums"
version = 1
seed = 7
{LIMITS.replace("wall_seconds = 10", "wall_seconds = 4")}
[files]
code = ["sums.py"]
[suite]
folder = "tests"
"""

SUMS = '''
import unittest

from gradescope_utils.autograder_utils.decorators import number, partial_credit, visibility, weight

from numbers_to_add import PAIRS
from sums import add


class TestSums(unittest.TestCase):
    @weight(2)
    @number("1.1")
    def test_adds(self):
        """One and one is two."""
        self.assertEqual(add(1, 1), 2)

    @partial_credit(4)
    @number("1.2")
    def test_pairs(self, set_score=None):
        """Every pair has its sum."""
        right = [add(a, b) == a + b for a, b in PAIRS]
        set_score(4 * sum(right) / len(right))

    @weight(1)
    @number("1.3")
    @visibility("hidden")
    def test_zero(self):
        """Zero changes nothing."""
        print("looking at zero")
        self.assertEqual(add(5, 0), 5, "zero counts")
'''
NUMBERS = "PAIRS = [(1, 2), (3, 4), (0, 0), (2, 5)]\n"
RIGHT = "def add(a, b):\n    return a + b\n"
FULL = {"sums-TestSums-adds": 2, "sums-TestSums-pairs": 4, "sums-TestSums-zero": 1}


@pytest.fixture
def folder(tmp_path):
    """The assignment's folder, with the first suite; a test may edit its files."""
    suite = {"tests/test_sums.py": SUMS, "tests/numbers_to_add.py": NUMBERS}
    return write_files(tmp_path / "sums", {"assignment.toml": TOML, **suite})


@pytest.fixture
def grade(folder, hand_in):
    """`grade(source, suite="")`: the Result of a sums.py, against this suite in place of ours."""

    def graded(source, suite="", name="ada", **files):
        if suite:
            (folder / "tests" / "test_sums.py").write_text(suite)
        submission = identify(hand_in(name, sums_py=source, **files), "sums")
        return grade_submission(submission, load_assignment(str(folder)), OPTIONS)

    return graded


def points(result):
    return {graded.criterion.id: graded.points for graded in result.criteria}


def checks(result):
    return {check.id: check for criterion in result.criteria for check in criterion.checks}
