"""Grade a folder of submissions in one process of this grader: the variants of batch.py.

python batch_graded.py warm|cold TIER CRITERIA FOLDER    prints the scores
python batch_graded.py memory TIER CRITERIA FOLDER        prints memory during the batch
python batch_graded.py empty TIER COUNT FOLDER            children without requests
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

from graders import scoring
from graders.boundary.side import Side
from graders.boundary.student import Student
from graders.boundary.tiers import warm
from graders.boundary.tiers.sandbox import Tier
from graders.checks.plugin import GradingPlugin, Material
from graders.checks.run import run_checks
from graders.checks.submitted import SubmittedFiles
from graders.data.birthplaces import open_data
from graders.registry.discovery import load_assignment
from submissions.identity import identify
from submissions.receive import open_submission

ASSIGNMENT = load_assignment("cs224n-a4")
SIDE = Side(ASSIGNMENT.folder)
EVERY = 25  # submissions between two measurements of memory


def student(code: Path | None, tier: Tier, *, is_warm: bool) -> Student:
    """Return a process for this code."""
    limits, seed = ASSIGNMENT.limits, ASSIGNMENT.seed
    return Student(code, SIDE, limits, seed=seed, tier=tier, warm=is_warm)


def score(path: Path, tier: Tier, criteria: frozenset[str], *, is_warm: bool) -> float:
    """Return the points of one submission in these criteria."""
    files = ASSIGNMENT.files
    with tempfile.TemporaryDirectory(prefix="softmark-", ignore_cleanup_errors=True) as work:
        upload = identify(path, ASSIGNMENT.name)
        place = Path(work) / "upload"
        clean = open_submission(
            upload, place, code=files.code, artifacts=files.artifacts, whole=files.whole
        )
        with (
            open_data(None, seed=0) as data,
            student(clean.code, tier, is_warm=is_warm) as side,
            student(None, tier, is_warm=is_warm) as sandbox,
        ):
            material = Material(side, sandbox, SubmittedFiles(clean.files), data)
            plugin = GradingPlugin(ASSIGNMENT, material, criteria)
            run_checks(ASSIGNMENT.folder, plugin)
        rubric = scoring.wanted_criteria(ASSIGNMENT, criteria)
        results = tuple(scoring.criterion_result(criterion, plugin.results) for criterion in rubric)
    if (total := scoring.total(results)) is None:
        raise SystemExit(f"{path.name} could not be graded: {plugin.faults}")
    return total


def resident(pid: int | str) -> float:
    """Return the resident memory of this process in MiB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024


def watch_memory(paths: list[Path], tier: Tier, criteria: frozenset[str]) -> None:
    """Print both processes' memory during the batch, and the slope of the second half."""
    seen = []
    for number, path in enumerate(paths, 1):
        score(path, tier, criteria, is_warm=True)
        if number % EVERY == 0:
            seen.append((number, resident("self"), resident(warm.parent().pid)))
            print(f"{number:6}  grader {seen[-1][1]:7.1f} MiB  parent {seen[-1][2]:7.1f} MiB")
            sys.stdout.flush()
    late = np.array(seen[len(seen) // 2 :])
    for column, name in ((1, "grader"), (2, "parent")):
        slope = np.polyfit(late[:, 0], late[:, column], 1)[0]
        print(f"{name}: {1000 * slope:+.2f} MiB in 1,000 submissions")


def main() -> None:
    """Run the variant that the command line names."""
    arm, tier, what, folder = sys.argv[1], Tier(sys.argv[2]), sys.argv[3], Path(sys.argv[4])
    paths = sorted(folder.iterdir())
    if arm == "empty":
        for _ in range(int(what) + 1):
            with student(None, tier, is_warm=True) as idle:
                idle._running()
    elif arm == "memory":
        watch_memory(paths, tier, frozenset(what.split(",")))
    else:
        for path in paths:
            points = score(path, tier, frozenset(what.split(",")), is_warm=arm == "warm")
            print(path.name, points, flush=True)


if __name__ == "__main__":
    main()
