"""A training run of the student's code: its plan and its result."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graders.boundary.outcome import fault_of
from graders.boundary.student import Student
from graders.checks.compare import fail
from graders.errors import BadReply, StudentFault, Unavailable

from ..batches import Task
from ..calls import ask_once
from ..replies import Floats, arrays, mapping, sequence

NAME = "train"
NOTED = ("restored", "looked", "reloaded", "renewed")


@dataclass(frozen=True, slots=True)
class Plan:
    """The length and the learning rate of a training."""

    epochs: int = 2
    batch_size: int = 4
    lr: float = 0.01
    brief: bool = False
    own: bool = True  # whether the loop calls the student's evaluate_model
    trend: int = 0  # of the accuracies that it finds otherwise: 1 rises, -1 falls
    alike: bool = False  # whether that is the trend on all sets, not only on validation

    def steps(self, task: Task) -> int:
        """Return the number of batches, and so of steps, in an epoch."""
        return -(-len(task.train["labels"]) // self.batch_size)


@dataclass(frozen=True, slots=True)
class Update:
    """One forward pass in training by the student's loop, and its effects."""

    input_ids: NDArray[Any]
    training: bool
    steps: int  # of the optimizer that made most
    foreign: int  # steps of optimizers without any of the model's parameters
    backwards: int
    reached: bool  # whether a backward pass gave the model a gradient
    cleared: bool  # whether the gradients were zero or missing at a step
    before: Mapping[str, Floats]
    after: Mapping[str, Floats]
    gradients: Mapping[str, Floats]  # those of the last step; else those that backward gave

    @property
    def size(self) -> float:
        """The distance that the weights moved."""
        return float(np.linalg.norm(self._moved))

    @property
    def rms(self) -> float:
        """The root mean square change of the weights that changed."""
        return float(self.size / max(np.sqrt(np.count_nonzero(self._moved)), 1.0))

    @property
    def _moved(self) -> Floats:
        moved = [self.after[name] - weight for name, weight in self.before.items()]
        return np.concatenate([change.ravel() for change in moved])


@dataclass(frozen=True, slots=True)
class Run:
    """All updates of a run, the final weights, and the exception that ended it, if any."""

    task: Task
    plan: Plan
    forwards: Sequence[Update]
    rates: Sequence[float]  # of each update with a step; below 0 if none is known
    final: Mapping[str, Floats]
    final_after: (
        int  # the updates after which the model had its weights of the end; below 0 if never
    )
    restored: bool  # whether these are not the weights after the last update
    looked: bool  # whether the loop calls the model without a backward pass
    reloaded: bool  # whether the model's own current weights are loaded into it at the end
    renewed: bool  # whether each step is the only one of its optimizer, which has a state
    ended: StudentFault | Unavailable | None
    elsewhere: bool  # whether that may not be raised on the student's machine
    misfit: bool  # whether it is a wrong call of evaluate_model, or a name that is not defined
    read: Mapping[str, Sequence[int]]  # for each set, the updates before it is used to evaluate

    def refuse_unavailable(self) -> None:
        """Raise the exception that ended the run if it is our own fault: the rest is unknown."""
        if isinstance(self.ended, Unavailable):
            raise self.ended

    @property
    def updates(self) -> Sequence[Update]:
        """The forward passes that were followed by a step."""
        return [update for update in self.forwards if update.steps > 0]

    @property
    def is_warm_up(self) -> bool:
        """Whether the learning rate rises from near zero until the last step."""
        rises = all(a <= b for a, b in pairwise(self.rates))
        return len(self.rates) > 1 and rises and 0 <= self.rates[0] < self.rates[-1] / 2

    @property
    def graded(self) -> Sequence[Update]:
        """The forward passes that gave the model gradients, whether a step followed or not.

        If there are any steps, a forward pass in evaluation mode without one is an evaluation.
        """
        reached = [
            update
            for update in self.forwards
            if update.reached or (update.steps and not update.cleared)
        ]
        return [update for update in reached if update.steps or update.training or not self.updates]


def training_run(student: Student, task: Task, plan: Plan, file: str) -> Run:
    """Return what the student's train() does with this task, even if it raises later."""
    return ask_once(
        student,
        "training_log",
        weights=dict(task.weights),
        batches=task.batches,
        plan=asdict(plan),
        file=file,
        read=partial(_run, task, plan),
    )


def require_device(student: Student, task: Task, name: str, file: str) -> None:
    """Fail if train or evaluate_model moves only some of the tensors of a batch to its device."""
    try:
        forgets = ask_once(
            student,
            "forgets_device",
            weights=dict(task.weights),
            batches=task.batches,
            name=name,
            file=file,
            read=bool,
        )
    except (StudentFault, Unavailable):
        return  # a run of another check reports it
    if forgets:
        fail(
            "Some tensors of a batch are moved to `device`, but others that they meet are not: on "
            "a GPU, this raises an error.",
            hint="Move input_ids, attention_mask and labels: batch[...].to(device). "
            "`.to()` returns the moved tensor and does not change the original.",
        )


def _run(task: Task, plan: Plan, reply: Any) -> Run:
    mapping(reply, "updates", "rates", "final", "kept", "ended", "read", "misfit", *NOTED)
    forwards = [_update(task, update) for update in sequence(reply["updates"], dict)]
    rates = sequence(reply["rates"], float)
    ending = mapping(reply["ended"])
    ended = fault_of(ending) if ending else None
    elsewhere = ending.get("elsewhere") is True
    misfit = reply["misfit"] is True
    final = _whole(task, reply["final"])
    kept = reply["kept"] if type(reply["kept"]) is int else -1
    restored, looked, reloaded, renewed = (reply[name] is True for name in NOTED)
    return Run(
        task, plan, forwards, rates, final, kept, restored, looked, reloaded, renewed,
        ended, elsewhere, misfit, _read(reply),
    )  # fmt: skip


def _read(reply: Mapping[str, Any]) -> Mapping[str, Sequence[int]]:
    reads: dict[str, list[int]] = {}
    for name, updates in sequence(reply["read"], list):
        if type(updates) is not int:
            raise BadReply
        reads.setdefault(str(name), []).append(updates)
    return reads


def _update(task: Task, reply: Mapping[str, Any]) -> Update:
    names = [field.name for field in fields(Update)]
    values = {name: mapping(reply, *names)[name] for name in names}
    whole = [reply[name] for name in ("steps", "foreign", "backwards")]
    if any(type(number) is not int for number in whole):
        raise BadReply
    if not all(isinstance(reply[name], bool) for name in ("training", "reached", "cleared")):
        raise BadReply
    tensors = {name: _whole(task, reply[name]) for name in ("before", "after")}
    tensors["gradients"] = arrays(reply["gradients"], task.shapes)
    return Update(**values | tensors | {"input_ids": np.atleast_1d(reply["input_ids"])})


def _whole(task: Task, reply: Any) -> Mapping[str, Floats]:
    """Return the arrays of all parameters."""
    weights = arrays(reply, task.shapes)
    if set(weights) != set(task.shapes):
        raise BadReply
    return weights
