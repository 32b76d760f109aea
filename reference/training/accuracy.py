"""Count correct predictions, and compute their confidence interval."""

from collections.abc import Sequence

from graders.statistics import wilson
from reference.training.metrics import Accuracy


def accuracy(model: str, part: str, said: Sequence[object], gold: Sequence[object]) -> Accuracy:
    """Compare line by line; if one prediction fills two lines, all later ones are incorrect."""
    correct = sum(one == right for one, right in zip(said, gold, strict=False))
    low, high = wilson(correct, len(gold))
    return Accuracy(model, part, correct, len(gold), correct / len(gold), low, high)
