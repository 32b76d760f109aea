"""Grade one submission.

upload -> clean folder -> checks (trusted, here) <-> student's process (sandboxed) -> Result
"""

import os
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from graders import scoring
from graders.boundary.limits.resources import Resources
from graders.boundary.side import Side
from graders.boundary.student import Budget, Student
from graders.boundary.tiers.sandbox import Tier
from graders.checks.inputs import PUBLIC, Inputs
from graders.checks.plugin import GradingPlugin, Material
from graders.checks.run import run_checks
from graders.checks.submitted import SubmittedFiles
from graders.checks.verdict import OURS, fault_line
from graders.data.course import open_course_data
from graders.errors import GraderFault, UserError
from graders.grading.environment import environment_of
from graders.grading.rerun import RerunPlan, open_rerun
from graders.grading.taken import ambiguous, best_of_rivals, notes_on_files, placed
from graders.grading.uploaded import code_prints, missing_files
from graders.model import (
    Assignment,
    Check,
    CheckResult,
    CheckStatus,
    Result,
    Submission,
)
from graders.registry.check_files import also
from graders.registry.packages import refuse_missing
from graders.suite.process import open_suite
from submissions.receive import open_submission
from submissions.submission import Rejected


@dataclass(frozen=True, slots=True)
class Options:
    """How to grade: the criteria, the data and the sandbox.

    `draw` is the seed of the checks' random inputs: PUBLIC, or a secret known only to staff.
    """

    tier: Tier
    data: Path | None = None
    only: frozenset[str] | None = None
    device: str = "cpu"
    rerun: RerunPlan | None = None
    draw: int = field(default=PUBLIC, repr=False)


@dataclass(frozen=True, slots=True)
class GradingRequest:
    """An assignment, and how to grade its submissions."""

    assignment: Assignment
    options: Options


def grade_submission(submission: Submission, assignment: Assignment, options: Options) -> Result:
    """Return the Result of one submission; our own error makes it `incomplete`, never a zero.

    Raises UsageError if the assignment or the data folder is wrong, or a package is missing.
    """
    refuse_missing(assignment, options.only)
    started, clock = datetime.now(UTC), time.perf_counter()
    environment = _environment(assignment, options)
    try:
        checks = _run_twice_at_most(submission, assignment, options, environment)
    except UserError:
        raise
    except Rejected as error:
        result = _rejected(submission, assignment, options, environment, error)
    except Exception as error:  # noqa: BLE001  any error here is our fault and costs no points
        result = excused(submission, assignment, options, error, environment)
    else:
        result = _result(submission, assignment, options, environment, checks)
    seconds = round(time.perf_counter() - clock, 3)
    return replace(result, started_at=started, seconds=seconds)


def excused(
    submission: Submission,
    assignment: Assignment,
    options: Options,
    error: Exception,
    environment: dict[str, object] | None = None,
) -> Result:
    """Return the Result of a submission that Softmark itself failed to grade."""
    environment = environment or _environment(assignment, options)
    environment["faults"] = [fault_line(error, assignment.folder)]
    reason = f": {error}." if isinstance(error, GraderFault) else "."
    checks = _one_for_all(assignment, "error", OURS + reason)
    return _result(submission, assignment, options, environment, checks)


def _rejected(
    submission: Submission,
    assignment: Assignment,
    options: Options,
    environment: dict[str, object],
    error: Rejected,
) -> Result:
    """Return a Result without points, because nothing was graded; the maximum is unchanged."""
    environment["rejected"] = str(error)
    checks = _one_for_all(assignment, "skipped", str(error))
    result = _result(submission, assignment, options, environment, checks)
    criteria = tuple(replace(each, points=None) for each in result.criteria)
    return replace(result, status="rejected", score=None, criteria=criteria)


def _result(
    submission: Submission,
    assignment: Assignment,
    options: Options,
    environment: dict[str, object],
    checks: Sequence[CheckResult],
) -> Result:
    criteria = tuple(
        scoring.criterion_result(criterion, checks)
        for criterion in scoring.wanted_criteria(assignment, options.only)
    )
    return Result(
        submission=submission,
        assignment=assignment.name,
        version=assignment.version,
        title=assignment.title,
        status=scoring.result_status(criteria),
        criteria=criteria,
        score=scoring.total(criteria),
        max_score=scoring.maximum(each.criterion for each in criteria),
        environment=environment,
        started_at=datetime.now(UTC),
        seconds=0.0,
    )


def _run_twice_at_most(
    submission: Submission,
    assignment: Assignment,
    options: Options,
    environment: dict[str, object],
) -> Sequence[CheckResult]:
    """Run the checks; if a sandbox failed, run them once more to replace the failures.

    This way a brief shortage of memory leaves no check ungraded.
    """
    found = dict(environment)
    results, failed = _run(submission, assignment, options, found)
    if failed:
        found = dict(environment)
        again, _ = _run(submission, assignment, options, found)
        second = {each.check.id: each for each in again}
        results = [
            second.get(each.check.id, each) if each.status == "error" else each for each in results
        ]
    environment |= found
    return results


def _run(
    submission: Submission,
    assignment: Assignment,
    options: Options,
    environment: dict[str, object],
) -> tuple[Sequence[CheckResult], bool]:
    """Open the upload, start the student's process and run every check.

    Also return whether a sandbox failed.
    """
    if not os.path.lexists(submission.path):
        raise GraderFault(f"{submission.path.name} is not on this machine")
    with tempfile.TemporaryDirectory(prefix="softmark-", ignore_cleanup_errors=True) as work:
        clean = open_submission(
            submission,
            Path(work) / "upload",
            code=assignment.files.code,
            artifacts=assignment.files.artifacts,
            whole=assignment.files.whole,
        )
        seed = _inputs(assignment, options).seed("process")
        budget = Budget(assignment.limits.total_seconds)
        with (
            open_course_data(assignment.data, options.data) as data,
            _process(Side(assignment.folder), clean.code, assignment, options, budget) as student,
            _sandbox(assignment, options, budget) as sandbox,
            open_rerun(clean.code, assignment, options.rerun, options.tier) as rerun,
            open_suite(clean.code, assignment, options.tier, seed, budget) as suite,
        ):
            environment["intake"] = [*clean.notes, *(suite.notes if suite else ())]
            wanted = scoring.wanted_criteria(assignment, options.only)
            environment["missing"] = missing_files(assignment, wanted, clean)
            environment["code"] = code_prints(assignment, clean)
            environment["data"] = data.description
            if options.rerun is not None:
                environment["rerun"] = options.rerun.in_words
            files, inputs = SubmittedFiles(clean.files), _inputs(assignment, options)
            material = Material(student, sandbox, files, data, rerun, inputs, suite)
            plugin = GradingPlugin(assignment, material, options.only)
            run_checks(assignment.folder, plugin, also=also(assignment))
            results: Sequence[CheckResult] = plugin.results
            if clean.code is not None and suite is None:
                again = partial(
                    _process, Side(assignment.folder), clean.code, assignment, options, budget
                )
                judge = partial(_judge_again, clean.code, assignment, again, material)
                results, said = placed(results, student), notes_on_files(student)
                results, notes = best_of_rivals(results, assignment, clean.code, student, judge)
                environment["intake"] = [*clean.notes, *said, *notes]
            environment["student_process"] = dict(student.environment)
            trained = (rerun.student,) if rerun is not None else ()
            tested = suite.students.values() if suite is not None else ()
            environment |= _resources(student, *trained, *tested)
        if plugin.faults:
            environment["faults"] = plugin.faults
        if plugin.found_fingerprints:
            environment["fingerprints"] = plugin.found_fingerprints
        return results, plugin.sandbox_failed


def _judge_again(
    code: Path,
    assignment: Assignment,
    opened: Callable[[], Student],
    material: Material,
    only: frozenset[str],
) -> tuple[Sequence[CheckResult], Sequence[Path]]:
    """Grade some criteria again on the remaining files."""
    with opened() as student:
        plugin = GradingPlugin(assignment, replace(material, student=student), only)
        run_checks(assignment.folder, plugin, also=also(assignment))
        return placed(plugin.results, student), ambiguous(student, code)


def _process(
    side: Side,
    code: Path | None,
    assignment: Assignment,
    options: Options,
    budget: Budget | None,
) -> Student:
    """Return a sandboxed process for this code; it starts at the first call."""
    seed = _inputs(assignment, options).seed("process")
    return Student(
        code,
        side,
        assignment.limits,
        seed=seed,
        tier=options.tier,
        preload=assignment.preload,
        budget=budget,
    )


def _sandbox(assignment: Assignment, options: Options, budget: Budget) -> Student:
    """Return a process without the student's code: the oracle if there is one, or the student side.

    The student side reads the student's files there, so its time counts for the submission.
    """
    oracle = Side(assignment.folder, "oracle")
    if oracle.asked:
        return _process(oracle, None, assignment, options, None)
    return _process(Side(assignment.folder), None, assignment, options, budget)


def _resources(*processes: Student) -> dict[str, object]:
    """Return what the processes with the student's code used together, if one was started."""
    used = Resources()
    for each in processes:
        used = used.and_of(each.resources)
    if used == Resources():
        return {}
    return {"resources": asdict(used) | {"cpu_seconds": round(used.cpu_seconds, 3)}}


def _inputs(assignment: Assignment, options: Options) -> Inputs:
    return Inputs(options.draw, assignment.seed)


def _environment(assignment: Assignment, options: Options) -> dict[str, object]:
    return environment_of(assignment, options.tier.value, options.device, options.draw)


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
