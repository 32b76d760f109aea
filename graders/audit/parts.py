"""Run the parts of an audit within its time limit.

    the solution ── nulls ── bases ── steadiness ── rewrites ── mutants ── Audit
                    until    until    until         until       until
                    10%      20%      35%           55%         100% of the time

If a part ends early, the next one gets its time. Kept results of earlier runs take no time.
"""

import random
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from graders.audit.attacks import tighten_limits
from graders.audit.changes.change import Base, Changed, read_bases
from graders.audit.changes.mutants import generate_mutants, sites_of
from graders.audit.changes.nulls import null_submissions
from graders.audit.changes.rewritten import generate_rewrites
from graders.audit.examples import SOLUTION, read_files
from graders.audit.graded import Graded, Grader, Upload
from graders.audit.settings import FILE, Accepted, AuditSettings, read_audit_settings
from graders.audit.summary import (
    Planned,
    code_criteria,
    failed_checks,
    lost_on_code,
    summarize_mutants,
    summarize_steadiness,
)
from graders.audit.validate import refuse_broken_files
from graders.audited import Audit, LostRewrite, Mutations, Null, Nulls, Rewrites, Steadiness
from graders.errors import UsageError
from graders.grading.options import GradingRequest

ENDS = {"nulls": 0.1, "bases": 0.2, "steadiness": 0.35, "rewrites": 0.55, "mutants": 1.0}
OTHERS = 8  # examples `right-*` that are changed, besides the solution
TOGETHER = 8  # submissions graded under each secret before the next ones begin
WALL_SECONDS, TOTAL_SECONDS = 10.0, 60.0  # an endless mutant uses all of it

GradedUpload = tuple[Upload, Graded]
Watch = Callable[[Iterable[GradedUpload], int], Iterator[GradedUpload]]  # shows progress


@dataclass(frozen=True, slots=True)
class Plan:
    """How much of each part to grade, and in how many minutes."""

    minutes: float = 10.0
    seed: int = 0
    mutants: int = 300
    rewrites: int = 60
    repeats: int = 5
    null_share: float = 0.1


@dataclass(frozen=True, slots=True)
class _Run:
    """What all parts of one audit share."""

    request: GradingRequest
    grader: Grader
    plan: Plan
    watch: Watch
    bases: Sequence[Base]
    started: float
    alone: dict[str, Graded] = field(default_factory=dict)  # the result of each unchanged base
    faults: list[str] = field(default_factory=list)

    def deadline(self, part: str) -> float:
        """Return when a part ends, as a time of `time.monotonic`."""
        return self.started + 60 * self.plan.minutes * ENDS[part]

    def grade(
        self, changes: Sequence[Changed], request: GradingRequest, part: str
    ) -> dict[str, Graded]:
        """Return the results of the changes that were graded in time, by ID.

        Points that the unchanged base loses, too, do not count as lost.
        """
        bases = {change.change.id: change.change.base for change in changes}
        uploads = [Upload(change.change.id, change.files) for change in changes]
        results = self.grade_uploads(uploads, request, part)
        return {name: _beyond(graded, self.alone[bases[name]]) for name, graded in results}

    def grade_uploads(
        self, uploads: Sequence[Upload], request: GradingRequest, part: str
    ) -> list[tuple[str, Graded]]:
        """Return the results by name; note what could not be graded in `faults`."""
        pairs = self.grader.grade(uploads, request, self.deadline(part))
        done = list(self.watch(pairs, len(uploads)))
        self.faults.extend(
            f"{upload.name}: {graded.fault}" for upload, graded in done if graded.fault
        )
        return [(upload.name, graded) for upload, graded in done if not graded.fault]


def audit(request: GradingRequest, grader: Grader, plan: Plan, watch: Watch) -> Audit:
    """Audit an assignment's checks.

    Raises UsageError if the assignment asks for no code, or its solution loses points.
    """
    started = time.monotonic()
    task = request.assignment
    refuse_broken_files(task)
    audited = read_audit_settings(task)
    coded = _of_code(request)
    with tempfile.TemporaryDirectory(prefix="softmark-audited-") as work:
        bases = _chosen(read_bases(task, Path(work)), audited, plan.seed)
        run = _Run(coded, grader, plan, watch, bases, started)
        _grade_solution(run)
        nulls = _audit_nulls(run)
        run = _with_graded_bases(run)
        steadiness = _audit_steadiness(run, request, Path(work) / "examples")
        rewrites = _audit_rewrites(run)
        mutations = _audit_mutants(run, audited.accepted)
    seconds = round(time.monotonic() - started, 1)
    parts = (mutations, rewrites, nulls, steadiness, tuple(run.faults))
    return Audit(task.name, task.title, plan.seed, seconds, *parts)


def _beyond(graded: Graded, base: Graded) -> Graded:
    """Return the result without the points and failures that the unchanged base has, too."""
    lost = {name: points - base.lost.get(name, 0.0) for name, points in graded.lost.items()}
    failed = {(check.id, check.status) for check in base.checks if check.fraction < 1}
    return replace(
        graded,
        lost={name: round(lost[name], 4) for name in lost if lost[name] > 1e-6},
        checks=tuple(check for check in graded.checks if (check.id, check.status) not in failed),
    )


def _of_code(request: GradingRequest) -> GradingRequest:
    """Return the request for the criteria of code only."""
    task, options = request.assignment, request.options
    if not code_criteria(task):
        raise UsageError(f"{task.name} has no points for code", "an audit changes code")
    code = frozenset(criterion.id for criterion in task.rubric if criterion.kind == "code")
    return GradingRequest(task, replace(options, only=code))


def _chosen(bases: Sequence[Base], audited: AuditSettings, seed: int) -> list[Base]:
    """Return the solution and the bases that audit.toml names, or else a sample of the others."""
    solution, *examples = bases
    if audited.bases is None:
        rng = random.Random(seed)  # noqa: S311  a sample, not a secret
        return [solution, *rng.sample(examples, min(len(examples), OTHERS))]
    by_name = {base.name: base for base in examples}
    for name in audited.bases:
        if name not in by_name:
            raise UsageError(
                f"{FILE}: `{name}` in `bases` is no correct example with code of its own",
                "correct examples are named right-* and lose nothing",
            )
    return [solution, *(by_name[name] for name in audited.bases)]


def _grade_solution(run: _Run) -> None:
    task, solution = run.request.assignment, Upload(SOLUTION, run.bases[0].files)
    for _, graded in run.grader.grade([solution], run.request, float("inf")):
        run.alone[SOLUTION] = graded
        lost = ", ".join(lost_on_code(graded, code_criteria(task)))
        if problem := graded.fault or lost:
            raise UsageError(
                f"{task.name}: the solution does not earn all points: {problem}",
                f"run `softmark validate {task.name}` first",
            )


def _with_graded_bases(run: _Run) -> _Run:
    """Return the run with the bases that were graded in time.

    An example of one part of an assignment lacks the others, and so loses their points anyway.
    """
    uploads = [Upload(base.name, base.files) for base in run.bases[1:]]
    run.alone.update(run.grade_uploads(uploads, run.request, "bases"))
    return replace(run, bases=[base for base in run.bases if base.name in run.alone])


def _audit_nulls(run: _Run) -> Nulls:
    task = run.request.assignment
    nulls = list(null_submissions(task, run.bases[0]))
    graded = run.grade(nulls, _tighten_limits(run.request), "nulls")
    points = {criterion.id: criterion.points for criterion in task.rubric}
    results = []
    for name, result in graded.items():
        shares = {
            criterion: round(1 - result.lost.get(criterion, 0.0) / points[criterion], 4)
            for criterion in code_criteria(task)
        }
        results.append(Null(name, shares))
    return Nulls(len(nulls), run.plan.null_share, tuple(results))


def _audit_steadiness(run: _Run, request: GradingRequest, examples: Path) -> Steadiness:
    """Grade the solution and examples, a few at a time, with one secret after the other."""
    task, rng = request.assignment, random.Random(run.plan.seed)  # noqa: S311  as the mutants
    folders = sorted(examples.iterdir()) if examples.is_dir() else []
    rng.shuffle(folders)
    uploads = [Upload(SOLUTION, run.bases[0].files)]
    uploads += [Upload(folder.name, read_files(folder)) for folder in folders]
    seeds = [1 + rng.getrandbits(127) for _ in range(run.plan.repeats)]
    decided = frozenset(
        criterion.id
        for criterion in task.rubric
        if criterion.kind != "written" and criterion.points
    )
    seen: list[tuple[str, Graded]] = []
    for start in range(0, len(uploads), TOGETHER):
        for seed in seeds:
            options = replace(request.options, only=decided, inputs_seed=seed)
            tight = _tighten_limits(GradingRequest(task, options))
            part = uploads[start : start + TOGETHER]
            seen += run.grade_uploads(part, tight, "steadiness")
    return summarize_steadiness(seen, len(uploads), run.plan.repeats)


def _audit_rewrites(run: _Run) -> Rewrites:
    task, plan = run.request.assignment, run.plan
    generated = generate_rewrites(run.bases, task.files.code, plan.seed)
    rewrites = list(islice(generated, plan.rewrites))
    graded = run.grade(rewrites, run.request, "rewrites")
    lost = []
    for rewrite in rewrites:
        result = graded.get(rewrite.change.id)
        points = lost_on_code(result, code_criteria(task)) if result else {}
        if result and points:
            lost.append(LostRewrite(rewrite.change, points, failed_checks(result, points)))
    return Rewrites(len(rewrites), len(graded), tuple(lost))


def _audit_mutants(run: _Run, accepted: Mapping[str, Accepted]) -> Mutations:
    sites = sites_of(run.bases)
    generated = generate_mutants(sites, run.plan.seed)
    mutants = list(islice(generated, run.plan.mutants))
    unmatched = {*accepted} - {mutant.change.id for mutant in mutants}
    stale = _unmatched(unmatched, generated) if unmatched else []
    graded = run.grade(mutants, _tighten_limits(run.request), "mutants")
    changes = [mutant.change for mutant in mutants]
    planned = Planned(sum(map(len, sites)), changes, stale)
    return summarize_mutants(planned, graded, run.request.assignment, accepted)


def _unmatched(ids: set[str], others: Iterator[Changed]) -> list[str]:
    """Return the ids that no other mutant has."""
    for mutant in others:
        ids.discard(mutant.change.id)
        if not ids:
            break
    return sorted(ids)


def _tighten_limits(request: GradingRequest) -> GradingRequest:
    """Return the request with lower limits, which soon end an endless mutant."""
    task = request.assignment
    tight = tighten_limits(
        task,
        wall_seconds=WALL_SECONDS,
        total_seconds=TOTAL_SECONDS,
        memory_bytes=task.limits.memory_bytes,
    )
    return replace(request, assignment=tight)
