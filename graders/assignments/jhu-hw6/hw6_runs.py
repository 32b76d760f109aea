"""A training run of the student's, as it is asked for and as it comes back."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from hw6_batches import Task
from hw6_once import ask_once
from hw6_replies import UNREADABLE, Floats, arrays, mapping, sequence

from graders.boundary.student import Student
from graders.errors import BadReply

NAME = "train"


@dataclass(frozen=True, slots=True)
class Plan:
    """How long and how fast to train."""

    epochs: int = 2
    batch_size: int = 4
    lr: float = 0.01
    brief: bool = False
    own: bool = True  # whether the student's evaluate_model is called by the loop


@dataclass(frozen=True, slots=True)
class Update:
    """One training forward of the student's loop, and what came of it."""

    input_ids: Any
    training: bool
    steps: int  # of the optimizer that made most
    before: Mapping[str, Floats]
    after: Mapping[str, Floats]
    gradients: Mapping[str, Floats]

    @property
    def size(self) -> float:
        """How far the weights moved."""
        moved = [self.after[name] - each for name, each in self.before.items()]
        return float(np.sqrt(sum(np.square(each).sum() for each in moved)))


@dataclass(frozen=True, slots=True)
class Run:
    """All updates of a run, the forwards that no step followed among them, and the end."""

    task: Task
    forwards: Sequence[Update]
    final: Mapping[str, Floats]

    @property
    def updates(self) -> Sequence[Update]:
        """The forwards that a step followed."""
        return [each for each in self.forwards if each.steps > 0]


def training_run(student: Student, task: Task, plan: Plan, file: str) -> Run:
    """What the student's train() does with this task."""
    reply = mapping(
        ask_once(
            student,
            "training_log",
            weights=dict(task.weights),
            batches=task.batches,
            plan=asdict(plan),
            file=file,
        ),
        "updates",
        "final",
    )
    forwards = [_update(task, each) for each in sequence(reply["updates"], dict)]
    return Run(task, forwards, _whole(task, reply["final"]))


def changes_weights(run: Run) -> bool:
    """Whether any weight is another one at the end."""
    return any(not np.array_equal(run.final[name], each) for name, each in run.task.weights.items())


def _update(task: Task, reply: Mapping[str, Any]) -> Update:
    mapping(reply, "input_ids", "training", "steps", "before", "after", "gradients")
    if type(reply["steps"]) is not int or not isinstance(reply["training"], bool):
        raise BadReply(UNREADABLE)
    return Update(
        reply["input_ids"],
        reply["training"],
        reply["steps"],
        _whole(task, reply["before"]),
        _whole(task, reply["after"]),
        arrays(reply["gradients"], task.shapes),
    )


def _whole(task: Task, reply: Any) -> Mapping[str, Floats]:
    """The arrays of all parameters."""
    found = arrays(reply, task.shapes)
    if set(found) != set(task.shapes):
        raise BadReply(UNREADABLE)
    return found
