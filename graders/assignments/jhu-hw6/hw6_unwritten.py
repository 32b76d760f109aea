"""Whether anything beyond what the course gives is written: given code alone earns nothing."""

from collections.abc import Callable
from functools import partial

from hw6_batches import Task, draw_task
from hw6_files import definitions
from hw6_replies import number, sequence
from hw6_runs import Plan, training_run
from hw6_tuning import CLASS, Model, Question, draw_question, logits_of

from graders.boundary.student import Student
from graders.checks.compare import CheckFailed, fail
from graders.checks.inputs import Inputs
from graders.errors import StudentFault


def require_own_work(student: Student, sandbox: Student, inputs: Inputs) -> None:
    """Fail where no evaluation gives a number, no training changes a weight, no model a logit."""
    task = draw_task(inputs, "own work", 6)
    question = draw_question(inputs, sandbox, Model("bert", "full"))
    ways: dict[str, Callable[[str], bool]] = {
        "evaluate_model": partial(_evaluates, student, task),
        "train": partial(_trains, student, task),
        CLASS: partial(_classifies, student, question),
    }
    if not any(_does(student, name, way) for name, way in ways.items()):
        fail(
            "Neither evaluate_model nor train nor the model class does anything yet.",
            hint="BoolQADataset comes with the homework; it counts with work of your own.",
        )


def _does(student: Student, name: str, way: Callable[[str], bool]) -> bool:
    for file, _ in definitions(student, name):
        try:
            if way(file):
                return True
        except (CheckFailed, StudentFault):
            continue
    return False


def _evaluates(student: Student, task: Task, file: str) -> bool:
    values = {"weights": dict(task.weights), "batch": dict(task.train), "sizes": [4]}
    reply = sequence(student.call("evaluations", **values, file=file, dropout=0.0), dict)
    value = reply[0].get("value") if reply else None
    return number(value.get("accuracy") if isinstance(value, dict) else value) is not None


def _trains(student: Student, task: Task, file: str) -> bool:
    return bool(training_run(student, task, Plan(), file).graded)


def _classifies(student: Student, question: Question, file: str) -> bool:
    return len(logits_of(student, question, file).logits) > 0
