"""The pytest plugin for one submission: fixtures for checks, and a verdict for each of them.

    check file --- fixtures: student, sandbox, rerun, submitted, data, settings, inputs, score,
        |                  fingerprints
        |  returns, or raises CheckFailed / StudentFault / anything else
        v
    verdict()  --- passed | partial | failed | skipped | needs_review | error
                   (never a pytest exit status)

Every collected check gets a CheckResult, whatever happens to it.
"""

import time
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from hypothesis import is_hypothesis_test, seed

from graders.boundary.student import Student
from graders.checks.check_functions import (
    check_of,
    refuse_unknown_fixtures,
    refuse_wrong_ids,
    refuse_wrong_order,
)
from graders.checks.inputs import Inputs
from graders.checks.score import Score
from graders.checks.submitted import SubmittedFiles
from graders.checks.time_limit import GRACE, limit_time
from graders.checks.verdict import cause_of, fault_line, verdict
from graders.data.course import CourseData
from graders.errors import GraderFault, SandboxFailed
from graders.model import SHOWN_LATER, Assignment, Check, CheckResult, Setting

if TYPE_CHECKING:  # these rooms are above this one: only their types are used here
    from graders.grading.rerun import Rerun
    from graders.suite.process import Suite


@dataclass(frozen=True, slots=True)
class Material:
    """Everything that the checks of one submission use.

    `sandbox` is a second process like the student's, without their code: files that could run code
    when read are opened there. `rerun` trains from scratch, if requested.
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
        """The processes whose time is counted per check."""
        return (self.student, self.sandbox, *(self.suite.students.values() if self.suite else ()))


class GradingPlugin:
    """Run the checks of one assignment on one submission and keep their results."""

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
        self.sandbox_failed = False  # True after a failure in any check; a second run may succeed
        self.found_fingerprints: dict[str, str] = {}

    @property
    def results(self) -> tuple[CheckResult, ...]:
        """One result per collected check, in the order of the files, without exception."""
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
        """A process in the same sandbox but without the student's code; started when needed."""
        return self._material.sandbox

    @pytest.fixture
    def submitted(self) -> SubmittedFiles:
        """The submitted files that are not code."""
        return self._material.submitted

    @pytest.fixture
    def rerun(self) -> "Rerun | None":
        """The process that trains from scratch; checks that use it run only with `--rerun`."""
        return self._material.rerun

    @pytest.fixture
    def suite(self) -> "Suite | None":
        """The process of the assignment's unittest suite; only Softmark's own check uses it."""
        return self._material.suite

    @pytest.fixture
    def data(self) -> CourseData:
        """The course's data, or the built-in data."""
        return self._material.data

    @pytest.fixture
    def settings(self) -> Mapping[str, Setting]:
        """The [settings] of assignment.toml."""
        return self._assignment.settings

    @pytest.fixture
    def inputs(self) -> Inputs:
        """The source of the check's random inputs."""
        return self._material.inputs

    @pytest.fixture
    def fingerprints(self) -> dict[str, str]:
        """A dict for checks to fill: the name of a file and the sha256 of its content.

        Staff compare them across submissions; students don't see them.
        """
        return self.found_fingerprints

    @pytest.fixture
    def score(self, request: pytest.FixtureRequest) -> Score:
        """The partial credit and notes of the check that uses this fixture."""
        return self._scores[request.node.nodeid]

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the requested checks; raise UsageError if any check is declared wrongly."""
        requested: list[pytest.Item] = []
        checks = [check_of(item, self._assignment) for item in items]
        refuse_wrong_ids(checks)
        refuse_wrong_order(checks)
        for item, check in zip(items, checks, strict=True):
            refuse_unknown_fixtures(item)
            if self._material.rerun is None and "rerun" in getattr(item, "fixturenames", ()):
                continue
            if self._only is None or check.criterion in self._only:
                self._checks[item.nodeid] = check
                self._scores[item.nodeid] = Score()
                self._draw_examples(item)
                requested.append(item)
        items[:] = requested

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, None, None]:
        """Turn the end of the check into its result; for pytest, every check passes."""
        check = self._checks[item.nodeid]
        for process in self._material.processes:
            if check.criterion != self._criterion:
                process.begin_criterion()
            process.begin_check()
        self._criterion = check.criterion
        started = time.perf_counter()
        problem: BaseException | None = None
        try:
            with limit_time(self._patience()):
                yield
        except (KeyboardInterrupt, pytest.exit.Exception):
            raise
        except BaseException as error:  # noqa: BLE001  a check may raise anything, also skip()
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
        """Record a failed fixture as our fault, because the check could not run."""
        if call.when == "setup" and call.excinfo is not None:
            check = self._checks[item.nodeid]
            problem = call.excinfo.value
            self._record(check, verdict(check, problem), problem)
        return (yield)

    def _draw_examples(self, item: pytest.Item) -> None:
        """Seed hypothesis from the inputs; otherwise everyone would get the same examples."""
        if isinstance(item, pytest.Function) and is_hypothesis_test(item.obj):
            seed(self._material.inputs.seed("examples", item.name))(item.obj)

    def _patience(self) -> float:
        """Return how many seconds a check may take, including the student's code."""
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
                what = f"`{name}`" if named else "something shown later"
                return verdict(check, GraderFault(f"it depends on {what}, which could not run"))
            return CheckResult(
                check, "skipped", 0.0, _because(before) if named else SHOWN_LATER, outcome="blocked"
            )
        return None

    def _may_name(self, check: Check, dependency: Check) -> bool:
        """Return True if everyone who can see one check can also see the other."""
        seen = {criterion.id: criterion.visibility for criterion in self._assignment.rubric}
        return seen[dependency.criterion] in ("visible", seen[check.criterion])


def _because(before: CheckResult) -> str:
    """Name the check that failed at the start of the chain, not one that was skipped, too."""
    if before.outcome == "blocked":
        return before.message
    ended = {"skipped": "was skipped", "needs_review": "waits for a person's decision"}
    return f"Skipped because this {ended.get(before.status, 'failed')}: {before.check.description}"
