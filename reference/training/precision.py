"""Which device and which precision to train in, by trying instead of by name."""

import os
import time
from dataclasses import dataclass

import torch

from graders.errors import UsageError

PROBE = 512  # rows and columns of the probe's matrices: the size of a hidden layer's product
ROUNDS = 5
DTYPES = {"bf16": torch.bfloat16, "fp32": torch.float32}


@dataclass(frozen=True, slots=True)
class Machine:
    """Where to train, and in which type to multiply; weights are float32 in any case."""

    device: torch.device
    dtype: torch.dtype
    workers: int = 1  # processes beside each other, of `threads` each
    threads: int = 1

    @property
    def name(self) -> str:
        """The device in words, and how it is shared out."""
        if self.device.type == "cuda":
            return torch.cuda.get_device_name(self.device)
        return f"CPU, {self.workers} x {self.threads} threads"

    @property
    def precision(self) -> str:
        """`bf16` or `fp32`."""
        return "bf16" if self.dtype == torch.bfloat16 else "fp32"


def choose_machine(device: str, precision: str = "auto", *, tracks: int = 1) -> Machine:
    """The device asked for, or the GPU where there is one; raises UsageError where it is missing.

    On a CPU its cores are shared out to at most `tracks` processes.
    """
    if device not in ("auto", "cpu", "cuda"):
        raise UsageError(f"there is no device `{device}`", "there is `auto`, `cpu` and `cuda`")
    has_gpu = torch.cuda.is_available()
    if device == "cuda" and not has_gpu:
        raise UsageError("--device cuda: torch finds no GPU", "leave it out to train on the CPU")
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
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def bfloat16_pays() -> bool:
    """Whether this CPU multiplies bfloat16 faster than float32.

    Where it has no instructions for it, the product is emulated and many times slower.
    """
    return _seconds(torch.bfloat16) < 0.8 * _seconds(torch.float32)


def _seconds(dtype: torch.dtype) -> float:
    """The best of a few products, so that a busy machine does not decide."""
    matrix = torch.ones(PROBE, PROBE, dtype=dtype)
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        matrix @ matrix
        best = min(best, time.perf_counter() - start)
    return best
