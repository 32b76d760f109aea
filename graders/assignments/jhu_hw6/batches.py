"""Draw small classifiers and batches for training loops and evaluations."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graders.boundary.student import Student
from graders.checks.inputs import Inputs
from graders.errors import GraderFault

from .replies import Floats

Batch = Mapping[str, Any]  # input_ids, attention_mask (n, T) and labels (n,)
SIZE = 8  # features of an embedding
LONG = 104  # batches: a loop that stops after 100 leaves items out
STOPPED = "Is a `break` for debugging left in the loop over batches?"
EMBEDDINGS = "model.embeddings.weight"


@dataclass(frozen=True, slots=True)
class Task:
    """The initial weights of a classifier, its training set, and its held-out set."""

    weights: Mapping[str, Floats]
    train: Batch
    held_out: Batch

    @property
    def batches(self) -> dict[str, Any]:
        """Both sets, in the form that is sent."""
        return {"train": dict(self.train), "held_out": dict(self.held_out)}

    @property
    def shapes(self) -> Mapping[str, tuple[int, ...]]:
        """The shape of every parameter."""
        return {name: weight.shape for name, weight in self.weights.items()}


def draw_weights(source: np.random.Generator, vocabulary: int) -> dict[str, Floats]:
    """Draw weights that are large enough for every token and feature to affect the logits."""
    shapes = {EMBEDDINGS: (vocabulary, SIZE), "classifier.weight": (2, SIZE)}
    drawn = {name: source.standard_normal(shape) for name, shape in shapes.items()}
    drawn["classifier.bias"] = source.standard_normal(2) * 0.3
    return {name: weight.astype(np.float32) for name, weight in drawn.items()}


def draw_batch(source: np.random.Generator, count: int, vocabulary: int) -> dict[str, Any]:
    """Draw texts of different lengths, padded with zeros; no two are equal."""
    T = int(source.integers(6, 10))
    lengths = source.integers(2, T, count)
    lengths[0] = T
    mask = (np.arange(T) < lengths[:, None]).astype(np.int64)
    ids = source.integers(1, vocabulary, (count, T)) * mask
    ids[:, 0] = source.permutation(vocabulary - 1)[:count] + 1
    return {"input_ids": ids, "attention_mask": mask, "labels": source.integers(0, 2, count)}


def draw_task(inputs: Inputs, purpose: str, count: int) -> Task:
    """Draw a task; the initial weights classify one of two adjacent items correctly, one not.

    So the model's own answers are not the labels, and its errors are not all on the same side.
    """
    source = inputs.generator("task", purpose)
    vocabulary = max(int(source.integers(40, 60)), count + 1)  # no two texts start alike
    weights = draw_weights(source, vocabulary)
    train = draw_batch(source, count, vocabulary)
    train["labels"] = (_answers(weights, train) + np.arange(count) + source.integers(0, 2)) % 2
    return Task(weights, train, draw_batch(source, 5, vocabulary))


def _answers(weights: Mapping[str, Floats], batch: Batch) -> NDArray[np.intp]:
    """Return the class (0 or 1) that these weights predict for each item."""
    mask = batch["attention_mask"][..., None]
    hidden = (weights[EMBEDDINGS][batch["input_ids"]] * mask).sum(1) / mask.sum(1)  # (n, D)
    logits = np.tanh(hidden) @ weights["classifier.weight"].T + weights["classifier.bias"]
    answers: NDArray[np.intp] = logits.argmax(-1)
    return answers


def predicted(sandbox: Student, weights: Mapping[str, Floats], batch: Batch) -> Floats:
    """Return the classifier's logits for a batch."""
    logits = sandbox.call("predictions", weights=dict(weights), batch=dict(batch))
    if not isinstance(logits, np.ndarray):
        raise GraderFault("the oracle gave no logits")
    return logits.astype(np.float64)


def part(batch: Batch, rows: Any) -> dict[str, Any]:
    """Return some rows of a batch."""
    return {name: values[rows] for name, values in batch.items()}
