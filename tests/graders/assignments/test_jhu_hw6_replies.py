"""How the checks of the homework's code ask a submission's process, and how often."""

from types import SimpleNamespace

import numpy as np
import pytest

from graders.assignments.jhu_hw6.batches import draw_task
from graders.assignments.jhu_hw6.calls import ask_once
from graders.assignments.jhu_hw6.training.checks import MANY, PLAN
from graders.assignments.jhu_hw6.training.expected import MOST_JUDGED, batches_of, steps_of
from graders.assignments.jhu_hw6.training.runs import Update
from graders.boundary.side import Side
from graders.boundary.student import Student
from graders.boundary.tiers.sandbox import best_tier
from graders.checks.inputs import Inputs
from graders.errors import StudentFault
from graders.registry.discovery import ASSIGNMENTS, load_assignment
from tests.graders.assignments.answering import Answering

FOLDER = ASSIGNMENTS / "jhu_hw6"


@pytest.fixture(scope="module")
def oracle():
    """The process that gives expected values."""
    limits = load_assignment("jhu-hw6").limits
    with Student(None, Side(FOLDER, "oracle"), limits, seed=1, tier=best_tier()) as process:
        yield process


@pytest.mark.slow
def test_run_of_hundreds_of_updates_is_judged(oracle):
    """The oracle has neither room nor time for the gradients of all of them."""
    task = draw_task(Inputs(), "training", 4)
    (batch,) = batches_of(task.train, 4)
    weights = task.weights
    update = Update(batch["input_ids"], True, 1, 0, 1, True, False, weights, weights, {})
    updates = [update] * 300
    run = SimpleNamespace(task=task, plan=PLAN, graded=updates, updates=updates)
    oracle.begin_check()
    assert len(steps_of(oracle, run, [batch])) == MOST_JUDGED >= MANY * PLAN.epochs


class Counting(Answering):
    """A student who counts questions, and breaks at the first."""

    def __init__(self, value):
        self.value, self.calls = value, 0

    def answer(self, function, /, **_):
        self.calls += 1
        if self.calls == 1:
            raise StudentFault("It broke.")
        return self.value


def test_an_equal_question_is_put_once():
    """What breaks is no answer, and neither another question nor another student's is."""
    student, other = Counting(7), Counting(8)
    for process in (student, other):
        with pytest.raises(StudentFault):
            ask_once(process, "width", x=np.zeros(2), read=int)
    assert [ask_once(student, "width", x=np.zeros(2), read=int) for _ in range(3)] == [7, 7, 7]
    assert student.calls == 2
    ask_once(student, "width", x=np.ones(2), read=int)
    ask_once(student, "depth", x=np.zeros(2), read=int)
    assert student.calls == 4
    assert ask_once(other, "width", x=np.zeros(2), read=int) == 8


def test_trusted_side_needs_no_torch():
    files = [path for path in FOLDER.rglob("*.py") if path.parent.name != "solution"]
    trusted = [path for path in files if not path.name.startswith(("student_", "oracle"))]
    assert not [path for path in trusted if "import torch" in path.read_text(encoding="utf-8")]
