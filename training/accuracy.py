"""Accuracies with their intervals: of predictions, and of the two baselines that read nothing."""

from collections.abc import Sequence
from pathlib import Path

from graders.data import Data
from graders.intervals import wilson
from reference.evaluation import LONDON, majority_place
from training.metrics import Accuracy
from training.plan import PARTS, PhaseName


def baselines(data: Data) -> tuple[Accuracy, ...]:
    """London for everybody, and the training set's most common place for everybody."""
    constant = {"london": LONDON, "majority": majority_place(data.train)}
    return tuple(
        accuracy(name, part, [place] * len(gold), gold)
        for name, place in constant.items()
        for part in PARTS
        if (gold := gold_of(data, part)) is not None
    )


def evaluated(phase: PhaseName, folder: Path, data: Data) -> tuple[Accuracy, ...]:
    """The accuracies of the files that an evaluation wrote, where the answers are known."""
    found = []
    for part in PARTS:
        gold = gold_of(data, part)
        if gold is not None:
            text = (folder / phase.prediction_file(part)).read_text(encoding="utf-8")
            said = text.removesuffix("\n").split("\n")
            found.append(accuracy(phase.model, part, said, gold))
    return tuple(found)


def gold_of(data: Data, part: str) -> tuple[str, ...] | None:
    """The places asked for, or None where they are not known."""
    return data.dev if part == "dev" else data.test


def accuracy(model: str, part: str, said: Sequence[str], gold: Sequence[str]) -> Accuracy:
    """How many were right; a prediction with a line's end in it is wrong for all behind it."""
    correct = sum(one == place for one, place in zip(said, gold, strict=False))
    low, high = wilson(correct, len(gold))
    return Accuracy(model, part, correct, len(gold), correct / len(gold), low, high)
