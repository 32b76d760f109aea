"""How many trainings fit into memory at the same time."""

import subprocess
import sys
from pathlib import Path

GiB = 2**30
TRAINING_BYTES = 3 * GiB  # of the machine: 0.9 seen on a CPU; CUDA's context comes on top
TRAINING_GPU_BYTES = 8 * GiB  # of the GPU, reckoned: 256 examples, every attention matrix kept

MEMORY_FILE = Path("/proc/meminfo")
ASK_GPU = "import torch as t; print(t.cuda.mem_get_info(0)[0] if t.cuda.is_available() else '')"
ASK_SECONDS = 120.0  # importing torch from a cold disk


def jobs_that_fit(jobs: int, free: int | None, gpu_free: int | None) -> int:
    """At most `jobs`, fewer where that many trainings do not fit; at least one.

    None stands for a memory that is not known or not used, which limits nothing.
    """
    fitting = [jobs]
    if free is not None:
        fitting.append(free // TRAINING_BYTES)
    if gpu_free is not None:
        fitting.append(gpu_free // TRAINING_GPU_BYTES)
    return max(1, min(fitting))


def free_bytes(file: Path = MEMORY_FILE) -> int | None:
    """Memory that this machine can still give away; None where it does not tell."""
    try:
        lines = dict(line.split(":", 1) for line in file.read_text().splitlines())
        return int(lines["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return None


def free_gpu_bytes() -> int | None:
    """Free memory of the first GPU; None where torch finds no GPU.

    Asked in a process of its own: torch is not imported on the trusted side.
    """
    words = [sys.executable, "-c", ASK_GPU]
    try:
        said = subprocess.run(  # noqa: S603  the command is ours
            words, capture_output=True, timeout=ASK_SECONDS, check=True
        )
        return int(said.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
