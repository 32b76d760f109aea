"""Measure the cost of a batch: warm starts, cold starts, and graders without a boundary.

    python benchmarks/batch.py [--count 200] [--criteria span-corruption,rotary] [--isolation TIER]
    python benchmarks/batch.py --memory [--count 2000]

    warm        this grader: one process, one fork of its warm parent per submission
    cold        the same, one new interpreter in the sandbox per submission
    gradescope  a gradescope-utils suite per submission, the student's code in its process

All three run the same checks on the same generated submissions, one submission at a time.
Processor time includes every process, also those that nobody waits for (bubblewrap's): a separate
control group counts it if this user may create one; otherwise getrusage, which misses these.
`start and end` is a child that gets no request.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from support.batch_submissions import generate

HERE = Path(__file__).resolve().parent
GROUPS = Path("/sys/fs/cgroup/cpuacct")
ARMS = ("warm", "cold", "gradescope")
PACKAGE = "graders.assignments.cs224n_a4"
MODULES = {
    "span-corruption": (f"{PACKAGE}.span_corruption.checks",),
    "rotary": tuple(
        f"{PACKAGE}.rotary.checks_{part}"
        for part in ("application", "module", "properties", "table")
    ),
    "training-script": (f"{PACKAGE}.training_script.checks",),
}
STARTS = 40
PATIENCE = 300.0  # seconds for one submission without a boundary


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of some submissions."""

    cpu: float
    wall: float

    def row(self, name: str, count: int) -> str:
        """Return one row of the table."""
        return f"{name:14}{60 * count / self.wall:12.1f}{self.cpu / count:12.2f}"


@contextmanager
def counted() -> Iterator[list[Cost]]:
    """Yield a list that receives the cost of the processes started inside, once they have ended."""
    found: list[Cost] = []
    group = GROUPS / f"softmark-{os.getpid()}"
    home = _own_group() if os.access(GROUPS, os.W_OK) else None
    started, before = time.monotonic(), _children()
    if home is not None:
        group.mkdir()
        (group / "cgroup.procs").write_text(str(os.getpid()))
        before = _used(group)
    try:
        yield found
    finally:
        after = _used(group) if home is not None else _children()
        found.append(Cost(after - before, time.monotonic() - started))
        if home is not None:
            (home / "cgroup.procs").write_text(str(os.getpid()))
            _remove(group)


def _own_group() -> Path:
    lines = Path("/proc/self/cgroup").read_text().splitlines()
    return GROUPS / next(line.split(":")[2] for line in lines if "cpuacct" in line).lstrip("/")


def _used(group: Path) -> float:
    return int((group / "cpuacct.usage").read_text()) / 1e9


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _remove(group: Path) -> None:
    """Remove the group once the kernel has released the last process."""
    for _ in range(100):
        try:
            group.rmdir()
            return
        except OSError:
            time.sleep(0.05)


# ---------------------------------------------------------------- the three variants


def run_arm(arm: str, submissions: list[Path], arguments: argparse.Namespace) -> Cost:
    """Grade all submissions with this variant."""
    criteria = arguments.criteria.split(",")
    with counted() as found:
        if arm in ("warm", "cold"):
            folder = str(submissions[0].parent)
            _graded([arm, arguments.isolation, arguments.criteria, folder])
        else:
            modules = tuple(each for name in criteria for each in MODULES[name])
            for submission in submissions:
                _unfenced(submission / "src", modules)
    return found[0]


def _unfenced(code: Path, modules: tuple[str, ...]) -> None:
    """Grade without a boundary; the cost counts, whatever the result and even if it is killed."""
    script, quiet = HERE / "support" / "batch_in_process.py", subprocess.DEVNULL
    words = [sys.executable, str(script), str(code), ",".join(modules)]
    with tempfile.TemporaryDirectory() as folder:
        try:
            subprocess.run(
                words, cwd=folder, env=_plain(), timeout=PATIENCE, stdout=quiet, stderr=quiet
            )
        except subprocess.TimeoutExpired:
            print("one submission took too long", file=sys.stderr)


def _graded(words: list[str]) -> None:
    """Start a process of this grader that grades many submissions."""
    script = [sys.executable, str(HERE / "support" / "batch_graded.py")]
    subprocess.run([*script, *words], env=_plain(), check=True, stdout=subprocess.DEVNULL)


def _plain() -> dict[str, str]:
    """Return an environment in which compiled modules are kept and everything is found."""
    inside = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return inside | {"PYTHONPATH": f"{HERE.parent}{os.pathsep}{HERE}", "OMP_NUM_THREADS": "1"}


# ---------------------------------------------------------------- the command


def compare(folder: Path, arguments: argparse.Namespace) -> None:
    """Print one row per variant, and the cost of starting and ending a child."""
    submissions = generate(folder, arguments.count)
    print(f"{arguments.count} submissions, {arguments.criteria}, one at a time")
    print(f"{'':14}{'a minute':>12}{'CPU s each':>12}", flush=True)
    costs = {}
    for arm in arguments.arms.split(","):
        costs[arm] = run_arm(arm, submissions, arguments)
        print(costs[arm].row(arm, arguments.count), flush=True)
    for other in costs:
        if other != "warm" and "warm" in costs:
            print(f"{other} / warm: {costs[other].cpu / costs['warm'].cpu:.1f} times the CPU")
    with counted() as found:
        _graded(["empty", arguments.isolation, "0", str(folder)])
    with counted() as more:
        _graded(["empty", arguments.isolation, str(STARTS), str(folder)])
    each = (more[0].cpu - found[0].cpu) / STARTS
    print(f"start and end of a warm child: {each:.3f} CPU s")


def main() -> None:
    """Print the table, or the memory."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--criteria", default="span-corruption,rotary")
    parser.add_argument("--isolation", default="bubblewrap")
    parser.add_argument("--arms", default=",".join(ARMS))
    parser.add_argument("--memory", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="softmark-batch-") as folder:
        if arguments.memory:
            generate(Path(folder), arguments.count)
            words = ["memory", arguments.isolation, arguments.criteria, folder]
            script = [sys.executable, str(HERE / "support" / "batch_graded.py")]
            subprocess.run([*script, *words], env=_plain(), check=True)
        else:
            compare(Path(folder), arguments)


if __name__ == "__main__":
    main()
