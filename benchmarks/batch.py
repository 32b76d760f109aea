"""Measure the cost of a batch: warm starts, cold starts, and graders without a boundary.

    python benchmarks/batch.py [--count 200] [--criteria span-corruption,rotary] [--isolation TIER]
    python benchmarks/batch.py --memory [--count 2000]

    warm        this grader: one process, one fork of its warm parent per submission
    cold        the same, one new interpreter in the sandbox per submission
    pytest      plain `pytest` per submission, the student's code in its process
    gradescope  a gradescope-utils suite per submission, the student's code in its process

All four run the same checks on the same generated submissions, one submission at a time.
Processor time includes every process, also those that nobody waits for (bubblewrap's): a separate
control group counts it if this user may create one; otherwise getrusage, which misses these.
`start and end` is a child that gets no request.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from support.batch_submissions import generate
from support.processor_time import Cost, counted

HERE = Path(__file__).resolve().parent
ARMS = ("warm", "cold", "pytest", "gradescope")
PACKAGE = "graders.assignments.cs224n_a4"
MODULES = {
    "span-corruption": (f"{PACKAGE}.span_corruption.checks",),
    "rotary": tuple(
        f"{PACKAGE}.rotary.checks_{part}"
        for part in ("application", "module", "properties", "table")
    ),
    "training-script": (f"{PACKAGE}.training_script.checks",),
}
TEST_FILE = """
from support.batch_in_process import inputs, open_code, score, settings, student
open_code({code!r})
{imports}
"""
STARTS = 40
PATIENCE = 300.0  # seconds for one submission without a boundary


# ---------------------------------------------------------------- the four variants


def run_arm(arm: str, submissions: list[Path], arguments: argparse.Namespace) -> Cost:
    """Grade all submissions with this variant."""
    criteria = arguments.criteria.split(",")
    with counted() as costs:
        if arm in ("warm", "cold"):
            folder = str(submissions[0].parent)
            _graded([arm, arguments.isolation, arguments.criteria, folder])
        else:
            modules = tuple(module for name in criteria for module in MODULES[name])
            for submission in submissions:
                _unfenced(arm, submission / "src", modules)
    return costs[0]


def _unfenced(arm: str, code: Path, modules: tuple[str, ...]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        if arm == "pytest":
            Path(folder, "test_submission.py").write_text(_test_file(code, modules))
            words = ["-m", "pytest", "-q", "-pno:cacheprovider", "--rootdir", folder]
            _call([sys.executable, *words, "test_submission.py"], Path(folder))
        else:
            script = HERE / "support" / "batch_in_process.py"
            _call([sys.executable, str(script), str(code), ",".join(modules)], Path(folder))


def _test_file(code: Path, modules: tuple[str, ...]) -> str:
    imports = "\n".join(f"from {module} import *" for module in modules)
    return TEST_FILE.format(code=str(code), imports=imports)


def _call(words: list[str], folder: Path) -> None:
    """Run the command; the cost counts, whatever its result and even if it is killed."""
    quiet = subprocess.DEVNULL
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
    with counted() as base:
        _graded(["empty", arguments.isolation, "0", str(folder)])
    with counted() as more:
        _graded(["empty", arguments.isolation, str(STARTS), str(folder)])
    seconds = (more[0].cpu - base[0].cpu) / STARTS
    print(f"start and end of a warm child: {seconds:.3f} CPU s")


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
