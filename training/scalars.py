"""A run's curves and accuracies as TensorBoard reads them: `OUT/tensorboard/`.

    tensorboard/rope.pretrain/     a folder a phase that trains: loss and learning_rate by step
    tensorboard/accuracies/        a folder a model in it: accuracy/dev and accuracy/test

Every file is written anew from the metrics, so a resumed run doubles no point.
"""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from training.metrics import Metrics, Phase

FOLDER = "tensorboard"
# TensorBoard finds its files by "tfevents"; the usual name also tells host, time and process.
EVENTS = "events.out.tfevents.pipeline"

Scalar = tuple[str, int, float]  # tag, step, value


def write_scalars(metrics: Metrics, out: Path) -> None:
    """Write `out/tensorboard/`, whatever of the run is there by now."""
    folder = out / FOLDER
    for phase in metrics.phases:
        if phase.curve:
            write_events(folder / phase.id, curve_scalars(phase))
    for model, scalars in accuracy_scalars(metrics).items():
        write_events(folder / "accuracies" / model, scalars)


def curve_scalars(phase: Phase) -> list[Scalar]:
    """Loss and learning rate of each point of a phase's curve."""
    losses = [("loss", point.step, point.loss) for point in phase.curve]
    return losses + [("learning_rate", point.step, point.learning_rate) for point in phase.curve]


def accuracy_scalars(metrics: Metrics) -> dict[str, list[Scalar]]:
    """Accuracies by model, the baselines among them; they belong to no step."""
    models: dict[str, list[Scalar]] = {}
    for accuracy in (*metrics.baselines, *metrics.accuracies):
        scalar = (f"accuracy/{accuracy.part}", 0, accuracy.share)
        models.setdefault(accuracy.model, []).append(scalar)
    return models


def write_events(folder: Path, scalars: Sequence[Scalar]) -> None:
    """Replace the folder's one file of events by these, all at once."""
    # It imports torch, so only what writes scalars waits for it.
    from tensorboardX import SummaryWriter  # type: ignore[import-untyped]

    folder.mkdir(parents=True, exist_ok=True)
    # Beside the runs and hidden: TensorBoard must not show what is half written.
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".") as unfinished:
        with SummaryWriter(unfinished) as writer:
            for tag, step, value in scalars:
                writer.add_scalar(tag, value, step)
        (written,) = Path(unfinished).iterdir()
        os.replace(written, folder / EVENTS)
