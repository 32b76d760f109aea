"""Run the pipeline in a separate process, for tests that end it: OUT WORKERS [BYTES]."""

import dataclasses
import resource
import signal
import sys
from pathlib import Path

import torch

from graders.data.birthplaces import open_data
from graders.errors import UserError
from reference.training.gpt.pipeline import run_pipeline
from reference.training.gpt.plan import Plan
from reference.training.gpt.preset import DEMO
from reference.training.precision import Machine

CPU = torch.device("cpu")


def preset():
    """The demo's recipes for a model that learns nothing, in seconds."""
    epochs = {"pretrain": 3, "finetune": 2, "nopretrain": 2}
    recipes = {
        name: dataclasses.replace(getattr(DEMO, name), epochs=n) for name, n in epochs.items()
    }
    return dataclasses.replace(DEMO, n_layer=1, n_head=1, n_embd=16, **recipes)


def run(out, workers=1, *, seed=0, report=lambda *_: None, publish=lambda _: None):
    """The metrics of a tiny run."""
    with open_data(None) as data:
        plan = Plan(preset(), ("vanilla", "rope"), data.folder, data.description, out, seed)
        machine = Machine(CPU, torch.float32, workers)
        return run_pipeline(plan, data, machine, report=report, publish=publish)


def main():
    out, workers, *limit = sys.argv[1:]
    # A shell lets what it starts in the background ignore interrupts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if limit:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit[0]), int(limit[0])))
    try:
        run(Path(out), int(workers), report=lambda *progress: print(*progress, flush=True))
    except UserError as error:
        sys.exit(f"{error}\nhint: {error.hint}")


if __name__ == "__main__":
    main()
