"""The pytest plugin of one submission: fixtures for checks, and a verdict for each of them.

    check file --- fixtures: student, sandbox, rerun, submitted, data, settings, inputs, score,
        |                  fingerprints
        |  returns, or raises CheckFailed / StudentFault / anything else
        v
    verdict()  --- passed | partial | failed | skipped | error   (never a pytest exit status)

Every check that was collected leaves a CheckResult, whatever happened to it.
"""

import time
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from hypothesis import is_hypothesis_test, seed

from graders.boundary.student import Student
from graders.checks.collected import (
    check_of,
    refuse_late_grounds,
    refuse_unknown_fixtures,
    refuse_unknown_grounds,
)
from graders.checks.inputs import Inputs
from graders.checks.patience import GRACE, at_most
from graders.checks.score import Score
from graders.checks.submitted import SubmittedFiles
from graders.checks.verdict import cause_of, fault_line, verdict
from graders.data.course import CourseData
from graders.errors import GraderFault, SandboxFailed
from graders.model import SHOWN_LATER, Assignment, Check, CheckResult, Setting

if TYPE_CHECKING:  # rooms above this one: their types alone are named here
    from graders.grading.rerun import Rerun
    from graders.suite.process import Suite


@dataclass(frozen=True, slots=True)
class Material:
    """What the checks of one submission look at.

    `sandbox` is a second process like the student's that holds none of their code: a file whose
    reading could run code is opened there. `rerun` trains anew, where that was asked for.
    """

    student: Student
    sandbox: Student
    submitted: SubmittedFiles
    data: CourseData
    rerun: "Rerun | None" = None
    inputs: Inputs = Inputs()  # noqa: RUF009  frozen
    suite: "Suite | None" = None

    @property
    def processes(self) -> tuple[Student, ...]:
        """Those whose time is counted check by check."""
        return (self.student, self.sandbox, *(self.suite.students.values() if self.suite else ()))


class GradingPlugin:
    """Runs the checks of one assignment on one submission and keeps what they found."""

    def __init__(
        self,
        assignment: Assignment,
        material: Material,
        only: frozenset[str] | None = None,
    ) -> None:
        self._assignment = assignment
        self._material = material
        self._only = only
        self._checks: dict[str, Check] = {}
        self._scores: dict[str, Score] = {}
        self._results: dict[str, CheckResult] = {}
        self._criterion = ""
        self.faults: list[str] = []
        self.sandbox_failed = False  # for at least one check; a second run may succeed
        self.found_fingerprints: dict[str, str] = {}

    @property
    def results(self) -> tuple[CheckResult, ...]:
        """One result per collected check, in the order of the files; none is ever missing."""
        lost = GraderFault("the check did not run")
        return tuple(
            self._results.get(check.id) or verdict(check, lost) for check in self._checks.values()
        )

    @pytest.fixture
    def student(self) -> Student:
        """The student's process."""
        return self._material.student

    @pytest.fixture
    def sandbox(self) -> Student:
        """A process as well fenced in as the student's, without their code; started when asked."""
        return self._material.sandbox

    @pytest.fixture
    def submitted(self) -> SubmittedFiles:
        """The files handed in beside the code."""
        return self._material.submitted

    @pytest.fixture
    def rerun(self) -> "Rerun | None":
        """The process that trains anew; without `--rerun` no check that asks for it is run."""
        return self._material.rerun

    @pytest.fixture
    def suite(self) -> "Suite | None":
        """The process of the assignment's unittest suite; ours alone asks for it."""
        return self._material.suite

    @pytest.fixture
    def data(self) -> CourseData:
        """The course's files, or what is embedded in their place."""
        return self._material.data

    @pytest.fixture
    def settings(self) -> Mapping[str, Setting]:
        """The [settings] of assignment.toml."""
        return self._assignment.settings

    @pytest.fixture
    def inputs(self) -> Inputs:
        """What the questions to the student's code are drawn from."""
        return self._material.inputs

    @pytest.fixture
    def fingerprints(self) -> dict[str, str]:
        """For checks to fill: the name of a file and the sha256 of what it says.

        Staff compare them across submissions; no student sees them.
        """
        return self.found_fingerprints

    @pytest.fixture
    def score(self, request: pytest.FixtureRequest) -> Score:
        """Partial credit and notes of the check that asks for it."""
        return self._scores[request.node.nodeid]

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the checks that were asked for; refuse all if one names what does not exist."""
        wanted: list[pytest.Item] = []
        checks = [check_of(item, self._assignment) for item in items]
        refuse_unknown_grounds(checks)
        refuse_late_grounds(checks)
        for item, check in zip(items, checks, strict=True):
            refuse_unknown_fixtures(item)
            if self._material.rerun is None and "rerun" in getattr(item, "fixturenames", ()):
                continue
            if self._only is None or check.criterion in self._only:
                self._checks[item.nodeid] = check
                self._scores[item.nodeid] = Score()
                self._draw_examples(item)
                wanted.append(item)
        items[:] = wanted

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, None, None]:
        """Turns whatever ends the check into its result; pytest sees every check pass."""
        check = self._checks[item.nodeid]
        for process in self._material.processes:
            if check.criterion != self._criterion:
                process.begin_criterion()
            process.begin_check()
        self._criterion = check.criterion
        started = time.perf_counter()
        problem: BaseException | None = None
        try:
            with at_most(self._patience()):
                yield
        except (KeyboardInterrupt, pytest.exit.Exception):
            raise
        except BaseException as error:  # noqa: BLE001  a check may end in any way, also skip()
            problem = error
        seconds = time.perf_counter() - started
        if check.id not in self._results:
            result = verdict(check, problem, self._scores[item.nodeid], seconds)
            self._record(check, result, problem)

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool | None:
        """Skip a check if one that it depends on did not pass; it keeps its weight."""
        check = self._checks[pyfuncitem.nodeid]
        blocker = self._blocker(check)
        if blocker is None:
            return None
        self._results[check.id] = blocker
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """A fixture that fails is our fault: the check could not run."""
        if call.when == "setup" and call.excinfo is not None:
            check = self._checks[item.nodeid]
            problem = call.excinfo.value
            self._record(check, verdict(check, problem), problem)
        return (yield)

    def _draw_examples(self, item: pytest.Item) -> None:
        """Let hypothesis draw from the inputs; derandomized it would ask everybody the same."""
        if isinstance(item, pytest.Function) and is_hypothesis_test(item.obj):
            seed(self._material.inputs.seed("examples", item.name))(item.obj)

    def _patience(self) -> float:
        """Seconds that a check may take, the student's own among them."""
        rerun = self._material.rerun
        student = self._assignment.limits.wall_seconds
        return student + GRACE + (rerun.plan.wall_seconds if rerun is not None else 0.0)

    def _record(self, check: Check, result: CheckResult, problem: BaseException | None) -> None:
        self._results[check.id] = result
        if result.status == "error" and problem is not None:
            cause = cause_of(problem)
            line = fault_line(cause, self._assignment.folder)
            self.faults.append(f"{check.id}: {line}")
            self.sandbox_failed |= isinstance(cause, SandboxFailed)

    def _blocker(self, check: Check) -> CheckResult | None:
        for name in check.depends_on:
            before = self._results.get(name)
            if before is None or before.status in ("passed", "partial"):
                continue
            named = self._may_name(check, before.check)
            if before.status == "error":
                ground = f"`{name}`" if named else "something shown later"
                return verdict(check, GraderFault(f"it builds on {ground}, which could not run"))
            return CheckResult(
                check, "skipped", 0.0, _because(before) if named else SHOWN_LATER, outcome="blocked"
            )
        return None

    def _may_name(self, check: Check, ground: Check) -> bool:
        """Return True if everyone who can see one check can also see the other."""
        seen = {each.id: each.visibility for each in self._assignment.rubric}
        return seen[ground.criterion] in ("visible", seen[check.criterion])


def _because(before: CheckResult) -> str:
    """Name the check at the start of the chain that failed, not one that was skipped as well."""
    if before.outcome == "blocked":
        return before.message
    ended = "was skipped" if before.status == "skipped" else "failed"
    return f"Skipped because this {ended}: {before.check.description}"
