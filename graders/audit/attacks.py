"""Grade hostile submissions against an assignment, and report which of them gain anything.

    attacks over the assignment's wrong code    -> attackers ─┐
    the assignment's solution                   -> honest ────┴ one batch -> a Verdict per attack

An attack fails if it earns no more points than the same wrong code without it, reveals no canary,
and causes no grader error. After the batch, the canaries must be unchanged, the honest submission's
Result must be the same as when graded alone, and no process may be left.
"""

import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from graders.audit.attacks_canaries import Canaries
from graders.audit.attacks_uploads import Attack, build_attackers, build_base
from graders.audit.validate import build_solution
from graders.audited import AttackRow
from graders.boundary.tiers.sandbox import Tier
from graders.errors import UsageError
from graders.execution.executors import JobExecutor
from graders.grading.batch import grade_all
from graders.grading.options import Options
from graders.model import Assignment, Result
from graders.storage.result_json import result_to_json
from submissions.receive import identify_all

WALL_SECONDS = 6.0  # an endless attack takes all of it, several times a criterion
TOTAL_SECONDS = 90.0  # the solutions need 5 by themselves on two busy cores
MEMORY_BYTES = 2**31  # attacks that fill memory may run at the same time
LOOT = "LOOT "  # how an attack says that it found something
ALL = "all together"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one attack achieved in one tier; it failed if there are no problems."""

    kind: str
    attack: str
    tier: str
    problems: tuple[str, ...]


def attack_all(
    assignment: Assignment,
    options: Options,
    executor: JobExecutor,
    *,
    chosen: Sequence[Attack],
) -> Iterator[Verdict]:
    """Yield a Verdict on each attack, as it is graded, and one on all of them together.

    Raises UsageError without isolation, because attacks kill and overwrite whatever they can.
    """
    if options.tier is Tier.NONE:
        raise UsageError("attacks are not run without isolation", "use `--isolation auto`")
    task, tier = tighten_limits(assignment), options.tier.value
    with (
        tempfile.TemporaryDirectory(prefix="softmark-attacks-") as work,
        Canaries(Path(work)) as canaries,
    ):
        base, honest = _graded_alone(Path(work), task, options, executor)
        attacks = build_attackers(
            chosen, base.submission.path, Path(work) / "uploads", task.files, canaries
        )
        uploads = identify_all(among(list(attacks), honest.submission.path), task.name)
        problems: list[str] = []
        for result in grade_all(uploads, task, options, executor):
            attack = attacks.get(result.submission.path)
            if attack is None:
                problems += changes(result, honest)
            else:
                gained = tuple(gains(result, base, canaries))
                yield Verdict(attack.kind, attack.name, tier, gained)
        yield Verdict(ALL, ALL, tier, (*problems, *canaries.harmed()))


def _graded_alone(
    work: Path, task: Assignment, options: Options, executor: JobExecutor
) -> tuple[Result, Result]:
    """Return the Results of the wrong code and of the solution, without any attack.

    Raises UsageError if the assignment has no code, or if the wrong code loses no points, because
    then an attack could not gain any.
    """
    if not task.files.code:
        raise UsageError(
            f"{task.name} asks for no code",
            "an attack is inserted into submitted code, and this assignment has none",
        )
    paths = [build_base(task, work / "base"), build_solution(task, work / "honest")]
    submitted = identify_all(paths, task.name)
    results = grade_all(submitted, task, options, executor)
    by_path = {result.submission.path: result for result in results}
    base, honest = (by_path[path] for path in paths)
    judged = [graded for graded in base.criteria if graded.criterion.kind != "written"]
    if all(graded.points in (None, graded.criterion.points) for graded in judged):
        raise UsageError(
            f"{task.name}: the wrong code under the attacks loses no points",
            "plant a wrong example in its examples.toml",
        )
    return base, honest


def attack_row(verdict: Verdict) -> AttackRow:
    """Return the attack's row of a table: its class and name, its tier and what happened."""
    problems = "; ".join(verdict.problems) or "fails, as it should"
    name = f"{verdict.kind:<13} {verdict.attack}"
    return AttackRow(name, f"{verdict.tier}: {problems}", failed=not verdict.problems)


def tighten_limits(
    assignment: Assignment,
    *,
    wall_seconds: float = WALL_SECONDS,
    total_seconds: float = TOTAL_SECONDS,
    memory_bytes: int = MEMORY_BYTES,
) -> Assignment:
    """Return the assignment with lower limits; by default, a hundred attacks end in minutes."""
    limits = assignment.limits
    tight = replace(
        limits,
        wall_seconds=min(limits.wall_seconds, wall_seconds),
        memory_bytes=min(limits.memory_bytes, memory_bytes),
        total_seconds=min(limits.total_seconds, total_seconds),
    )
    return replace(assignment, limits=tight)


def among(attackers: Sequence[Path], honest: Path) -> list[Path]:
    """Return the uploads of the batch, with the honest one in the middle."""
    middle = len(attackers) // 2
    return [*attackers[:middle], honest, *attackers[middle:]]


def gains(result: Result, base: Result, canaries: Canaries) -> Iterator[str]:
    """Yield what an attack achieved, in words; nothing if it failed."""
    if result.status == "incomplete":
        yield f"Softmark could not grade it: {'; '.join(result.faults)}"
    before = {graded.criterion.id: graded.points for graded in base.criteria}
    for graded in result.criteria:
        name, most = graded.criterion.id, before.get(graded.criterion.id)
        if graded.points is not None and most is not None and graded.points > most + 1e-9:
            yield f"`{name}` earns {graded.points:g}, without the attack {most:g}"
    text = json.dumps(result_to_json(result), ensure_ascii=False)
    if LOOT in text:
        start = text.index(LOOT) + len(LOOT)
        yield f"it found {text[start : start + 120]}"
    yield from (f"it brought back {name}" for name in canaries.named_in(text))


def changes(result: Result, alone: Result) -> Iterator[str]:
    """Yield how a Result differs from that of the same submission graded without attackers."""
    before, after = (
        {check.id: replace(check, seconds=0.0) for c in graded.criteria for check in c.checks}
        for graded in (alone, result)
    )
    for name in before.keys() | after.keys():
        if before.get(name) != after.get(name):
            yield f"the honest submission's check `{name}` has a different result"
    if result.score != alone.score:
        yield f"the honest submission has {result.score} points, {alone.score} when graded alone"
