"""Run the parts of an audit within its minutes.

    nulls ── steadiness ── rewrites ── mutants ── Audit
    until     until         until       until
    10%       30%           50%         100% of the time

A part that ends early leaves its time to the next one. What was graded before costs no time.
"""

import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from graders.audit.accepted import Accepted, read_accepted
from graders.audit.changes.change import Base, Changed, read_bases
from graders.audit.changes.mutants import generate_mutants, sites_of
from graders.audit.graded import Graded, Grader, Upload
from graders.audit.summary import Planned, lost_points, pointed_criteria, summarize_mutants
from graders.audit.validate import refuse_broken_files
from graders.audited import Audit, Mutations
from graders.errors import UsageError
from graders.grading.pipeline import GradingRequest
from graders.model import Assignment

ENDS = {"nulls": 0.1, "steadiness": 0.3, "rewrites": 0.5, "mutants": 1.0}
WALL_SECONDS, TOTAL_SECONDS = 10.0, 60.0  # a mutant that never ends takes all of it

Found = tuple[Upload, Graded]
Watch = Callable[[Iterable[Found], int], Iterator[Found]]  # shows progress


@dataclass(frozen=True, slots=True)
class Plan:
    """How much of each part to grade, and in how many minutes."""

    minutes: float = 10.0
    seed: int = 0
    mutants: int = 300


@dataclass(frozen=True, slots=True)
class _Run:
    """What all parts of one audit share."""

    request: GradingRequest
    grader: Grader
    plan: Plan
    watch: Watch
    bases: Sequence[Base]
    started: float

    def deadline(self, part: str) -> float:
        """Return when a part ends, as a time of `time.monotonic`."""
        return self.started + 60 * self.plan.minutes * ENDS[part]

    def grade(
        self, changes: Sequence[Changed], request: GradingRequest, part: str
    ) -> dict[str, Graded]:
        """Return what was found for the changes that were graded in time, by id."""
        uploads = [Upload(each.change.id, each.files) for each in changes]
        found = self.grader.grade(uploads, request, self.deadline(part))
        return {upload.name: graded for upload, graded in self.watch(found, len(uploads))}


def audit(request: GradingRequest, grader: Grader, plan: Plan, watch: Watch) -> Audit:
    """Audit an assignment's checks.

    Raises UsageError if the assignment asks for no code, or its solution loses points.
    """
    started = time.monotonic()
    task = request.assignment
    refuse_broken_files(task)
    accepted = read_accepted(task)
    coded = _of_code(request)
    with tempfile.TemporaryDirectory(prefix="softmark-audited-") as work:
        run = _Run(coded, grader, plan, watch, read_bases(task, Path(work)), started)
        _refuse_a_losing_solution(run)
        mutations = _audit_mutants(run, accepted)
    seconds = round(time.monotonic() - started, 1)
    return Audit(task.name, task.title, plan.seed, seconds, mutations)


def _of_code(request: GradingRequest) -> GradingRequest:
    """Return the request for the criteria of code only."""
    task, options = request.assignment, request.options
    if not pointed_criteria(task):
        raise UsageError(f"{task.name} has no points for code", "an audit changes code")
    code = frozenset(each.id for each in task.rubric if each.kind == "code")
    return GradingRequest(task, replace(options, only=code))


def _refuse_a_losing_solution(run: _Run) -> None:
    solution = Upload("solution", run.bases[0].files)
    task = run.request.assignment
    for _, graded in run.grader.grade([solution], run.request, float("inf")):
        lost = graded.fault or ", ".join(lost_points(graded, pointed_criteria(task)))
        if lost:
            raise UsageError(
                f"{task.name}: the solution does not earn all points: {lost}",
                f"run `softmark validate {task.name}` first",
            )


def _audit_mutants(run: _Run, accepted: Mapping[str, Accepted]) -> Mutations:
    sites = sites_of(run.bases)
    generated = generate_mutants(sites, run.plan.seed)
    mutants = list(islice(generated, run.plan.mutants))
    unmatched = {*accepted} - {each.change.id for each in mutants}
    stale = _unmatched(unmatched, generated) if unmatched else []
    task = run.request.assignment
    tight = GradingRequest(_tightened(task), run.request.options)
    graded = run.grade(mutants, tight, "mutants")
    changes = [each.change for each in mutants]
    planned = Planned(sum(map(len, sites)), changes, stale)
    return summarize_mutants(planned, graded, task, accepted)


def _unmatched(ids: set[str], others: Iterator[Changed]) -> list[str]:
    """Return the ids that no other mutant has."""
    for each in others:
        ids.discard(each.change.id)
        if not ids:
            break
    return sorted(ids)


def _tightened(assignment: Assignment) -> Assignment:
    """Return the assignment with limits under which a mutant that never ends is soon killed."""
    limits = assignment.limits
    tight = replace(
        limits,
        wall_seconds=min(limits.wall_seconds, WALL_SECONDS),
        total_seconds=min(limits.total_seconds, TOTAL_SECONDS),
    )
    return replace(assignment, limits=tight)
