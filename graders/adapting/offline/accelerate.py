"""Run the library `accelerate` in one process on the CPU, whatever the code was written for.

Half precision, which a CPU lacks, becomes full precision; reports to wandb go to its stand-in.
"""

import functools
import importlib
from collections.abc import Callable
from typing import Any

GPU_ONLY = ("fp16", "fp8")


def install() -> None:
    """Make Accelerators work as on a machine with a GPU and with their trackers."""
    library: Any = importlib.import_module("accelerate")
    tracking: Any = importlib.import_module("accelerate.tracking")
    library.Accelerator.__init__ = _on_cpu(library.Accelerator.__init__)
    if tracking.LoggerType.WANDB not in tracking._available_trackers:
        tracking._available_trackers.append(tracking.LoggerType.WANDB)


def _on_cpu(original: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(original)
    def init(self: Any, *values: Any, **named: Any) -> None:
        if str(named.get("mixed_precision")) in GPU_ONLY:
            named["mixed_precision"] = "no"
        for old in ("fp16", "use_fp16"):  # until release 0.15
            named.pop(old, None)
        original(self, *values, **named)

    return init
