"""The number of trainings that fit into memory at the same time."""

import pytest

from graders.execution import rerun_memory
from graders.execution.rerun_memory import (
    TRAINING_BYTES,
    TRAINING_GPU_BYTES,
    free_bytes,
    free_gpu_bytes,
    jobs_that_fit,
)


@pytest.mark.parametrize(
    ("jobs", "free", "gpu_free", "fit"),
    [
        (4, None, None, 4),
        (4, 100 * TRAINING_BYTES, None, 4),
        (4, 3 * TRAINING_BYTES - 1, None, 2),
        (4, 100 * TRAINING_BYTES, 3 * TRAINING_GPU_BYTES, 3),
        (4, 2 * TRAINING_BYTES, 3 * TRAINING_GPU_BYTES, 2),
        (4, 0, 0, 1),
    ],
)
def test_the_scarcer_memory_decides(jobs, free, gpu_free, fit):
    assert jobs_that_fit(jobs, free, gpu_free) == fit


def test_free_memory_is_what_the_kernel_calls_available(tmp_path):
    file = tmp_path / "meminfo"
    file.write_text("MemTotal:  32 kB\nMemFree:  1 kB\nMemAvailable:       7 kB\n")
    assert free_bytes(file) == 7 * 1024


@pytest.mark.parametrize("content", ["", "MemTotal: 32 kB\n", "MemAvailable: much\n", "nonsense"])
def test_unknown_memory_limits_nothing(tmp_path, content):
    (tmp_path / "meminfo").write_text(content)
    assert free_bytes(tmp_path / "meminfo") is None
    assert free_bytes(tmp_path / "missing") is None


@pytest.mark.parametrize(
    ("program", "free"), [("print(5)", 5), ("print('')", None), ("raise SystemExit(3)", None)]
)
def test_a_gpu_is_asked_in_a_process_of_its_own(monkeypatch, program, free):
    monkeypatch.setattr(rerun_memory, "ASK_GPU", program)
    assert free_gpu_bytes() == free


def test_a_driver_that_hangs_is_no_gpu(monkeypatch):
    monkeypatch.setattr(rerun_memory, "ASK_GPU", "import time; time.sleep(60)")
    monkeypatch.setattr(rerun_memory, "ASK_SECONDS", 0.2)
    assert free_gpu_bytes() is None
