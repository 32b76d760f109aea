"""Run the checks of A4's code criteria like graders without a boundary, in one process.

    pytest test_submission.py                                              see batch.py
    python benchmarks/support/batch_in_process.py CODE MODULE,MODULE               gradescope-utils

The same check functions call an in-process replacement of the student, so the only difference from
Softmark is where the student's code runs.
"""

import atexit
import contextlib
import importlib
import inspect
import random
import sys
import tomllib
import unittest
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from gradescope_utils.autograder_utils import (  # type: ignore[import-untyped, import-not-found, unused-ignore]
    decorators,
    json_test_runner,
)

from graders.boundary.child.worker import _to_value
from graders.boundary.side import Side
from graders.boundary.student import Student
from graders.checks.inputs import Inputs
from graders.checks.run import surroundings
from graders.checks.score import Score
from graders.errors import StudentRaised

CHECKS = Path(__file__).resolve().parents[2] / "graders" / "assignments" / "cs224n_a4"
PACKAGE, SIDE = "graders.assignments.cs224n_a4", Side(CHECKS)
SETTINGS = tomllib.loads((CHECKS / "assignment.toml").read_text(encoding="utf-8"))

KEPT = contextlib.ExitStack()  # contexts that stay open as long as this process
atexit.register(KEPT.close)


def open_code(code: str) -> None:
    """Let imports find the checks and the student's modules, for the rest of this process."""
    KEPT.enter_context(surroundings(CHECKS))
    sys.path[:0] = [code]
    sys.path.append(str(CHECKS / "standins"))
    torch.set_num_threads(1)


def _as_it_is(reply: Any) -> Any:
    return reply


class InProcess:
    """Answers like a Student, by calling the student side in this process."""

    once = Student.once

    def __init__(self) -> None:
        self.kept: dict[object, Any] = {}

    def call(
        self, function: str, /, *, read: Callable[[Any], Any] = _as_it_is, **values: Any
    ) -> Any:
        """Return the result of this function of the student side, converted by `read`."""
        seed = values.pop("seed", SETTINGS["seed"])
        random.seed(seed)
        np.random.seed(seed)
        torch.manual_seed(seed)
        try:
            home = importlib.import_module(f"{PACKAGE}.{SIDE.module_of(function)}")
            reply = getattr(home, function)(**values)
            value = _to_value(reply, 0)  # with arrays instead of tensors
        except Exception as error:
            text = f"Your code raised {type(error).__name__}: {error}"
            raise StudentRaised(text, "", type(error).__name__) from error
        return read(value)


@pytest.fixture
def student() -> InProcess:
    """Return the student's code."""
    return InProcess()


@pytest.fixture
def settings() -> Mapping[str, Any]:
    """Return the edition's settings."""
    return SETTINGS["settings"]  # type: ignore[no-any-return]


@pytest.fixture
def inputs() -> Inputs:
    """Return the public draw."""
    return Inputs()


@pytest.fixture
def score() -> Score:
    """Return partial credit, which nobody reads here."""
    return Score()


# ---------------------------------------------------------------- gradescope-utils


class Checks(unittest.TestCase):
    """One method per check, added below."""


def _add(check: Callable[..., None], points: float, shared: Mapping[str, Any]) -> None:
    def method(_self: unittest.TestCase) -> None:
        fixtures = {"score": Score()}
        check(
            **{name: {**shared, **fixtures}[name] for name in inspect.signature(check).parameters}
        )

    setattr(Checks, check.__name__, decorators.weight(points)(method))


def grade_with_gradescope(code: str, modules: tuple[str, ...]) -> None:
    """Run the checks with its JSONTestRunner and write results.json here."""
    open_code(code)
    reader = importlib.import_module(f"{PACKAGE}.span_corruption.reader").Reader(
        InProcess(), SETTINGS["settings"], Inputs(), {}
    )
    fixtures = {"student": InProcess(), "reader": reader, "settings": SETTINGS["settings"]}
    fixtures["inputs"] = Inputs()
    for name in modules:
        for check in vars(importlib.import_module(name)).values():
            if callable(check) and getattr(check, "__name__", "").startswith("test_"):
                _add(check, 1, fixtures)
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(Checks)
    with Path("results.json").open("w", encoding="utf-8") as stream:
        json_test_runner.JSONTestRunner(stream=stream, visibility="visible").run(suite)


if __name__ == "__main__":
    grade_with_gradescope(sys.argv[1], tuple(sys.argv[2].split(",")))
