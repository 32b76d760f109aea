"""A run's curves and accuracies as TensorBoard reads them: `OUT/tensorboard/`.

tensorboard/full.train/          loss and learning_rate by step, dev accuracy and loss by epoch
tensorboard/accuracies/full/     accuracy/dev and accuracy/test, the majority beside them
"""

from pathlib import Path

from training.classification.metrics import ClassifierMetrics, Training
from training.scalars import FOLDER, Scalar, write_events


def write_scalars(metrics: ClassifierMetrics, out: Path) -> None:
    """Write `out/tensorboard/`, whatever of the run is there by now."""
    folder = out / FOLDER
    for training in metrics.trainings:
        write_events(folder / f"{training.method}.train", curve_scalars(training))
    found = (*metrics.majority, *(each.accuracy for each in metrics.evaluations))
    for model in dict.fromkeys(accuracy.model for accuracy in found):
        scalars = [(f"accuracy/{a.part}", 0, a.share) for a in found if a.model == model]
        write_events(folder / "accuracies" / model, scalars)


def curve_scalars(training: Training) -> list[Scalar]:
    """Loss and learning rate of each point, dev loss and accuracy of each epoch."""
    scalars = [("loss", point.step, point.loss) for point in training.curve]
    scalars += [("learning_rate", point.step, point.learning_rate) for point in training.curve]
    scalars += [("dev/loss", each.epoch, each.dev_loss) for each in training.epochs]
    return scalars + [("dev/accuracy", each.epoch, each.dev_share) for each in training.epochs]
