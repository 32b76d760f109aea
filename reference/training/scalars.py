"""Write a run's curves and accuracies for TensorBoard: `OUT/tensorboard/`.

    tensorboard/rope.pretrain/     one folder per training phase: loss and learning_rate by step
    tensorboard/full.train/        for a classifier, also dev accuracy and loss by epoch
    tensorboard/accuracies/        one folder per model in it: accuracy/dev and accuracy/test

Every file is rewritten from the metrics, so a resumed run has no duplicate points.
"""

import struct
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from reference.training.files import write_bytes
from reference.training.metrics import Accuracy, Point

FOLDER = "tensorboard"
# TensorBoard searches for "tfevents"; the usual name also contains host, time and process.
EVENTS = "events.out.tfevents.pipeline"
VERSION = "brain.Event:2"

Scalar = tuple[str, int, float]  # tag, step, value


def write_scalars(
    out: Path, curves: Mapping[str, Sequence[Scalar]], accuracies: Sequence[Accuracy]
) -> None:
    """Write `out/tensorboard/`: curves by phase, and accuracies, which belong to no step."""
    folder = out / FOLDER
    for phase, scalars in curves.items():
        write_events(folder / phase, scalars)
    for model in dict.fromkeys(accuracy.model for accuracy in accuracies):
        scalars = [(f"accuracy/{a.part}", 0, a.share) for a in accuracies if a.model == model]
        write_events(folder / "accuracies" / model, scalars)


def curve_scalars(curve: Sequence[Point]) -> list[Scalar]:
    """Return loss and learning rate of each point."""
    losses = [("loss", point.step, point.loss) for point in curve]
    return losses + [("learning_rate", point.step, point.learning_rate) for point in curve]


def write_events(folder: Path, scalars: Sequence[Scalar]) -> None:
    """Replace the folder's event file atomically. Raises StorageError if the disk is full."""
    write_bytes(folder / EVENTS, b"".join(map(_record, _events(scalars))))


def _events(scalars: Iterable[Scalar]) -> Iterator[bytes]:
    """Yield event messages; the first one contains the version of the format."""
    # These import torch, so only code that writes scalars waits for it. Their SummaryWriter is not
    # used: its thread dies on a full disk, and then waiting for it never ends.
    from tensorboardX.proto.event_pb2 import Event  # type: ignore[import-untyped]
    from tensorboardX.summary import scalar  # type: ignore[import-untyped]

    yield Event(wall_time=time.time(), file_version=VERSION).SerializeToString()
    for tag, step, value in scalars:
        event = Event(wall_time=time.time(), step=step, summary=scalar(tag, value))
        yield event.SerializeToString()


def _record(message: bytes) -> bytes:
    """Return a message as a TFRecord: length, its checksum, message, its checksum."""
    from tensorboardX.record_writer import masked_crc32c  # type: ignore[import-untyped]

    length = struct.pack("<Q", len(message))
    sums = (struct.pack("<I", masked_crc32c(part)) for part in (length, message))
    return length + next(sums) + message + next(sums)
