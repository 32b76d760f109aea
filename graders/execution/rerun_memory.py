"""Limit the number of simultaneous training runs to what fits in memory."""

import subprocess
import sys
from pathlib import Path

GiB = 2**30
TRAINING_BYTES = 3 * GiB  # of main memory: 0.9 GiB measured on a CPU; CUDA's context adds more
TRAINING_GPU_BYTES = 4 * GiB  # of the GPU: 2.8 GiB measured on an H200

MEMORY_FILE = Path("/proc/meminfo")
ASK_GPU = "import torch as t; print(t.cuda.mem_get_info(0)[0] if t.cuda.is_available() else '')"
ASK_SECONDS = 120.0  # importing torch from a cold disk


def jobs_that_fit(jobs: int, free: int | None, gpu_free: int | None) -> int:
    """Return `jobs`, or fewer if that many training runs do not fit; at least one.

    None means that this memory is unknown or not used; it then sets no limit.
    """
    fitting = [jobs]
    if free is not None:
        fitting.append(free // TRAINING_BYTES)
    if gpu_free is not None:
        fitting.append(gpu_free // TRAINING_GPU_BYTES)
    return max(1, min(fitting))


def free_bytes(file: Path = MEMORY_FILE) -> int | None:
    """Return the available memory of this machine, or None if it is unknown."""
    try:
        lines = dict(line.split(":", 1) for line in file.read_text().splitlines())
        return int(lines["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return None


def free_gpu_bytes() -> int | None:
    """Return the free memory of the first GPU, or None if torch finds no GPU.

    This runs in a separate process, because torch is not imported on the trusted side.
    """
    words = [sys.executable, "-c", ASK_GPU]
    try:
        said = subprocess.run(  # noqa: S603  the command is ours
            words, capture_output=True, timeout=ASK_SECONDS, check=True
        )
        return int(said.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
