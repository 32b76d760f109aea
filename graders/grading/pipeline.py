"""Grade one submission.

upload -> clean folder -> checks (trusted, here) <-> student's process (sandboxed) -> Result
"""

import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from graders import scoring
from graders.boundary.limits.resources import Resources
from graders.boundary.oracle import Oracle
from graders.boundary.side import Side
from graders.boundary.student import Budget, Student
from graders.checks.inputs import Inputs
from graders.checks.plugin import GradingPlugin, Material
from graders.checks.run import run_checks
from graders.checks.submitted import SubmittedFiles
from graders.checks.verdict import OURS, fault_line
from graders.data.course import open_course_data
from graders.errors import GraderFault, UserError
from graders.failures import read_hints, with_hints
from graders.grading.environment import environment_of
from graders.grading.options import Options
from graders.grading.rerun import open_rerun
from graders.grading.rival_files import ambiguous, best_of_rivals, notes_on_files, placed
from graders.grading.uploaded_files import (
    code_checksums,
    missing_files,
    without_replaced,
)
from graders.model import (
    Assignment,
    Check,
    CheckResult,
    CheckStatus,
    Result,
    Submission,
)
from graders.registry.check_files import outside_checks
from graders.registry.packages import refuse_missing
from graders.suite.process import open_suite
from submissions.receive import open_submission
from submissions.submission import CleanFolder, Rejected

PRINTED = 10_000  # characters of what the student's code printed, for staff


def grade_submission(submission: Submission, assignment: Assignment, options: Options) -> Result:
    """Return the Result of one submission; our own error makes it `incomplete`, never a zero.

    Raises UsageError if the assignment or the data folder is wrong, or a package is missing.
    """
    refuse_missing(assignment, options.only)
    started, clock = datetime.now(UTC), time.perf_counter()
    grading = _Grading(submission, assignment, options)
    try:
        result = grading.result(grading.run_with_one_retry())
    except UserError:
        raise
    except Rejected as error:
        result = grading.rejected(error)
    except Exception as error:  # noqa: BLE001  any error here is our fault and costs no points
        result = grading.ungraded(error)
    seconds = round(time.perf_counter() - clock, 3)
    return replace(result, started_at=started, seconds=seconds)


def ungraded(
    submission: Submission, assignment: Assignment, options: Options, error: Exception
) -> Result:
    """Return the Result of a submission that Softmark itself failed to grade."""
    return _Grading(submission, assignment, options).ungraded(error)


@dataclass(frozen=True, slots=True)
class _Run:
    """The results of all checks, what the Result says about the run, and if a sandbox failed."""

    results: Sequence[CheckResult]
    environment: Mapping[str, object]
    sandbox_failed: bool


class _Grading:
    """The grading of one submission; `environment` collects what its Result says about it."""

    def __init__(self, submission: Submission, assignment: Assignment, options: Options) -> None:
        self.submission = submission
        self.assignment = assignment
        self.options = options
        self.environment = environment_of(assignment, options)
        self._side = Side(assignment.folder)
        self._inputs = Inputs(options.inputs_seed, assignment.seed)

    def result(self, checks: Sequence[CheckResult]) -> Result:
        """Return the Result with these checks; the time is added later."""
        criteria = tuple(
            scoring.criterion_result(criterion, checks)
            for criterion in scoring.wanted_criteria(self.assignment, self.options.only)
        )
        return Result(
            submission=self.submission,
            assignment=self.assignment.name,
            version=self.assignment.version,
            title=self.assignment.title,
            status=scoring.result_status(criteria),
            criteria=criteria,
            score=scoring.total(criteria),
            max_score=scoring.maximum(graded.criterion for graded in criteria),
            environment=self.environment,
            started_at=datetime.now(UTC),
            seconds=0.0,
        )

    def ungraded(self, error: Exception) -> Result:
        """Return the Result after a fault of ours: no check is decided."""
        self.environment["faults"] = [fault_line(error, self.assignment.folder)]
        reason = f": {error}." if isinstance(error, GraderFault) else "."
        return self.result(_one_for_all(self.assignment, "error", OURS + reason))

    def rejected(self, error: Rejected) -> Result:
        """Return a Result without points, because nothing was graded; the maximum is unchanged."""
        self.environment["rejected"] = str(error)
        result = self.result(_one_for_all(self.assignment, "skipped", str(error)))
        criteria = tuple(replace(criterion, points=None) for criterion in result.criteria)
        return replace(result, status="rejected", score=None, criteria=criteria)

    def run_with_one_retry(self) -> Sequence[CheckResult]:
        """Run the checks; if a sandbox failed, run them once more to replace the failures.

        This way a brief shortage of memory leaves no check ungraded.
        """
        run = self._run()
        results = run.results
        if run.sandbox_failed:
            run = self._run()
            second = {result.id: result for result in run.results}
            results = [
                second.get(result.id, result) if result.status == "error" else result
                for result in results
            ]
        self.environment |= run.environment
        return with_hints(results, read_hints(self.assignment.folder))

    def _run(self) -> _Run:
        """Open the upload, start the student's process and run every check."""
        assignment, options = self.assignment, self.options
        if not os.path.lexists(self.submission.path):
            raise GraderFault(f"{self.submission.path.name} is not on this machine")
        with tempfile.TemporaryDirectory(prefix="softmark-", ignore_cleanup_errors=True) as work:
            clean = open_submission(
                self.submission,
                Path(work) / "upload",
                code=assignment.files.code,
                artifacts=assignment.files.artifacts,
                whole=assignment.files.whole,
            )
            seed, budget = self._inputs.seed("process"), Budget(assignment.limits.total_seconds)
            with (
                open_course_data(assignment.data, options.data) as data,
                self._process(clean.code, budget) as student,
                self._sandbox(budget) as sandbox,
                open_rerun(clean.code, assignment, options.rerun, options.tier) as rerun,
                open_suite(clean.code, assignment, options.tier, seed, budget) as suite,
            ):
                files = SubmittedFiles(clean.files)
                material = Material(student, sandbox, files, data, rerun, self._inputs, suite)
                return self._run_on(material, clean, budget)

    def _run_on(self, material: Material, clean: CleanFolder, budget: Budget) -> _Run:
        """Run every check on the opened upload."""
        assignment, student, suite = self.assignment, material.student, material.suite
        criteria = scoring.wanted_criteria(assignment, self.options.only)
        plugin = self._run_checks(material, self.options.only)
        results: Sequence[CheckResult] = plugin.results
        notes: Sequence[str] = suite.notes if suite else ()
        # Of all files: the next step removes some.
        missing = missing_files(assignment, criteria, clean)
        checksums = code_checksums(assignment, clean)
        if clean.code is not None and suite is None:
            again = partial(self._judge_again, clean.code, budget, material)
            results, file_notes = placed(results, student), notes_on_files(student)
            results, notes = best_of_rivals(results, assignment, clean.code, student, again)
            notes = [*file_notes, *notes]
        environment: dict[str, object] = {
            "intake": [*clean.notes, *notes],
            "missing": [*without_replaced(missing, notes)],
            "code": checksums,
            "data": material.data.description,
        }
        if self.options.rerun is not None:
            environment["rerun"] = self.options.rerun.in_words
        environment["student_process"] = dict(student.environment)
        environment["printed"] = student.output[:PRINTED]
        trained = (material.rerun.student,) if material.rerun is not None else ()
        tested = suite.students.values() if suite is not None else ()
        environment |= _resources(student, *trained, *tested)
        if plugin.faults:
            environment["faults"] = plugin.faults
        if plugin.found_fingerprints:
            environment["fingerprints"] = plugin.found_fingerprints
        return _Run(results, environment, plugin.sandbox_failed)

    def _run_checks(self, material: Material, only: frozenset[str] | None) -> GradingPlugin:
        """Run the checks of these criteria, or all; the plugin has their results."""
        plugin = GradingPlugin(self.assignment, material, only)
        run_checks(self.assignment.folder, plugin, also=outside_checks(self.assignment))
        return plugin

    def _judge_again(
        self, code: Path, budget: Budget, material: Material, only: frozenset[str]
    ) -> tuple[Sequence[CheckResult], Sequence[Path]]:
        """Grade some criteria again on the remaining files; once more if a sandbox failed."""
        for _ in range(2):
            with self._process(code, budget) as student:
                plugin = self._run_checks(replace(material, student=student), only)
                outcome = placed(plugin.results, student), ambiguous(student, code)
            if not plugin.sandbox_failed:
                break
        return outcome

    def _process(self, code: Path | None, budget: Budget) -> Student:
        """Return a sandboxed process for this code; it starts at the first call."""
        return Student(
            code,
            self._side,
            self.assignment.limits,
            seed=self._inputs.seed("process"),
            tier=self.options.tier,
            preload=self.assignment.preload,
            budget=budget,
        )

    def _sandbox(self, budget: Budget) -> Student:
        """Return a process without the student's code: the oracle's, or else the student side's.

        The student side reads the student's files there, so its time counts for the submission.
        """
        oracle = Side(self.assignment.folder, "oracle")
        if not oracle.callable_files:
            return self._process(None, budget)
        return Oracle(
            oracle,
            self.assignment.limits,
            seed=self._inputs.seed("process"),
            tier=self.options.tier,
            preload=self.assignment.preload,
        )


def _resources(*processes: Student) -> dict[str, object]:
    """Return what the processes with the student's code used together, if one was started."""
    used = Resources()
    for process in processes:
        used = used.plus(process.resources)
    if used == Resources():
        return {}
    return {"resources": asdict(used) | {"cpu_seconds": round(used.cpu_seconds, 3)}}


def _one_for_all(
    assignment: Assignment, status: CheckStatus, message: str
) -> tuple[CheckResult, ...]:
    """Return one check per criterion that says why nothing was graded."""
    return tuple(
        CheckResult(
            Check("submission", "The submission can be opened and graded.", criterion.id),
            status,
            0.0,
            message,
        )
        for criterion in assignment.rubric
    )
