"""Measure the cost of one submission's code criteria, in CPU seconds of all processes.

    python benchmarks/code_criteria.py [--repeat 5] [SUBMISSION]

Runs `grade.py run cs224n-a4 SUBMISSION --only span-corruption,rotary` as a user would and
subtracts the cost of only importing torch, both measured with getrusage over the whole process
tree. The tier is Landlock: the kernel ends bubblewrap's processes without adding their time to
any other process.
"""

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "graders" / "assignments" / "cs224n_a4" / "examples" / "plain"
CRITERIA = "span-corruption,rotary"


def cpu_seconds(command: list[str]) -> float:
    """Return user and system time of a command and of everything that it started."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print both figures and their difference."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("submission", nargs="?", type=Path, default=EXAMPLE)
    parser.add_argument("--repeat", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as out:
        grade = [sys.executable, "grade.py", "run", "cs224n-a4", str(arguments.submission)]
        grade += ["--only", CRITERIA, "--out", out, "--isolation", "landlock"]
        torch = [sys.executable, "-c", "import torch"]
        both = [(cpu_seconds(torch), cpu_seconds(grade)) for _ in range(arguments.repeat)]
    base, whole = (statistics.median(column) for column in zip(*both, strict=True))
    print(f"import torch            {base:6.2f} CPU s")
    print(f"{CRITERIA}  {whole:6.2f} CPU s, the command as a whole")
    print(f"above importing torch   {whole - base:6.2f} CPU s")


if __name__ == "__main__":
    main()
