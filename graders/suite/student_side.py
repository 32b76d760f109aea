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
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from gradescope_utils.autograder_utils import (  # type: ignore[import-untyped]
    decorators,
    files,
)

__all__ = ["decorators", "run_test"]

MOST = 20_000  # characters of output: a longer reply could be too large to be sent
Raised = tuple[type[BaseException], BaseException, TracebackType] | tuple[None, None, None]


class _GradescopeResult(unittest.TestResult):
    """Keep what tests printed and raised in Gradescope's wording; a subtest counts like its test.

    As in gradescope-utils, `sys.stdout.getvalue()` in a test is what this test has printed.
    """

    def __init__(self) -> None:
        super().__init__()
        self.buffer = True
        self._stdout_buffer, self._stderr_buffer = self._streams = (io.StringIO(), io.StringIO())
        self.printed = ""
        self.said: list[str] = []

    def stopTest(self, test: unittest.TestCase) -> None:
        self.printed = "".join(stream.getvalue() for stream in self._streams)
        self._mirrorOutput = False  # else it is printed, too
        super().stopTest(test)

    def addError(self, test: unittest.TestCase, err: Raised) -> None:
        super().addError(test, err)
        self.said.append(_sentence(err[1]))

    def addFailure(self, test: unittest.TestCase, err: Raised) -> None:
        super().addFailure(test, err)
        self.said.append(f"Test Failed: {_message(err[1])}")

    def addSubTest(
        self, test: unittest.TestCase, subtest: unittest.TestCase, err: Raised | None
    ) -> None:
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.said.append(f"Test Failed: {_message(err[1])}")

    def outcome(self) -> str:
        """Return the worst outcome; a test that never ran did not pass."""
        if self.errors or (self.testsRun == 0 and not self.skipped):
            return "error"
        if self.failures or self.unexpectedSuccesses:
            return "failed"
        return "skipped" if self.skipped else "passed"


def _sentence(error: BaseException | None) -> str:
    return f"{type(error).__name__}: {_message(error)}"


def _message(error: BaseException | None) -> str:
    """Return the text of an error, or nothing if the student's `__str__` raises one itself."""
    try:
        return str(error)
    except BaseException:  # noqa: BLE001  a score that was set must not be lost
        return ""


def run_test(folder: str, module: str, case: str, method: str) -> dict[str, Any]:
    """Run one test; return its outcome, score and leaderboard value as set, and output."""
    _lay_out(folder)
    _end_softly()
    test, outcome, printed = None, "error", io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        result = _GradescopeResult()
        try:
            test = getattr(importlib.import_module(module), case)(method)
            unittest.TestSuite([test])(result)
            outcome = result.outcome()
        except Exception as error:  # noqa: BLE001  a module may raise anything when imported
            result.said.append(_sentence(error))
    bound = getattr(test, method, None)
    score, value = (getattr(bound, name, None) for name in ("__score__", "__leaderboard_value__"))
    reasons = [str(reason) for _, reason in result.skipped]
    said = [printed.getvalue(), result.printed, *result.said, *reasons]
    return {
        "outcome": outcome,
        "score": None if score is None else float(score),
        "output": _ends("\n".join(filter(None, said))),
        "value": None if value is None else str(value)[:MOST],
    }


def _ends(text: str) -> str:
    """Return the text, or its beginning and its end: the reason of a failure comes last."""
    return text if len(text) <= MOST else f"{text[: MOST // 2]}\n…\n{text[-MOST // 2 :]}"


def _end_softly() -> None:
    """Send SIGTERM instead of SIGKILL, which the sandbox refuses.

    Otherwise `subprocess.run(..., timeout=1)` could not end the program, and would wait for it.
    """
    for name in {"kill", "killpg"} & vars(os).keys():
        setattr(os, name, _softly(getattr(os, name)))


def _softly(send: Callable[[int, int], None]) -> Callable[[int, int], None]:
    return lambda target, number: send(target, 15 if number == 9 else number)


def _lay_out(folder: str) -> None:
    """Lay out the files as on Gradescope: student's code and tests in a writable folder.

    Tests that start `python3` get this interpreter.
    """
    work = Path.cwd() / "source"
    shutil.copytree(sys.path[0], work)
    os.chdir(work)
    sys.path[:1] = [str(work / folder), str(work)]
    os.environ["PATH"] = os.pathsep.join((os.path.dirname(sys.executable), os.environ["PATH"]))
    files.check_submitted_files.__defaults__ = (str(work),)
