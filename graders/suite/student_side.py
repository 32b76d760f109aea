"""The student side of a suite: run one unittest method per process and return its result.

    a fresh child -> copy the files, change to that folder -> import -> one method -> reply

Student code shares this process with the test and can make it reply anything; the code that reads
the reply expects that. A score lives as long as the process, so the next test cannot inherit it.
"""

import contextlib
import importlib
import io
import os
import shutil
import sys
import unittest
from pathlib import Path
from types import TracebackType
from typing import Any

from gradescope_utils.autograder_utils import (  # type: ignore[import-untyped]
    decorators,
    files,
)

__all__ = ["decorators", "run_test"]

MOST = 20_000  # characters of what a test prints
Raised = tuple[type[BaseException], BaseException, TracebackType] | tuple[None, None, None]


class _GradescopeResult(unittest.TestResult):
    """Keep what tests raised in Gradescope's wording; a subtest counts like its test."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    def addError(self, test: unittest.TestCase, err: Raised) -> None:
        super().addError(test, err)
        self.said.append(f"{type(err[1]).__name__}: {err[1]}")

    def addFailure(self, test: unittest.TestCase, err: Raised) -> None:
        super().addFailure(test, err)
        self.said.append(f"Test Failed: {err[1]}")

    def addSubTest(
        self, test: unittest.TestCase, subtest: unittest.TestCase, err: Raised | None
    ) -> None:
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.said.append(f"Test Failed: {err[1]}")

    def outcome(self) -> str:
        """Return the worst outcome; a test that never ran did not pass."""
        if self.errors or (self.testsRun == 0 and not self.skipped):
            return "error"
        if self.failures or self.unexpectedSuccesses:
            return "failed"
        return "skipped" if self.skipped else "passed"


def run_test(folder: str, module: str, case: str, method: str) -> dict[str, Any]:
    """Run one test; return its outcome, score and leaderboard value as set, and output."""
    _lay_out(folder)
    result, printed = _GradescopeResult(), io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            test = getattr(importlib.import_module(module), case)(method)
            unittest.TestSuite([test])(result)
        except Exception as error:  # noqa: BLE001  a module may raise anything when imported
            result.said.append(f"{type(error).__name__}: {error}")
            test = None
    bound = getattr(test, method, None)
    score, value = (getattr(bound, name, None) for name in ("__score__", "__leaderboard_value__"))
    reasons = [reason for _, reason in result.skipped]
    return {
        "outcome": result.outcome(),
        "score": None if score is None else float(score),
        "output": "\n".join(filter(None, [printed.getvalue()[:MOST], *result.said, *reasons])),
        "value": None if value is None else str(value),
    }


def _lay_out(folder: str) -> None:
    """Lay out the files as on Gradescope: student's code and tests in a writable folder."""
    work = Path.cwd() / "source"
    shutil.copytree(sys.path[0], work)
    os.chdir(work)
    sys.path[:1] = [str(work / folder), str(work)]
    files.check_submitted_files.__defaults__ = (str(work),)
