"""Measure how long a student waits for `check`: seconds of the first and of later runs.

    python -m benchmarks.check [--isolation none]

Prints one line per run, on the `solution/` of each assignment. CPU seconds include every process
that `check` starts, also those that it leaves behind: this process inherits them and waits for
them.
"""

import ctypes
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from graders.audit.validate import build_solution
from graders.registry.discovery import load_assignment

MEASURED = ("cs224n-a4", "uw-a2", "jhu-hw6")
RUNS = 2
PR_SET_CHILD_SUBREAPER = 36


def main() -> None:
    """Print assignment, run, seconds, CPU seconds."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    print("assignment   run  seconds  cpu")
    for assignment in MEASURED:
        with tempfile.TemporaryDirectory() as work:
            upload = build_solution(load_assignment(assignment), Path(work) / "ada")
            for run in range(1, RUNS + 1):
                seconds, used = _measured(assignment, upload)
                print(f"{assignment:<12} {run:>3} {seconds:>8.1f} {used:>4.1f}", flush=True)


def _measured(assignment: str, upload: Path) -> tuple[float, float]:
    """Return seconds and CPU seconds of one check."""
    before, clock = _used(), time.perf_counter()
    words = ("check", str(upload), "--assignment", assignment, *sys.argv[1:])
    subprocess.run([sys.executable, "grade.py", *words], stdout=subprocess.DEVNULL, check=True)
    seconds = time.perf_counter() - clock
    _wait_for_all()
    return seconds, _used() - before


def _wait_for_all() -> None:
    while True:
        try:
            os.wait()
        except ChildProcessError:
            return


def _used() -> float:
    times = os.times()
    return times.children_user + times.children_system


if __name__ == "__main__":
    main()
