"""Test whether anything beyond the course's code is implemented: that code earns nothing."""

from collections.abc import Callable
from functools import partial
from typing import Any

from graders.boundary.student import Student
from graders.boundary.wire import Value
from graders.checks.compare import CheckFailed, fail
from graders.checks.inputs import Inputs
from graders.errors import BadReply, StudentFault, StudentRaised

from .batches import Task, draw_task
from .files import definitions
from .replies import number
from .training.runs import Plan, training_run
from .tuning.questions import CLASS, Model, Question, draw_question, logits_of

EVALUATE = "evaluate_model"
GIVEN = {
    "BoolQADataset": "The starter code includes BoolQADataset",
    EVALUATE: "Some editions of the starter code include evaluate_model",
}


def require_own_work(student: Student, sandbox: Student, inputs: Inputs, provided: str) -> None:
    """Fail if only the code that the course may provide does anything.

    That is: no training gives a gradient, no model gives logits and, if the dataset is graded, no
    evaluation gives a number. Code that raises counts as implemented, unless it says that it is
    not, or uses a name for which the course left a gap.
    """
    task = draw_task(inputs, "own work", 6)
    question = draw_question(inputs, sandbox, Model("bert", "full"))
    ways: dict[str, Callable[[str], bool]] = {
        "train": partial(_trains, student, task),
        CLASS: partial(_classifies, student, question),
        EVALUATE: partial(_evaluates, student, task),
    }
    required = {name: way for name, way in ways.items() if name != provided}
    if not any(_does(student, name, way) for name, way in required.items()):
        fail(
            f"None of these is implemented yet: {', '.join(required)}.",
            hint=f"{GIVEN[provided]}, so it counts only together with code of your own.",
        )


def _does(student: Student, name: str, way: Callable[[str], bool]) -> bool:
    for file, _ in definitions(student, name):
        try:
            if way(file):
                return True
        except StudentRaised as fault:
            if not _is_gap(fault):
                return True
        except (CheckFailed, BadReply):
            continue
        except StudentFault:
            return True
    return False


def _is_gap(fault: StudentRaised) -> bool:
    """Return whether code raises like a starter; torch also raises NotImplementedError."""
    if fault.kind == "NotImplementedError":
        return "`raise " in str(fault)
    return fault.kind in ("NameError", "UnboundLocalError")


def _evaluates(student: Student, task: Task, file: str) -> bool:
    values: dict[str, Value] = {
        "weights": dict(task.weights),
        "batch": dict(task.train),
        "sizes": [4],
    }
    return student.call("evaluations", **values, file=file, dropout=0.0, read=_gives_a_number)


def _gives_a_number(reply: Any) -> bool:
    value = reply[0]["value"]
    return number(value.get("accuracy") if isinstance(value, dict) else value) is not None


def _trains(student: Student, task: Task, file: str) -> bool:
    run = training_run(student, task, Plan(), file)
    if run.ended is not None and not run.graded:
        raise run.ended
    return bool(run.graded)


def _classifies(student: Student, question: Question, file: str) -> bool:
    return len(logits_of(student, question, file).logits) > 0
