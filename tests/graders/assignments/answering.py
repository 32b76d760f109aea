"""An object that answers instead of a student; its answers are read like a process's reply."""

import contextlib
import copy
import inspect
import io
import random
import sys
from functools import cached_property

import numpy as np
import torch

from graders.boundary.outcome import read_reply
from graders.boundary.student import Student
from graders.checks.compare import CheckFailed
from graders.checks.inputs import Inputs
from graders.checks.score import Score
from graders.checks.verdict import verdict
from graders.errors import StudentFault, StudentRaised
from graders.model import Check

OWN = ("attention", "dataset", "models", "src", "submission")


class Answering:
    """Subclasses say what `answer(function, **values)` gives."""

    once = Student.once

    @cached_property
    def kept(self):
        return {}

    def call(self, function, /, *, read=None, **values):
        reply = self.answer(function, **values)
        return reply if read is None else read_reply(read, reply)


class Replies(Answering):
    """A student who answers the same to every question, or what `value(values)` gives."""

    def __init__(self, value):
        self.value = value

    def renew(self):
        pass

    def answer(self, function, /, **values):
        return self.value(values) if callable(self.value) else self.value


class InProcess(Answering):
    """A student whose code these student sides import into this process: ours only."""

    def __init__(self, *sides):
        self.sides = sides
        self.calls = 0

    def renew(self):
        for name in [module for module in sys.modules if module.split(".")[0] in OWN]:
            del sys.modules[name]

    def answer(self, function, /, *, seed=0, **values):
        self.calls += 1
        random.seed(seed)
        np.random.seed(seed)
        torch.default_generator.manual_seed(seed)  # the CPU's: for a GPU, the stack is kept
        side = next(side for side in self.sides if hasattr(side, function))
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                return _sent(getattr(side, function)(**copy.deepcopy(values)))
        except Exception as error:  # noqa: BLE001  as the worker does
            raise StudentRaised(str(error), kind=type(error).__name__) from None


def _sent(value):
    """The value with arrays for tensors, as a process sends it."""
    if isinstance(value, torch.Tensor):
        return value.detach().numpy()
    if isinstance(value, dict):
        return {key: _sent(part) for key, part in value.items()}
    return [_sent(part) for part in value] if isinstance(value, list) else value


def ask(check, **fixtures):
    """Run a check with those of these fixtures that it takes; its score."""
    fixtures = {"inputs": Inputs(), "score": Score(), **fixtures}
    check(**{name: fixtures[name] for name in inspect.signature(check).parameters})
    return fixtures["score"]


def earned(checks, **fixtures):
    """The points of each check; none if it fails, or one that it depends on."""
    marks = {check: check.pytestmark[0].kwargs for check in checks}
    passed, points = set(), {}
    for check in sorted(checks, key=lambda check: "depends_on" in marks[check]):
        name = check.__name__.removeprefix("test_").replace("_", "-")
        if not passed.issuperset(marks[check].get("depends_on", ())):
            continue
        with contextlib.suppress(CheckFailed, StudentFault):
            score = ask(check, **fixtures)
            passed.add(name)
            points[name] = (
                marks[check]["weight"] * verdict(Check(name, "", ""), None, score).fraction
            )
    return {name: value for name, value in points.items() if value}


def passing(refusals, calls):
    """The names of the calls that no refusal ends; whatever else they raise is raised."""
    names = []
    for name, call in calls.items():
        try:
            call()
        except refusals:
            continue
        names.append(name)
    return names
