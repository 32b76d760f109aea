"""An existing suite is audited like any other assignment: it shows what the suite misses."""

import pytest

from graders.audit.graded import Grader, Kept
from graders.audit.parts import Plan, audit
from graders.execution.executors import SerialExecutor
from graders.grading.pipeline import GradingRequest
from graders.registry.discovery import load_assignment
from tests.graders.suite.conftest import OPTIONS

SOLUTION = "def add(a, b):\n    if a < 0:\n        return b - -a\n    return a + b\n"


@pytest.mark.slow
def test_an_audit_shows_what_a_suite_misses(folder, tmp_path):
    (folder / "solution").mkdir()
    (folder / "solution" / "sums.py").write_text(SOLUTION)
    grader = Grader(SerialExecutor(), 1, Kept(tmp_path / "out"))
    request = GradingRequest(load_assignment(str(folder)), OPTIONS)
    plan = Plan(mutants=5, rewrites=1, repeats=0)
    found = audit(request, grader, plan, lambda items, _: iter(items))
    scores = {each.name for each in found.mutations.by_criterion}
    assert {"sums-TestSums-adds", "sums-TestSums-pairs"} <= scores
    assert any("-        return b - -a" in each.change.diff for each in found.news)
    assert not any("-    return a + b" in each.change.diff for each in found.news)
    assert (found.rewrites.graded, found.rewrites.lost, found.faults) == (1, (), ())
