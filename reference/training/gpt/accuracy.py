"""The accuracies of predicted places, and of the two baselines that do not read the questions."""

from pathlib import Path

from graders.data.birthplaces import Data
from reference.data.evaluation import LONDON, majority_place
from reference.training.accuracy import accuracy
from reference.training.gpt.plan import PhaseName
from reference.training.metrics import PARTS, Accuracy


def baselines(data: Data) -> tuple[Accuracy, ...]:
    """Return the baselines: London, and the training set's most frequent place, for everybody."""
    constant = {"london": LONDON, "majority": majority_place(data.train)}
    return tuple(
        accuracy(name, part, [place] * len(gold), gold)
        for name, place in constant.items()
        for part in PARTS
        if (gold := gold_of(data, part)) is not None
    )


def evaluated(phase: PhaseName, folder: Path, data: Data) -> tuple[Accuracy, ...]:
    """Return the accuracies of an evaluation's files, if the answers are known."""
    found = []
    for part in PARTS:
        gold = gold_of(data, part)
        if gold is not None:
            text = (folder / phase.prediction_file(part)).read_text(encoding="utf-8")
            said = text.removesuffix("\n").split("\n")
            found.append(accuracy(phase.model, part, said, gold))
    return tuple(found)


def gold_of(data: Data, part: str) -> tuple[str, ...] | None:
    """Return the correct places, or None if they are not known."""
    return data.dev if part == "dev" else data.test
