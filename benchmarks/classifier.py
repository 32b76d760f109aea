"""Fine-tune the reference classifier on real files; print its accuracy and time.

    python benchmarks/classifier.py --data sst2/ [--kind boolq] [--methods full] [--backbone minilm]
                                    [--device auto] [--seeds 0 1 2] [--out DIR]

For each seed and method: trained parameters, chosen epoch, dev and test accuracy with 95% Wilson
intervals, seconds of training, seconds of processor. The test set is used once per run.
"""

import argparse
import tempfile
import time
from pathlib import Path

import torch

from graders.statistics import share_in_words
from reference.training.classification.command import Options, train
from reference.training.classification.metrics import ClassifierMetrics
from reports.pipelines.progress import PipelineProgress

ASSIGNMENTS = {"sst2": "uw-a2", "boolq": "jhu-hw6"}


def main() -> None:
    """Print the table."""
    options = arguments()
    for seed in options.seeds:
        with tempfile.TemporaryDirectory() as folder:
            out = (options.out or Path(folder)) / f"seed{seed}"
            wall, processor = time.perf_counter(), time.process_time()
            with PipelineProgress() as progress:
                metrics = train(options_of(options, out, seed), progress.update, lambda _: None)
            show(metrics, time.perf_counter() - wall, time.process_time() - processor)


def arguments() -> argparse.Namespace:
    """Return the command line's options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="the files; else the bundled task")
    parser.add_argument("--kind", choices=ASSIGNMENTS, default="sst2")
    parser.add_argument("--methods", default="full")
    parser.add_argument("--backbone", default="")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--precision", default="auto")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--out", type=Path, help="keep the files here: a stopped run goes on")
    return parser.parse_args()


def options_of(options: argparse.Namespace, out: Path, seed: int) -> Options:
    """Return the options as `grade.py pipeline` would pass them."""
    return Options(
        ASSIGNMENTS[options.kind],
        options.kind,
        out,
        options.data,
        options.backbone,
        options.methods,
        options.device,
        options.precision,
        seed,
    )


def show(metrics: ClassifierMetrics, wall: float, processor: float) -> None:
    """Print one line per method and part, and the seconds."""
    threads = torch.get_num_threads()
    print(f"seed {metrics.seed}, {metrics.encoder.name}, {metrics.data}")
    print(f"{metrics.device}, {metrics.precision}, {threads} threads a product", flush=True)
    for training in metrics.trainings:
        shares = [f"{100 * epoch.dev_share:.1f}" for epoch in training.epochs]
        print(
            f"{training.method}: {training.trained:,} trained in {training.seconds:.0f} s, "
            f"epoch {training.chosen} kept of dev {', '.join(shares)} %"
        )
    for accuracy in (
        *(evaluation.accuracy for evaluation in metrics.evaluations),
        *metrics.majority,
    ):
        words = share_in_words(accuracy.correct, accuracy.n)
        print(f"{accuracy.model:9} {accuracy.part:5} {words}")
    print(f"whole run {wall:.0f} s, {processor:.0f} s of processor", flush=True)


if __name__ == "__main__":
    main()
