"""No reply of a submission's process, however odd, breaks a check of the homework's code."""

import functools
import importlib
import inspect
from types import SimpleNamespace

import numpy as np
import pytest

from graders.assignments.jhu_hw6.batches import draw_task
from graders.assignments.jhu_hw6.training.checks import MANY, PLAN
from graders.assignments.jhu_hw6.training.expected import MOST_JUDGED, batches_of, steps_of
from graders.assignments.jhu_hw6.training.runs import Update
from graders.boundary.side import Side
from graders.boundary.student import Student
from graders.boundary.tiers.sandbox import best_tier
from graders.checks.compare import CheckFailed
from graders.checks.inputs import Inputs
from graders.checks.score import Score
from graders.errors import StudentFault
from graders.registry.discovery import ASSIGNMENTS, load_assignment
from tests.graders.assignments.answering import Answering, passing

FOLDER = ASSIGNMENTS / "jhu_hw6"
FILES = ("boolq_data", "evaluation", "training", "full_tuning", "head_tuning", "prefix_tuning")


def checks_of(name):
    module = importlib.import_module(f"graders.assignments.jhu_hw6.{name}.checks")
    return {key: check for key, check in vars(module).items() if key.startswith("test_")}


CHECKS = {key: check for name in FILES for key, check in checks_of(name).items()}
ODD = {
    "nothing": None,
    "number": 3.5,
    "text": "logits",
    "empty-list": [],
    "lists": [[1, "a", None], {"value": {"accuracy": "high"}, "modes": [1], "changed": 0}],
    "empty-dict": {},
    "wrong-types": {
        **dict.fromkeys(("length", "items", "updates", "final", "parts", "calls", "made"), 7),
        **dict.fromkeys(("error", "changed", "backbone", "sizes", "gradients", "prefix"), (None,)),
        **{"logits": np.zeros((0, 9)), "kind": 4},
    },
    "not-finite": {
        **{"logits": np.full((3, 2), np.nan), "kind": "dict", "calls": [], "parts": {}},
        **{"prefix": "", "gradients": {"prefix": "large"}, "length": -1, "items": [{}]},
        **{"updates": [{}], "final": {"classifier.bias": np.zeros(7)}},
    },
}


@pytest.fixture(scope="module")
def oracle():
    """The process that gives expected values."""
    limits = load_assignment("jhu-hw6").limits
    with Student(None, Side(FOLDER, "oracle"), limits, seed=1, tier=best_tier()) as process:
        yield process


class Odd(Answering):
    """A student who answers the same to every question but the first."""

    def __init__(self, value):
        self.value = value

    def answer(self, function, /, **_):
        place = {"file": "classification.py", "place": "`classification.py`, line 1"}
        return [place] if function == "definitions" else self.value


@pytest.mark.slow
@pytest.mark.parametrize("value", ODD.values(), ids=ODD)
def test_no_reply_breaks_a_check(oracle, value):
    def ask(check):
        oracle.begin_check()
        fixtures = {"student": Odd(value), "sandbox": oracle, "inputs": Inputs(), "score": Score()}
        check(
            **{parameter: fixtures[parameter] for parameter in inspect.signature(check).parameters}
        )

    calls = {name: functools.partial(ask, check) for name, check in CHECKS.items()}
    del calls["test_parts_are_apart"]  # it judges rows that it can tell, and no others
    assert passing((CheckFailed, StudentFault), calls) == []


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


class Counting(Odd):
    """A student who counts questions, and breaks at the first."""

    calls = 0

    def answer(self, function, /, **_):
        self.calls += 1
        if self.calls == 1:
            raise StudentFault("It broke.")
        return self.value


def test_an_equal_question_is_put_once():
    """What breaks is no answer, and neither another question nor another student's is."""
    ask_once = importlib.import_module("graders.assignments.jhu_hw6.calls").ask_once
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
    for path in FOLDER.glob("hw6_*.py"):
        assert "import torch" not in path.read_text(encoding="utf-8")
