"""Run the classifier in a separate process, for tests that end it: OUT METHODS [BYTES]."""

import resource
import signal
import sys
from pathlib import Path

import torch

import reference.training.trainer as trainer
from graders.errors import UserError
from reference.training.classification.command import Options, train

trainer.SAVE_SECONDS = trainer.SAVING_SHARE = 0.0  # after every step, not every five seconds


def run(out, methods="full,head", *, kind="sst2", report=lambda *_: None, **more):
    """The metrics of a run on the bundled task."""
    torch.set_num_threads(1)
    options = {"data": None, "backbone": "tiny", "device": "cpu", "precision": "fp32", "seed": 0}
    settings = Options("uw-a2", kind, Path(out), methods=methods, **options | more)
    return train(settings, report, lambda _: None)


def main():
    out, methods, *limit = sys.argv[1:]
    if limit:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit[0]), int(limit[0])))
    try:
        run(out, methods, report=lambda *progress: print(*progress, flush=True))
    except UserError as error:
        sys.exit(f"{error}\nhint: {error.hint}")


if __name__ == "__main__":
    main()
