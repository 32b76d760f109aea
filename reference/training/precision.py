"""Choose the device and the precision for training, by measuring."""

import os
import time
from dataclasses import dataclass

import torch

from graders.errors import UsageError

PROBE = 512  # rows and columns of the test matrices, which are as large as in a hidden layer
ROUNDS = 5
DTYPES = {"bf16": torch.bfloat16, "fp32": torch.float32}


@dataclass(frozen=True, slots=True)
class Machine:
    """The device and type for training; weights are always float32."""

    device: torch.device
    dtype: torch.dtype
    workers: int = 1  # parallel processes, each with `threads` threads
    threads: int = 1

    @property
    def name(self) -> str:
        """The device in words, and how it is divided among processes."""
        if self.device.type == "cuda":
            return torch.cuda.get_device_name(self.device)
        return f"CPU, {self.workers} x {self.threads} threads"

    @property
    def precision(self) -> str:
        """The precision: `bf16` or `fp32`."""
        return "bf16" if self.dtype == torch.bfloat16 else "fp32"


def choose_machine(device: str, precision: str = "auto", *, tracks: int = 1) -> Machine:
    """Return the requested device, by default a GPU if there is one. Raises UsageError.

    The cores of a CPU are divided among at most `tracks` processes.
    """
    if device not in ("auto", "cpu", "cuda"):
        raise UsageError(f"there is no device `{device}`", "there is `auto`, `cpu` and `cuda`")
    has_gpu = torch.cuda.is_available()
    if device == "cuda" and not has_gpu:
        raise UsageError(
            "torch finds no GPU on this machine", "without one, training runs on the CPU"
        )
    chosen = torch.device("cuda" if has_gpu and device != "cpu" else "cpu")
    if precision not in ("auto", *DTYPES):
        raise UsageError(
            f"there is no precision `{precision}`", "there is `auto`, `bf16` and `fp32`"
        )
    if precision == "auto":
        precision = "bf16" if chosen.type == "cuda" or bfloat16_pays() else "fp32"
    cores = _cores()
    workers = 1 if chosen.type == "cuda" else min(cores, tracks)
    return Machine(chosen, DTYPES[precision], workers, cores // workers)


def _cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def bfloat16_pays() -> bool:
    """Return whether this CPU multiplies bfloat16 faster than float32.

    Without instructions for it, the product is emulated and many times slower.
    """
    return _seconds(torch.bfloat16) < 0.8 * _seconds(torch.float32)


def _seconds(dtype: torch.dtype) -> float:
    """Return the time of the fastest of a few products, because the machine may be busy."""
    matrix = torch.ones(PROBE, PROBE, dtype=dtype)
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        matrix @ matrix
        best = min(best, time.perf_counter() - start)
    return best
